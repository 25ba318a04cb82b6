"""Loads what a model's table lacks in a window, several disjoint parts of it at once.

Each part is a `dbt run` of the model with `kinds_start` and `kinds_end`. What decides whether two of them may write at
once is the lease of the macros: a run that is refused because another part claims the whole table is tried again later.
"""

from __future__ import annotations

import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from math import ceil
from typing import Any, Protocol

from dbt_kinds.errors import DbtFailedError, KindsError
from dbt_kinds.intervals.units import SUNDAY, Unit, later, read_unit
from dbt_kinds.operate.backfill_worker import LostWorkerError, WorkerProcess, window
from dbt_kinds.operate.dbt import Dbt
from dbt_kinds.operate.each_model import selected_models
from dbt_kinds.operate.intervals import Interval, merged, total_seconds
from dbt_kinds.operate.plan import read_plans

# so many parts a worker: fewer would let one worker end long after the others, more cost a second or two each
PARTS_OF_A_WORKER = 4
_REFUSED = "another run holds the lease on "


@dataclass(frozen=True)
class Failure:
    """A part that was not loaded, and why."""

    start: str
    end: str
    message: str


@dataclass
class Backfill:
    """What a backfill was to load, and did; half-open intervals of ISO instants in UTC."""

    model: str
    start: str
    end: str
    workers: int
    planned: list[Interval] = field(default_factory=list)
    loaded: list[Interval] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def is_done(self) -> bool:
        """Whether all that was planned is loaded."""
        return merged(self.loaded) == merged(self.planned)


class Loader(Protocol):
    """Loads one part after the other.

    Attributes:
        invocations: the ids of dbt's invocations in it.
    """

    invocations: list[str]

    def load(self, part: Interval) -> None:
        """Loads a part.

        Raises:
            DbtFailedError: the run failed, or was refused.
            LostWorkerError: there is nobody any more who could load anything.
        """

    def interrupt(self) -> None:
        """Stops what is under way."""

    def stop(self) -> None:
        """Ends, when what is under way is done."""


class InThisProcess:
    """Runs dbt here: an embedded session admits no second process."""

    def __init__(self, dbt: Dbt, node: Any) -> None:
        """Takes the project, parsed, and the model."""
        self.dbt, self.node = dbt, node
        self.invocations: list[str] = []

    def load(self, part: Interval) -> None:
        """Loads a part."""
        self.dbt.run(self.node, window(part), self.invocations.append)

    def interrupt(self) -> None:
        """Ctrl-C has done it: dbt is in this thread."""

    def stop(self) -> None:
        """Nothing goes on."""


def prepare(
    dbt: Dbt, model: str, part: Interval, *, workers: int | None = None, restates: bool = False
) -> tuple[Backfill, list[Interval]]:
    """What a backfill would load, and the parts that it would be loaded in.

    Args:
        workers: at most so many at once; by default the model's `batch_concurrency`. An embedded session has one.
        restates: whether what is recorded is loaded again.

    Raises:
        KindsError: the model is not there, or its window is refused.
        KindsError: the package is not installed, or dbt failed.
    """
    node = model_to_load(dbt, model)
    plan = read_plans(dbt.with_variables(window(part)), _name(node))["plans"][0]
    if plan.get("refused"):
        raise KindsError(f"{model}: {plan['refused']}")
    config = node.config
    count = workers or int(config.meta.get("batch_concurrency") or config.get("batch_concurrency") or 1)
    count = 1 if count > 1 and is_embedded(dbt, node) else count
    planned = merged((start, end) for start, end in (plan["batches"] if restates else plan["missing"]))
    parts = list(split(planned, _unit(plan["unit"]), count * PARTS_OF_A_WORKER))
    workers = min(count, max(len(parts), 1))
    return Backfill(node.unique_id, plan["start"] or part[0], plan["end"] or part[1], workers, planned), parts


def model_to_load(dbt: Dbt, name: str) -> Any:
    """The node of the one model with that name.

    Raises:
        KindsError: there is none, or there are several.
    """
    found = selected_models(dbt.manifest, name) if name.split() else []
    if len(found) != 1:
        told = "no model of a kind" if not found else f"{len(found)} models"
        raise KindsError(f"a backfill is of one model, and {name!r} names {told}")
    return found[0]


def is_embedded(dbt: Dbt, node: Any) -> bool:
    """Whether the project's Spark runs inside of dbt."""
    facts = dbt.operation("doctor", {"select": _name(node), "raises": False})["facts"]
    return bool(facts["method"] == "session")


def _name(node: Any) -> str:
    return f"{node.package_name}.{node.name}"


def _unit(name: str) -> Unit:
    return read_unit(name.removesuffix(SUNDAY), "sunday" if name.endswith(SUNDAY) else "monday")


def split(planned: Sequence[Interval], unit: Unit, number: int) -> Iterator[Interval]:
    """Parts of about equal length, each of whole units; `number` of them, or more where what is planned has gaps."""
    units = [list(_units(interval, unit)) for interval in planned]
    most = max(1, ceil(sum(map(len, units)) / number))
    for of_interval in units:
        for first in range(0, len(of_interval), most):
            chosen = of_interval[first : first + most]
            yield chosen[0][0], chosen[-1][1]


def _units(interval: Interval, unit: Unit) -> Iterator[Interval]:
    instant, end = (datetime.fromisoformat(bound) for bound in interval)
    while instant < end:
        following = min(later(instant, unit, 1), end)
        yield instant.isoformat(), following.isoformat()
        instant = following


class Parts:
    """Parts on their way to several loaders, and what became of them."""

    def __init__(
        self,
        backfill: Backfill,
        parts: Sequence[Interval],
        loaders: Sequence[Loader],
        on_progress: Callable[[float], None],
        on_lost: Callable[[Loader], None],
    ) -> None:
        """Takes what tells of the seconds of each part that is done, and what is called about a loader that is lost."""
        self.backfill, self.loaders = backfill, loaders
        self._waiting, self._number_done, self._at_work = deque(parts), 0, len(loaders)
        self._on_progress, self._on_lost = on_progress, on_lost
        self._changed = threading.Condition()

    def load_all(self) -> None:
        """Gives each loader one part after the other until none is left; one alone works in this thread."""
        if len(self.loaders) == 1:
            return self._serve(self.loaders[0])
        threads = [threading.Thread(target=self._serve, args=(loader,), daemon=True) for loader in self.loaders]
        for thread in threads:
            thread.start()
        for thread in threads:
            # a join without an end would not let Ctrl-C through
            while thread.is_alive():
                thread.join(0.2)

    def stop(self) -> None:
        """Gives out nothing more."""
        with self._changed:
            self._waiting.clear()

    def _serve(self, loader: Loader) -> None:
        refusals = 0
        while (part := self._take()) is not None:
            done = self._number_done
            try:
                loader.load(part)
            except LostWorkerError as error:
                self._on_lost(loader)
                self._end(part, Failure(*part, str(error)))
                return self._leave()
            except KindsError as error:
                message = str(error).strip()
                if self._is_refused_for_ours(message):
                    refusals += 1
                    self._put_back(part)
                    # it claims the whole table, not a part: one alone goes on
                    if refusals > 1 and self._is_spare():
                        return
                    self._wait_for_another(done)
                    continue
                self._end(part, Failure(*part, message))
            else:
                self._end(part)
            refusals = 0
        self._leave()

    def _is_refused_for_ours(self, message: str) -> bool:
        """Whether a run was refused for another one of this backfill."""
        invocations = [name for loader in self.loaders for name in loader.invocations]
        return _REFUSED in message and any(name in message for name in invocations)

    def _take(self) -> Interval | None:
        with self._changed:
            return self._waiting.popleft() if self._waiting else None

    def _put_back(self, part: Interval) -> None:
        with self._changed:
            self._waiting.appendleft(part)

    def _wait_for_another(self, done: int) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._number_done > done or self._at_work == 1, timeout=60)

    def _end(self, part: Interval, failure: Failure | None = None) -> None:
        with self._changed:
            if failure is None:
                self.backfill.loaded.append(part)
            else:
                self.backfill.failed.append(failure)
            self._number_done += 1
            self._on_progress(total_seconds([part]))
            self._changed.notify_all()

    def _is_spare(self) -> bool:
        """Whether others go on, so that this one need not."""
        with self._changed:
            if self._at_work == 1:
                return False
            self._at_work -= 1
            self._changed.notify_all()
            return True

    def _leave(self) -> None:
        with self._changed:
            self._at_work -= 1
            self._changed.notify_all()


def run(
    dbt: Dbt, backfill: Backfill, parts: Sequence[Interval], on_progress: Callable[[float], None] = lambda seconds: None
) -> None:
    """Loads the parts, by as many workers as the backfill has, and says in `backfill` what became of them.

    If it is interrupted, what is under way is stopped and its leases end, so that the next backfill goes on.
    """
    began = time.monotonic()
    node = dbt.manifest.nodes[backfill.model]
    loaders: list[Loader] = (
        [InThisProcess(dbt, node)]
        if backfill.workers == 1
        else [WorkerProcess(dbt.options, node.unique_id) for _ in range(backfill.workers)]
    )
    queue = Parts(backfill, parts, loaders, on_progress, lambda loader: _release(dbt, node, [loader]))
    try:
        with _stopped_by_ctrl_c(queue):
            queue.load_all()
    except BaseException:
        queue.stop()
        for loader in loaders:
            loader.interrupt()
        _release(dbt, node, loaders)
        raise
    finally:
        for loader in loaders:
            loader.stop()
        backfill.seconds = round(time.monotonic() - began, 1)


@contextmanager
def _stopped_by_ctrl_c(queue: Parts) -> Iterator[None]:
    """Raises KeyboardInterrupt also if it was dbt in this thread that Ctrl-C met, which only fails then."""
    is_stopped = threading.Event()

    def stop(number: int, frame: Any) -> None:
        is_stopped.set()
        queue.stop()
        raise KeyboardInterrupt

    # only the main thread may set a handler, and only there Ctrl-C is raised
    is_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, stop) if is_main else None
    try:
        yield
    finally:
        if is_main:
            signal.signal(signal.SIGINT, before)
    if is_stopped.is_set():
        raise KeyboardInterrupt


_one_at_a_time = threading.Lock()


def _release(dbt: Dbt, node: Any, loaders: Sequence[Loader]) -> None:
    """Ends the leases of runs that are known to have ended."""
    invocations = sorted(name for loader in loaders for name in loader.invocations)
    if not invocations:
        return
    try:
        with _one_at_a_time:
            dbt.operation("release_lease", {"select": _name(node), "invocations": invocations})
    except DbtFailedError:
        # there is no store yet, or the server is gone; then leases expire
        return
