"""One push of one model: claim, announce, send, record, release. After a crash at any point the changes are sent
again.
"""

from __future__ import annotations

import json
import os
import socket
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from dbt_kinds.errors import KindsError
from dbt_kinds.operate.dbt import Dbt
from dbt_kinds.push.batches import DEAD, DONE, Outcome, RateLimit, batches_of, outcome_of, send
from dbt_kinds.push.changes import Keys, Waiting, waiting_of
from dbt_kinds.push.functions import Push, read_function

# announced and recorded together: the most that a killed push may send twice
_AT_ONCE = 1_000
_READ_AT_ONCE = 10_000
_RECORD_SECONDS = 5.0
_SIGN_OF_LIFE_SECONDS = 120.0
_FIRST_WAIT, _LONGEST_WAIT = 30, 3600


@dataclass
class Pushed:
    """The result of pushing one model."""

    model: str
    delivered: int = 0
    left: int = 0
    dead: int = 0
    gaps: int = 0

    @property
    def is_done(self) -> bool:
        """Whether everything is delivered."""
        return not (self.left or self.dead or self.gaps)


def read_outbox(dbt: Dbt, select: str | None, **arguments: Any) -> list[dict[str, Any]]:
    """The answer of the operation `outbox` for models with a sink."""
    asked = {"select": select} if select else {}
    answer = dbt.operation("outbox", {**asked, **arguments})
    return [{**model, "now": answer["now"]} for model in answer["models"]]


def push(dbt: Dbt, select: str | None, *, resync: bool = False, ahead: timedelta = timedelta()) -> list[Pushed]:
    """Sends the pending changes of the selected models with a sink, one model after the other. For the models with
    nothing pending, one operation reads that and writes nothing.

    Args:
        resync: send the whole tables, as inserts.
        ahead: how far ahead the clock for retries is.

    Raises:
        KindsError: no model has a sink, or a function cannot be loaded.
        DbtFailedError: an operation failed.
    """
    models = read_outbox(dbt, select, resync=resync, about=["counts"])
    if not models:
        raise KindsError(
            "no model has a sink; write meta: {sink: {function: crm}}, and a function push in sinks/crm.py"
        )
    project = Path(dbt.options.project_dir or ".")
    functions = {model["model"]: read_function(project, model["sink"]["function"]) for model in models}
    return [
        _Push(dbt, model, functions[model["model"]], ahead).run() if model["counts"]["waiting"] else _pushed(model)
        for model in models
    ]


def _pushed(model: Mapping[str, Any]) -> Pushed:
    """What a push would say of a model before it sends anything."""
    counts = model["counts"]
    return Pushed(model["name"], left=counts["waiting"], dead=counts["dead"], gaps=counts["gaps"])


def dead_letters(dbt: Dbt, select: str | None) -> list[dict[str, Any]]:
    """The dead letters, `{id, model, type, key, row, reason, attempts}`, oldest first."""
    return [
        {"id": dead["change"], "model": model["name"]}
        | {name: dead.get(name) for name in ("type", "key", "row", "reason", "attempts")}
        for model in read_outbox(dbt, select, about=["dead"])
        for dead in model["dead"]
    ]


def revive(dbt: Dbt, select: str | None, change: str) -> str:
    """Marks a dead letter for the next push. Returns its model.

    Raises:
        KindsError: no dead letter has that id.
    """
    for model in read_outbox(dbt, select, about=["dead"]):
        for dead in model["dead"]:
            if dead["change"] == change:
                back = {"model": model["model"], "status": "retry", "change": change, "key": dead["key"]}
                read_outbox(dbt, model["name"], deliveries=[back | {"delta": dead["delta"]}], about=[])
                return str(model["name"])
    raise KindsError(f"no dead letter has the id {change}; dbt-kinds push --dead lists them")


class _Push:
    """A push of one model in progress."""

    def __init__(self, dbt: Dbt, model: Mapping[str, Any], function: Push, ahead: timedelta) -> None:
        self._dbt, self._model, self._function, self._ahead = dbt, model, function, ahead
        self._sink: dict[str, Any] = model["sink"]
        self._keys: Keys = model["keys"]
        limit = self._sink["rate_limit"]
        self._limit = RateLimit(limit["requests"], limit["seconds"]) if limit else None
        self._holder = f"{socket.gethostname()}/{os.getpid()}/{uuid.uuid4().hex[:12]}"
        self._told_at = 0.0
        self._result = _pushed(model)

    def run(self) -> Pushed:
        state = self._claim()
        try:
            seen: set[tuple[str, int]] = set()
            while True:
                waiting = waiting_of(state["changes"], self._keys)
                new = [one for one in waiting if (one.key, one.delta) not in seen]
                seen |= {(one.key, one.delta) for one in new}
                due = [one for one in new if self._is_due(one, state["now"])]
                if not due:
                    break
                unrecorded: list[dict[str, Any]] = []
                for start in range(0, len(due), _AT_ONCE):
                    unrecorded = self._deliver(due[start : start + _AT_ONCE], unrecorded)
                # what arrived in the meantime, and what exceeded the limit
                state = self._ask(unrecorded, ["changes"], limit=_READ_AT_ONCE + len(seen))
        finally:
            self._ask([{"status": "released"}])
        self._result.left = state["changes"][0]["keys"] if state["changes"] else 0
        return self._result

    def _ask(
        self, deliveries: Sequence[Mapping[str, Any]] = (), about: Sequence[str] = (), limit: int = _READ_AT_ONCE
    ) -> dict[str, Any]:
        rows = [{"model": self._model["model"], "holder": self._holder, **delivery} for delivery in deliveries]
        self._told_at = time.monotonic()
        (state,) = read_outbox(self._dbt, self._model["name"], deliveries=rows, about=list(about), limit=limit)
        return state

    def _claim(self) -> dict[str, Any]:
        """Makes this the only push of the model: the earliest claim wins."""
        state = self._ask([{"status": "claimed"}], ["changes", "pushers"])
        for _ in range(10):
            rivals = self._rivals(state)
            earlier = rivals[: [one["holder"] for one in rivals].index(self._holder)]
            if len(rivals) == 1:
                return state
            if earlier:
                break
            time.sleep(1)
            state = self._ask(about=["changes", "pushers"])
        self._ask([{"status": "released"}])
        holder = next(one for one in rivals if one["holder"] != self._holder)
        raise KindsError(
            f"another push of {self._model['name']} is under way: {holder['holder']}, "
            f"since {holder['claimed_at'][:19]} (UTC); if it is gone, its claim ends 10 minutes after its last sign "
            "of life"
        )

    def _rivals(self, state: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        return [one for one in state["pushers"] if one["holder"] == self._holder or not _is_gone(one["holder"])]

    def _is_due(self, one: Waiting, now: str) -> bool:
        if not one.attempts or one.was_cut_off or one.last_at is None:
            return True
        wait_seconds = min(_FIRST_WAIT * 2 ** min(one.attempts - 1, 20), _LONGEST_WAIT)
        return self._clock(now) >= datetime.fromisoformat(one.last_at) + timedelta(seconds=wait_seconds)

    def _clock(self, now: str) -> datetime:
        return datetime.fromisoformat(now) + self._ahead

    def _deliver(self, due: Sequence[Waiting], unrecorded: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Announces and sends. Outcomes are recorded while batches are in progress, so that little is sent twice.
        The last are returned, to be recorded by the next operation, as `unrecorded` ones are here.
        """
        empty = [_record(one, Outcome("ok", "nothing is left to be told")) for one in due if not one.changes]
        due = [one for one in due if one.changes]
        announced = self._ask([*unrecorded, *empty, *(_record(one, Outcome("sending")) for one in due)])
        outcomes: dict[str, Outcome] = {}
        open_keys = list(due)
        for found in self._send_all(list(batches_of(due, self._keys, self._sink["batch_size"]))):
            outcomes |= found
            if time.monotonic() - self._told_at > _RECORD_SECONDS:
                known, open_keys = self._known(open_keys, outcomes, announced["now"])
                if known:
                    self._ask(known)
            if not found and time.monotonic() - self._told_at > _SIGN_OF_LIFE_SECONDS:
                self._ask([{"status": "alive"}])
        known, _ = self._known(open_keys, outcomes, announced["now"])
        return known

    def _known(
        self, keys: Sequence[Waiting], outcomes: Mapping[str, Outcome], now: str
    ) -> tuple[list[dict[str, Any]], list[Waiting]]:
        """What to record of the keys with a known outcome, and the other keys."""
        rows, left = [], []
        for one in keys:
            outcome = outcome_of(one, outcomes)
            if outcome is None:
                left.append(one)
                continue
            self._result.delivered += outcome.status in DONE
            if outcome.status == "error" and self._clock(now) - datetime.fromisoformat(
                one.first_at or now
            ) >= timedelta(seconds=self._sink["give_up_after"]):
                outcome = Outcome("dead", outcome.reason)
            self._result.dead += outcome.status in DEAD
            rows.append(_record(one, outcome))
        return rows, left

    def _send_all(self, batches: Sequence[Any]) -> Iterator[dict[str, Outcome]]:
        """Sends batches, several at a time; yields nothing now and then while all of them are slow."""

        def call(batch: Any) -> dict[str, Outcome]:
            if self._limit is not None:
                self._limit.wait()
            return send(self._function, batch, self._sink["args"], self._sink["mode"])

        with ThreadPoolExecutor(self._sink["max_concurrent"]) as pool:
            open_calls: set[Future[dict[str, Outcome]]] = set()
            rest = iter(batches)
            try:
                while True:
                    for batch in rest:
                        open_calls.add(pool.submit(call, batch))
                        if len(open_calls) >= self._sink["max_concurrent"]:
                            break
                    if not open_calls:
                        return
                    done, open_calls = wait(open_calls, timeout=_RECORD_SECONDS, return_when=FIRST_COMPLETED)
                    yield {change: outcome for call_ in done for change, outcome in call_.result().items()}
            finally:
                pool.shutdown(wait=False, cancel_futures=True)


def _record(one: Waiting, outcome: Outcome) -> dict[str, Any]:
    """The outbox row for the outcome of a key. A given-up change is stored as it was to be sent."""
    attempts = one.attempts + bool(one.changes)
    row: dict[str, Any] = {"status": outcome.status, "key": one.key, "delta": one.delta, "attempts": attempts}
    if outcome.reason:
        row["reason"] = outcome.reason[:1000]
    if one.changes:
        row |= {"change": one.id, "type": one.type}
    if outcome.status in DEAD:
        row["row"] = json.dumps([change.row or change.old for change in one.changes][-1])
    return row


def _is_gone(holder: str) -> bool:
    """Whether a push on this machine is known to be dead."""
    host, process, _ = holder.split("/")
    if host != socket.gethostname():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
