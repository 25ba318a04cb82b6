"""Proves the conversions of a migration, each by rules or by runs."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from time import process_time

import duckdb
from sqlglot.errors import SqlglotError

from dbt_kinds.migrate.conversion import MigrateOptions
from dbt_kinds.migrate.parents import Parents
from dbt_kinds.migrate.results import Result
from dbt_kinds.prove.comparison import STOPPING, Comparison
from dbt_kinds.prove.histories import Conditions, History, random_history, smaller
from dbt_kinds.prove.new_model import StoppedError
from dbt_kinds.prove.old_model import OldFailedError
from dbt_kinds.prove.preparation import prepared
from dbt_kinds.prove.trial import Trial
from dbt_kinds.prove.verdict import NotTriedError, Table, Verdict
from dbt_kinds.readers.dbt.project import DbtProject

# so many smaller histories are played to shorten one
_SHRINKS = 80
# after so many histories in which the old model fails there are others
_MOST_FAILURES = 4
_TOO_LARGE = "it takes more memory than a proof may have"
# of processor time that one model is played
_MOST_SECONDS = 60


def prove(
    result: Result, project: DbtProject, options: MigrateOptions, parents: Parents, runs: int, seed: int
) -> Verdict:
    """Plays a conversion over random histories until so many runs were played, or until the tables differ.

    Args:
        seed: the same seed plays the same histories.
    """
    rule = _rule(result)
    try:
        trial, conditions = prepared(project.models_by_name[result.name], result, project, options, parents)
        return replace(_tried(trial, conditions, result, runs, random.Random(f"{seed} {result.name}")), rule=rule)
    except NotTriedError as error:
        return Verdict("proved" if rule else "not tried", wanted=runs, rule=rule, reason=str(error))
    except (duckdb.Error, SqlglotError, RecursionError) as error:
        return Verdict(
            "proved" if rule else "not tried",
            wanted=runs,
            rule=rule,
            reason=f"DuckDB: {str(error).splitlines()[0][:200]}",
        )
    except MemoryError:
        return Verdict("not tried", wanted=runs, rule=rule, reason=_TOO_LARGE)
    except Exception as error:
        # one model must not end the others
        said = f"a fault of the proof, {type(error).__name__}: {' '.join(str(error).split())[:160]}"
        return Verdict("not tried", wanted=runs, rule=rule, reason=said)


def _rule(result: Result) -> str:
    """The rule that proves a conversion, in words; '' if none does."""
    if result.found.strategy == "microbatch":
        return "microbatch replaces intervals by their time, as the kind does"
    if result.kind == "full":
        return "each run replaces the whole table"
    return ""


def _tried(trial: Trial, conditions: Conditions, result: Result, runs: int, chance: random.Random) -> Verdict:
    notes = {note.code for note in result.notes}
    told: Counter[str] = Counter()
    played = stopped = failed = filled = 0
    last_stop, is_too_large = "", False
    began = process_time()
    most = max(runs // 2, 4 * _MOST_FAILURES)
    while played < runs and stopped + failed <= most and process_time() - began < _MOST_SECONDS:
        history = random_history(chance, conditions)
        try:
            found = trial.play(history)
        except OldFailedError:
            failed += 1
            if failed % _MOST_FAILURES == 0:
                conditions = conditions.gentler
            continue
        except duckdb.OutOfMemoryException:
            # rows with one key multiply in each join
            failed += _MOST_FAILURES
            is_too_large = True
            conditions = replace(conditions, doubles=False, recurs=False)
            continue
        except StoppedError as error:
            is_of_key = conditions.has_declared_key and "unique_key" in str(error)
            if not is_of_key and not notes & set(STOPPING):
                raise NotTriedError(f"a run of the kind stops: {error}"[:300]) from error
            stopped += 1
            last_stop = str(error)
            if stopped % _MOST_FAILURES == 0:
                conditions = conditions.gentler
            continue
        played += len(history.nights)
        filled += bool(found.old or found.new)
        if found.is_equal:
            continue
        if codes := found.is_told(notes):
            told.update(codes)
            continue
        smallest, found = _shrunk(trial, history, found, notes)
        return Verdict(
            "differs",
            played,
            runs,
            told=told,
            stopped=stopped,
            reason=_difference(found),
            tables=tuple(_tables(trial, smallest, found)),
        )
    if not played and is_too_large:
        raise NotTriedError(_TOO_LARGE)
    if not played:
        raise NotTriedError(
            f"every history stops: {last_stop}"[:300] if stopped else "the old model fails in every history"
        )
    # a query without a source has no other rows
    if not filled and trial.inputs.columns:
        raise NotTriedError("no row of the random sources gets through its filters")
    return Verdict("equal", min(played, runs), runs, told=told, stopped=stopped)


def _differs(trial: Trial, history: History, notes: set[str]) -> Comparison | None:
    try:
        found = trial.play(history)
    except (OldFailedError, StoppedError, duckdb.Error):
        return None
    if found.is_equal or found.is_told(notes):
        return None
    return found


def _shrunk(trial: Trial, history: History, found: Comparison, notes: set[str]) -> tuple[History, Comparison]:
    """The smallest history found that still differs."""
    tries = 0
    shrinks = True
    while shrinks and tries < _SHRINKS:
        shrinks = False
        for simpler in smaller(history):
            tries += 1
            still = _differs(trial, simpler, notes)
            if still is not None:
                history, found, shrinks = simpler, still, True
                break
            if tries >= _SHRINKS:
                break
    return history, found


def _difference(found: Comparison) -> str:
    before, now = (found.old - found.new).total(), (found.new - found.old).total()
    better = ", and a first load returns what is there now: no note says that" if found.is_complete else ""
    return f"{before} rows only before, {now} only now{better}"


def _tables(trial: Trial, history: History, found: Comparison) -> list[Table]:
    nights = tuple(
        (f"{history.at(night.minute):%Y-%m-%d %H:%M}", "--full-refresh" if night.full_refresh else "")
        for night in history.nights
    )
    return [*trial.inputs.told(history), Table("runs", ("at", ""), nights), *found.tables()]
