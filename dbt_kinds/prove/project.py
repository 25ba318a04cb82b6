"""Proves the conversions of a whole project, on all processors."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from dbt_kinds.migrate.conversion import MigrateOptions
from dbt_kinds.migrate.parents import Parents
from dbt_kinds.migrate.project import for_target, migrate_model, resolved
from dbt_kinds.migrate.results import Migration
from dbt_kinds.prove.prover import prove
from dbt_kinds.prove.verdict import Verdict
from dbt_kinds.readers.dbt.project import DbtProject, read_project

Progress = Callable[[int, int], None]
# a process takes some seconds to begin
_MODELS_OF_A_PROCESS = 3
# of a process's addresses; DuckDB has a limit of its own
_MOST_MEMORY = 6 * 2**30


@dataclass(frozen=True)
class Task:
    """What is to be proved: a project as the migration read it, and how."""

    root: Path
    options: MigrateOptions
    dialect: str | None
    runs: int
    seed: int


@dataclass(frozen=True)
class _Read:
    task: Task
    project: DbtProject
    options: MigrateOptions
    parents: Parents

    def prove(self, name: str) -> Verdict:
        result = migrate_model(self.project.models_by_name[name], self.project, self.options, self.parents)
        return prove(result, self.project, self.options, self.parents, self.task.runs, self.task.seed)


# of a process
_read: list[_Read] = []


def prove_migration(migration: Migration, task: Task, progress: Progress | None = None) -> None:
    """Adds a verdict to each converted model; those whose tables differ are left."""
    converted = [result for result in migration.results if result.status == "converted" and not result.is_snapshot]
    migration.seed = task.seed
    for done, (result, verdict) in enumerate(
        zip(converted, _verdicts([result.name for result in converted], task), strict=True), 1
    ):
        result.judge(verdict)
        if progress is not None:
            progress(done, len(converted))


def _verdicts(names: list[str], task: Task) -> Iterator[Verdict]:
    processes = min(os.cpu_count() or 1, -(-len(names) // _MODELS_OF_A_PROCESS))
    if processes < 2:
        _begin(task)
        yield from map(_prove_one, names)
        return
    while names:
        # a copy of a process that has threads may stand still
        with ProcessPoolExecutor(processes, get_context("spawn"), _begin_apart, (task,)) as pool:
            played = [pool.submit(_prove_one, name) for name in names]
            done = 0
            for found in played:
                done += 1
                try:
                    yield found.result()
                except BrokenProcessPool:
                    yield Verdict("not tried", wanted=task.runs, reason="the process that played it was ended")
                    break
        names = names[done:]


def _begin_apart(task: Task) -> None:
    """Begins in a process of its own, which one model must not fill the machine's memory from."""
    try:
        import resource
    except ImportError:
        pass
    else:
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, resource.RLIM_INFINITY))
    _begin(task)


def _begin(task: Task) -> None:
    project = read_project(task.root)
    options = resolved(task.options, project, task.root, task.dialect)
    project = for_target(project, options)
    _read[:] = [_Read(task, project, options, Parents(project, options.dialect, options.adapter or options.dialect))]


def _prove_one(name: str) -> Verdict:
    return _read[0].prove(name)
