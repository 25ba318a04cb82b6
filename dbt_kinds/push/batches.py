"""Batches of changes, and what became of each key of them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbt_kinds.push.changes import Change, Keys, Waiting
from dbt_kinds.push.functions import Push

DONE = ("ok", "warn")
_WORDS = (*DONE, "error", "reject")
# the worst of a key's changes is what its record says
_GRAVITY = ("ok", "warn", "reject", "error")


@dataclass(frozen=True)
class Outcome:
    """`ok`, `warn`, `error` or `reject`, and why."""

    status: str
    reason: str = ""


def batches_of(waiting: Sequence[Waiting], keys: Keys, size: int) -> Iterator[list[Change]]:
    """Changes in batches of a size. What has an order is not split, a group or a row that came and went, so that its
    batch may be larger.
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
    """Calls a function with a batch. The outcome of each change, by id; an exception is an error of all of them."""
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
    """What became of a key: the gravest of its changes; None where some have not been sent."""
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
    """Lets so many calls through in so many seconds; the others wait."""

    def __init__(self, requests: int, seconds: float) -> None:
        """Takes how many calls there may be in how many seconds."""
        self._requests, self._seconds = requests, seconds
        self._calls: list[float] = []
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Returns when the next call may be made."""
        with self._lock:
            if len(self._calls) >= self._requests:
                time.sleep(max(0.0, self._calls[-self._requests] + self._seconds - time.monotonic()))
            self._calls = (
                [*self._calls[-self._requests + 1 :], time.monotonic()] if self._requests > 1 else [time.monotonic()]
            )
