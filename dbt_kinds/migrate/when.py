"""When a model begins and is due, with notes on both."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sqlglot import exp

import dbt_kinds.errors as errors
from dbt_kinds.analysis.tree import conjuncts
from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left, MigrationNote
from dbt_kinds.intervals.crons import settings_unit
from dbt_kinds.migrate.bounds import Bound, truncation
from dbt_kinds.migrate.conversion import Conversion, MigrateOptions
from dbt_kinds.migrate.durations import UNITS, coarser, holds_whole
from dbt_kinds.migrate.kind_choice import APPENDING
from dbt_kinds.migrate.known_times import known_from, same
from dbt_kinds.migrate.meaning import Meaning
from dbt_kinds.migrate.settings import SPARK_ADAPTERS, Settings
from dbt_kinds.migrate.trace import Trace
from dbt_kinds.writers.jinja import Expression

_FILE_FORMATS_BY_RANGE = frozenset({"iceberg", "delta"})


def start_options(options: MigrateOptions) -> dict[str, Any]:
    """The options start and cron, as far as given on the command line."""
    return ({"start": options.start} if options.start else {}) | _cron(options)


def _cron(options: MigrateOptions) -> dict[str, Any]:
    return {"cron": options.cron} if options.cron else {}


def no_start(options: MigrateOptions) -> list[errors.MigrationNote]:
    """The note that no start is known; None if the command gives one."""
    if options.start:
        return []
    return [
        MigrationNote(
            MigrateCode.NoStart,
            "no start is known: adopt gives one where the table exists; else set the option start, or pass "
            "kinds_start and kinds_end once. A --full-refresh rebuilds from there",
        )
    ]


def when_options(
    text: str, meanings: list[Meaning], selects: list[exp.Select], traces: list[Trace], options: MigrateOptions
) -> dict[str, Any]:
    """The options start and cron.

    Args:
        text: that of the model, which calls the variables.
    """
    starts = {meaning.start for meaning in meanings if meaning.start is not None}
    starts |= {_call_of(text, meaning) for meaning in meanings if meaning.start_variable is not None}
    if not starts:
        found = [
            _fixed_start(select, meaning.expression)
            for meaning, select, followed in zip(meanings, selects, traces, strict=True)
            if meaning.expression is not None and not (followed.secondary or meaning.prunes)
        ]
        # a part of a union that begins nowhere has rows before the others
        starts = {min(start for start in found if start is not None)} if found and None not in found else set()
    if len(starts) > 1:
        raise Left(
            MigrateCode.FiltersDisagree,
            f"the first load begins at {' and at '.join(sorted(starts))}",
            line=meanings[0].filter.line,
        )
    return {"start": starts.pop()} | _cron(options) if starts else start_options(options)


def _call_of(text: str, meaning: Meaning) -> Expression:
    """The call of the variable at which the first load begins.

    Raises:
        Left (ElseBranchDiffers): the filter itself does not call it.
    """
    start, end = meaning.filter.body
    found = re.search(rf"""var\(\s*['"]{re.escape(str(meaning.start_variable))}['"]\s*\)""", text[start:end])
    if found is None:
        raise Left(
            MigrateCode.ElseBranchDiffers,
            f"the first load begins at {meaning.start_variable}, which the filter does not call; write it out",
            line=meaning.filter.line,
        )
    return Expression(found[0])


def _fixed_start(select: exp.Select, expression: exp.Expr) -> str | None:
    """The fixed start time in a condition beside the filter."""
    from dbt_kinds.migrate.bounds import read_bound
    from dbt_kinds.readers.dbt.rendering import Names

    for part in conjuncts(select.args.get("where")):
        if isinstance(part, exp.GTE) and same(part.this, expression):
            bound = read_bound(part.expression, Names(), "spark")
            if bound is not None and bound.base == "fixed" and bound.shift.is_zero and bound.variable is not None:
                return bound.variable
    return None


def unit_of_cron(options: MigrateOptions) -> str:
    """The unit that follows from the command's cron, or from its absence."""
    return settings_unit(cron=options.cron).name


def unit_of_model(
    column: str | None, traces: list[Trace], primary: int, meanings: list[Meaning], options: MigrateOptions
) -> str:
    """The interval's unit: what the model truncates its times to, else that of the cron.

    Args:
        column: the time column, if the kind has one.
    """
    outputs = traces[primary].outputs
    unit = outputs.get(column.lower()) if column is not None else None
    for meaning in meanings:
        for bound in meaning.lower:
            # the newest of a column that was truncated is truncated
            newest = outputs.get(bound.column.lower()) if bound.column is not None else None
            unit = coarser(coarser(unit, newest), coarser(bound.truncated, bound.column_unit))
    if unit is not None and unit in UNITS and unit != "minute":
        return unit
    wholes = {whole for followed in traces for whole, _ in followed.wholes}
    units = [unit_of_cron(options), *(wholes & {"hour", "day"})]
    return max(units, key=UNITS.index)


def check_wholes(
    unit: str, column: str | None, traces: list[Trace], primary: int, options: MigrateOptions, line: int
) -> None:
    """Checks that what belongs together is in one interval.

    Raises:
        Left (AggregatesOverRuns): the filter may read a part of it, or weeks do not begin on Monday.
    """
    if unit == "week" and options.dialect == "tsql":
        raise Left(
            MigrateCode.AggregatesOverRuns,
            "the server's DATEFIRST says when a week begins, and an interval begins on Monday; write iso_week by hand "
            "with interval_unit: week",
            line=line,
        )
    wholes = [whole for followed in traces for whole in followed.wholes]
    stored = traces[primary].outputs.get(column.lower()) if column is not None else None
    if stored in UNITS:
        wholes.append((stored, f"{column} holds the beginning of a {stored} for all rows of a whole {stored}"))
    for whole, what in wholes:
        if not holds_whole(unit, whole):
            raise Left(
                MigrateCode.AggregatesOverRuns,
                f"{what}, and the filter may read a part of a {whole}: let its bound be the beginning of a {whole}",
                line=line,
            )


def unit_options(unit: str, meanings: list[Meaning], options: MigrateOptions) -> dict[str, Any]:
    """The options that say how long an interval is, and that one which is not over is loaded, too, where it was."""
    due = unit_of_cron(options)
    if unit == due:
        return {}
    found: dict[str, Any] = {"interval_unit": unit}
    if unit == "hour" and not options.cron:
        # by default an hour would wait for midnight
        return found | {"cron": "@hourly"}
    is_coarser = UNITS.index(unit) > UNITS.index(due)
    is_over = all(any(_ends_with_unit(bound, unit) for bound in meaning.upper) for meaning in meanings)
    is_of_variables = any(bound.base == "variable" for meaning in meanings for bound in meaning.lower)
    return found | ({"allow_partials": True} if is_coarser and not is_over and not is_of_variables else {})


def _ends_with_unit(bound: Bound, unit: str) -> bool:
    return bound.base == "now" and bound.truncated in UNITS and holds_whole(bound.truncated, unit)


def _is_earlier(bound: Bound, meaning: Meaning, traces: list[Trace]) -> bool:
    """Whether a bound lies before the newest row: it is shifted, or the beginning of the newest interval."""
    held = {bound.column_unit, *(followed.outputs.get((bound.column or "").lower()) for followed in traces)} - {None}
    is_of_whole = meaning.expression is not None and truncation(meaning.expression) is not None
    return not bound.shift.is_zero or (bound.base == "latest" and bool(held or bound.truncated) and not is_of_whole)


def _read_in_part(
    settings: Settings, meanings: list[Meaning], traces: list[Trace], column: str | None
) -> Iterator[MigrationNote]:
    """The note on rows that belong together, of which a run read those since its bound only."""
    for meaning, followed in zip(meanings, traces, strict=True):
        wholes = list(followed.wholes)
        stored = followed.outputs.get(column.lower()) if column is not None else None
        if settings.strategy == "insert_overwrite" and stored in UNITS:
            wholes.append((stored, f"a partition of {column} holds rows of a whole {stored}"))
        if meaning.expression is None or meaning.prunes:
            continue
        kept = settings.partition_unit if settings.strategy == "insert_overwrite" and stored is None else None
        for bound in meaning.lower:
            since = coarser(known_from(meaning.expression)[0][1], followed.outputs.get((bound.column or "").lower()))
            since = coarser(since, coarser(bound.truncated, bound.column_unit))
            since = coarser(since, "day") if bound.base == "variable" else since
            if kept in ("month", "year") and (since not in UNITS or not holds_whole(since, kept)):
                yield MigrationNote(
                    MigrateCode.ReadWhole,
                    f"a partition of {column} holds rows of a whole {kept}, and a run replaced it by those since its "
                    "bound; now those before it stay",
                )
                return
            for whole, what in wholes:
                if since not in UNITS or not holds_whole(since, whole):
                    yield MigrationNote(
                        MigrateCode.ReadWhole,
                        f"{what}, of which a run read those since its bound, and wrote what it made of them; now a "
                        f"whole {whole} is read",
                    )
                    return


def missed_runs() -> errors.MigrationNote:
    """The note on a model of which each run read what lies a fixed time before it."""
    return errors.MigrationNote(
        MigrateCode.MissedRuns,
        "a run read what lies a fixed time before it, and what no run came for in that time stayed missing; now the "
        "next run loads it",
    )


def notes_of(
    found: Conversion,
    settings: Settings,
    meanings: list[Meaning],
    ends: list[Meaning],
    traces: list[Trace],
    options: MigrateOptions,
    column: str | None,
    counted: set[str],
) -> list[errors.MigrationNote]:
    """Notes on a model that is loaded by windows.

    Args:
        counted: the variables that say how often a loop of the template runs.
    """
    notes: list[errors.MigrationNote] = []
    if "start" not in found.options:
        notes += no_start(options)
    recent = [meaning.recent for meaning in meanings if meaning.recent is not None]
    if recent:
        # a filter without a first load of its own
        reads_all = any(meaning.recent is None and meaning.filter.block.word == "if" for meaning in meanings)
        beside = ", and everything where another filter stands" if reads_all else ""
        notes.append(
            MigrationNote(
                MigrateCode.RecentStart,
                f"a first load and --full-refresh read `{recent[0]}`{beside}; set the option start to where they are "
                "to begin",
            )
        )
    elif any(meaning.filter.block.word != "outside" for meaning in meanings):
        notes.append(
            MigrationNote(
                MigrateCode.FirstLoad,
                "dbt's first load and --full-refresh read rows without a time, too, and those before start; "
                "a kind reads neither, and of an interval that is not over nothing, unless the filter has no end or "
                "allow_partials is set",
            )
        )
    variables = {name for meaning in meanings for bound in meaning.lower for name in bound.default_variables}
    if any(part.listed for meaning in meanings for part in meaning.filter.comparisons):
        # a loop writes the list of days
        variables |= counted
    if variables:
        notes.append(
            MigrationNote(
                MigrateCode.LookbackFromVariable,
                f"the lookback is the default of {', '.join(sorted(variables))} in dbt_project.yml",
            )
        )
    is_given = any(bound.base == "variable" for meaning in meanings for bound in meaning.lower)
    given = {bound.variable for meaning in (*meanings, *ends) for bound in (*meaning.lower, *meaning.upper)} - {None}
    if is_given:
        names = ", ".join(sorted(str(name) for name in given))
        zone = found.options.get("cron_tz", "UTC unless cron_tz says another zone")
        notes.append(
            MigrationNote(
                MigrateCode.WindowForVariables,
                f"the window takes the place of {names}: a run loads what is missing, by intervals of {zone}, and "
                "given to --vars it has no effect; to load a window again, pass kinds_start and kinds_end",
            )
        )
    others = [dedupe.by for followed in traces for dedupe in followed.dedupes if not dedupe.is_newest]
    if others:
        notes.append(
            MigrationNote(
                MigrateCode.NewestOfWindow,
                f"one row of a key is kept by {', '.join(dict.fromkeys(others))} among those of a window, as it was "
                "among those of a run; "
                f"where that order differs from {meanings[0].written}, a window with fewer runs or days may keep "
                "another",
            )
        )
    is_read_again = any(
        not meaning.is_strict or any(_is_earlier(bound, meaning, traces) for bound in meaning.lower)
        for meaning in meanings
    )
    # without a key, merge and delete+insert only insert
    is_appended = settings.strategy != "insert_overwrite" and not settings.unique_key
    if found.kind == "incremental_by_time_range" and is_appended and is_read_again and not is_given:
        notes.append(
            MigrationNote(
                MigrateCode.AppendedOnce,
                "what a run read again was appended again; now its range is replaced, and each row is there once",
            )
        )
    notes += [
        MigrationNote(
            MigrateCode.DaysBeside,
            f"{meaning.beside.written} decides what is in a window, and {meaning.written} is read from a day before it "
            "on: a row whose two times are further apart is left out, as it was by runs",
        )
        for meaning in meanings
        if meaning.beside is not None and not meaning.is_of_same_time
    ]
    late = [bound for meaning in meanings if meaning.is_one_interval for bound in meaning.lower]
    if any(not bound.shift.is_zero for bound in late):
        unit = late[0].truncated
        told = (
            f"a run read a day of {meanings[0].written} some days after it; now it is loaded once it is over, and read "
            "again until then"
        )
        if unit != "day":
            told = (
                f"each run read the {unit} before its own, late rows too; now a {unit} is loaded once it is over, and "
                f"once more with the {unit} after it"
            )
        notes.append(MigrationNote(MigrateCode.LoadedSooner, told))
    notes += _read_in_part(settings, meanings, traces, column)
    if found.kind == "incremental_by_time_range" and "batch_size" not in found.options:
        # one interval at a time was read of each input before, too
        notes += [
            MigrationNote(
                MigrateCode.PrunedInput,
                f"{meaning.written} is read from the beginning of the window on: a row of the window that needs an "
                "older one is left out, even if the first load had it; take the condition out where that happens",
            )
            for meaning in meanings
            if meaning.prunes and meaning.beside is None
        ]
    if any(meaning.waits_for_runs for meaning in meanings):
        notes.append(missed_runs())
    if found.kind == "incremental_by_time_range":
        if settings.strategy == "insert_overwrite":
            notes.append(
                MigrationNote(
                    MigrateCode.EmptiedRange,
                    "an interval of which the query has no rows any more is emptied, where its partition stayed",
                )
            )
        if settings.unique_key:
            notes.append(
                MigrationNote(
                    MigrateCode.KeptAsTest,
                    "a range is replaced as a whole, where delete+insert kept the rows of a key that came no more"
                    if settings.strategy == "delete+insert"
                    else f"a range is replaced as a whole; test that {', '.join(settings.unique_key)} is unique",
                )
            )
        native = "delta" if options.adapter == "databricks" else "parquet"
        file_format = str(settings.config.get("file_format") or native).lower()
        is_file = options.adapter in SPARK_ADAPTERS and file_format not in _FILE_FORMATS_BY_RANGE
        if is_file and column is not None and column.lower() not in settings.partition_columns:
            notes.append(
                MigrationNote(
                    MigrateCode.FileTable,
                    f"an existing {file_format} table must be partitioned by {column} before a range of it can "
                    "be replaced",
                )
            )
    if found.kind == APPENDING:
        notes.append(
            MigrationNote(
                MigrateCode.AppendsWindows,
                f"rows that arrived in a window of {meanings[0].written} are appended once, when it is complete; a "
                "row that the "
                "source shows only later is missed: set ready_until where that happens",
            )
        )
    return notes
