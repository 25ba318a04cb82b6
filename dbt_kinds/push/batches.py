"""Batches of changes, and the outcome for each key."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbt_kinds.push.changes import Change, Keys, Waiting
from dbt_kinds.push.functions import Push

DONE, DEAD = ("ok", "warn"), ("reject", "dead")
_WORDS = (*DONE, "error", "reject")
# a key's record shows its worst outcome
_GRAVITY = ("ok", "warn", "reject", "error")


@dataclass(frozen=True)
class Outcome:
    """`ok`, `warn`, `error` or `reject`, and the reason."""

    status: str
    reason: str = ""


def batches_of(waiting: Sequence[Waiting], keys: Keys, size: int) -> Iterator[list[Change]]:
    """Splits changes into batches. Changes whose order matters, of one group or of a row that came and went, stay
    together, so a batch may be larger than `size`.
    """
    batch: list[Change] = []
    for one in waiting:
        has_order = keys == "group" or len({change.type for change in one.changes}) > 1
        for part in [list(one.changes)] if has_order else [[change] for change in one.changes]:
            if batch and len(batch) + len(part) > size:
                yield batch
                batch = []
            batch.extend(part)
    if batch:
        yield batch


def send(push: Push, batch: list[Change], args: Sequence[Any], mode: str) -> dict[str, Outcome]:
    """Calls a function with a batch. Returns the outcome of each change by id; an exception is an error for all of
    them.
    """
    try:
        answer = push(batch, *args)
    except Exception as error:
        return _all(batch, Outcome("error", f"{type(error).__name__}: {error}"))
    if mode == "atomic":
        return _all(batch, Outcome("ok"))
    if not isinstance(answer, Mapping):
        return _all(batch, Outcome("error", f"push returned {type(answer).__name__}, not a status for each id"))
    missing = [change.id for change in batch if answer.get(change.id) is None]
    if missing:
        return _all(batch, Outcome("error", f"push returned no status for {', '.join(missing[:3])}"))
    return {change.id: _outcome(answer[change.id]) for change in batch}


def outcome_of(one: Waiting, outcomes: Mapping[str, Outcome]) -> Outcome | None:
    """The worst outcome of a key's changes; None if some have not been sent."""
    found = [outcomes.get(change.id) for change in one.changes]
    known = [outcome for outcome in found if outcome is not None]
    return max(known, key=lambda outcome: _GRAVITY.index(outcome.status)) if len(known) == len(found) else None


def _all(batch: Sequence[Change], outcome: Outcome) -> dict[str, Outcome]:
    return {change.id: outcome for change in batch}


def _outcome(answer: Any) -> Outcome:
    word, _, reason = str(answer).partition(":")
    if word.strip() not in _WORDS:
        return Outcome("error", f"push returned the status {answer!r}; it is ok, warn: …, error: … or reject: …")
    return Outcome(word.strip(), reason.strip())


class RateLimit:
    """Limits calls to a number per period; further calls wait."""

    def __init__(self, requests: int, seconds: float) -> None:
        """Allows `requests` calls in `seconds` seconds."""
        self._requests, self._seconds = requests, seconds
        self._calls: list[float] = []
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Returns when the next call is allowed."""
        with self._lock:
            if len(self._calls) >= self._requests:
                time.sleep(max(0.0, self._calls[-self._requests] + self._seconds - time.monotonic()))
            self._calls = (
                [*self._calls[-self._requests + 1 :], time.monotonic()] if self._requests > 1 else [time.monotonic()]
            )
