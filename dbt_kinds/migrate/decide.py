"""Which kind says what a model's hand-written loading says; everything that is not certain is left, with the reason."""

from __future__ import annotations

import re
from typing import Any

from sqlglot import exp

import dbt_kinds.errors as errors
from dbt_kinds.errors import (
    AmbiguousTimeColumn,
    AppendsWindows,
    ArrivalWithoutKey,
    BoundOfAnotherColumn,
    ComputedConfig,
    ConfigElsewhere,
    CustomStrategy,
    FileTable,
    FilterNotOnPartition,
    FiltersDisagree,
    FolderDefault,
    FullReads,
    InsertOnly,
    KeptAsTest,
    LookbackFromVariable,
    MacroFilter,
    NoStart,
    NoWindow,
    OncePerInterval,
    ReplacesWholeTable,
    TimeColumnUnclear,
    UnboundPartition,
    UnknownColumnType,
    UnreadableBlock,
    VariableUsedElsewhere,
    WindowOverRuns,
)
from dbt_kinds.migrate.arrival import is_arrival
from dbt_kinds.migrate.column_types import suffix_of
from dbt_kinds.migrate.conversion import Conversion, Found, MigrateOptions
from dbt_kinds.migrate.durations import UNITS, Duration, coarser, intervals_back
from dbt_kinds.migrate.edits import block_removal, filter_edits, removal
from dbt_kinds.migrate.filters import Filter
from dbt_kinds.migrate.meaning import Meaning, meaning_of
from dbt_kinds.migrate.outside import VAR_CALL
from dbt_kinds.migrate.reading import Reading, check_every_branch, unknown_calls
from dbt_kinds.migrate.settings import Settings, check_range
from dbt_kinds.migrate.trace import Trace, conjuncts, find_marker, is_plain_condition, same, trace
from dbt_kinds.readers.dbt.calls import COMPUTED
from dbt_kinds.readers.dbt.project import DbtProject
from dbt_kinds.readers.dbt.tags import line_of, tags

# what `append` of the specification is called by this version of the package
APPENDING = "incremental_unmanaged"
_CRON_UNITS = {
    "@yearly": "year",
    "@annually": "year",
    "@monthly": "month",
    "@weekly": "week",
    "@daily": "day",
    "@midnight": "day",
    "@hourly": "hour",
}
_FILE_FORMATS_BY_RANGE = frozenset({"iceberg", "delta"})
_BOUND_VARIABLE = re.compile(
    r"start|end|from|to$|date|day|since|until|begin|_ds$|^ds$|month|hour|time|interval", re.IGNORECASE
)


def decide(reading: Reading, settings: Settings, project: DbtProject, options: MigrateOptions) -> Conversion:
    """The kind of a model.

    Raises:
        Left: it is not certain that a kind says the same.
    """
    if reading.filters or _is_bounded_outside(reading):
        found = _with_filters(reading, settings, project, options)
    else:
        found = _without(reading, settings, project, options)
    _carry_over(found, reading, settings)
    return found


def found_of(reading: Reading | None, settings: Settings | None) -> Found:
    """How the model was loaded, for the report."""
    if settings is None:
        return Found()
    patterns = tuple(dict.fromkeys(reading.patterns)) if reading is not None else ()
    return Found(settings.strategy, settings.unique_key, patterns)


def _is_bounded_outside(reading: Reading) -> bool:
    names = {name for found in reading.outside for name in _names_in(reading, found)}
    return any(_BOUND_VARIABLE.search(name) for name in names)


def _names_in(reading: Reading, found: Filter) -> set[str]:
    text = reading.model.text
    return {
        name for comparison in found.comparisons for name in VAR_CALL.findall(text[comparison.start : comparison.end])
    }


# --- models without a block


def _without(reading: Reading, settings: Settings, project: DbtProject, options: MigrateOptions) -> Conversion:
    text = reading.model.text
    reading.patterns.append("no_block")
    for name, line in unknown_calls(text, project):
        raise MacroFilter(f"{name} is a macro that is not in the project; it may decide what is loaded", line=line)
    for tag in tags(text):
        for name in VAR_CALL.findall(tag.code) if tag.kind != "comment" else ():
            if _BOUND_VARIABLE.search(name):
                raise UnboundPartition(
                    f"the variable {name} decides what is read, outside of a block; write the bounds with "
                    "start_date() and end_date()",
                    line=line_of(text, tag.start),
                )
    for tree in reading.trees:
        _check_no_now(tree, settings)
    if settings.strategy == "insert_overwrite":
        if settings.partition_by:
            note = OncePerInterval(
                "a run replaces the partitions of what the query returns once an interval has passed"
            )
            return Conversion("incremental_by_partition", notes=[note, *_no_start(options)], options=_start(options))
        if options.adapter not in (None, "spark", "databricks"):
            raise UnboundPartition("insert_overwrite has no partition_by", line=settings.line)
        return Conversion(
            "full",
            notes=[
                ReplacesWholeTable(
                    "insert_overwrite without partition_by replaces the whole table on each run; full says that"
                )
            ],
        )
    if settings.unique_key:
        if settings.strategy == "append":
            raise UnreadableBlock(
                "append ignores the unique_key that is set; write which of the two is meant", line=settings.line
            )
        if (
            settings.strategy == "delete+insert"
            and set(map(str.lower, settings.unique_key)) <= settings.partition_columns
        ):
            return Conversion("incremental_by_partition", notes=_no_start(options), options=_start(options))
        whole = NoWindow(
            "every run reads everything and merges it, as before; a filter between start_*() and end_*() "
            "would read less"
        )
        return Conversion(
            "incremental_by_unique_key",
            {"unique_key": list(settings.unique_key)} | _start(options),
            notes=[whole, *_no_start(options)],
        )
    appended = NoWindow("every run appends everything that the query returns, as before, once an interval has passed")
    return Conversion("incremental_unmanaged", _start(options), notes=[appended, *_no_start(options)])


def _check_no_now(tree: exp.Expr, settings: Settings) -> None:
    """What is appended by the clock depends on when runs take place."""
    if settings.unique_key or settings.strategy == "insert_overwrite":
        return
    for now in tree.find_all(exp.CurrentDate, exp.CurrentTimestamp, exp.CurrentDatetime):
        if now.find_ancestor(exp.Where) is not None:
            raise UnreadableBlock(
                "rows are appended by what now is, without a block; write the filter between start_*() and end_*()",
                line=settings.line,
            )


# --- models with filters


def _with_filters(reading: Reading, settings: Settings, project: DbtProject, options: MigrateOptions) -> Conversion:
    meanings = [meaning_of(found, reading.names, options) for found in reading.filters]
    if not meanings or any(bound.base == "variable" for meaning in meanings for bound in meaning.lower):
        meanings += [meaning_of(found, reading.names, options, may_be_upper=True) for found in reading.outside]
        reading.patterns += ["outside_block"] if reading.outside else []
    if not reading.filters:
        _check_unread(reading, settings)
    if not any(meaning.lower or meaning.keys for meaning in meanings):
        raise UnboundPartition("variables bound only the end of what is read", line=meanings[0].filter.line)
    reading.patterns += [pattern for meaning in meanings for pattern in meaning.patterns]
    if any(meaning.keys for meaning in meanings):
        return _anti_joined(reading, settings, meanings, options)
    _check_variables(reading, meanings)
    if reading.problem is not None:
        raise reading.problem
    results = [_by_tree(reading, tree, settings, meanings, project, options) for tree in reading.trees]
    if any(result.options != results[0].options or result.kind != results[0].kind for result in results):
        raise TimeColumnUnclear(
            "a condition that only a run can decide changes what is loaded", line=meanings[0].filter.line
        )
    return results[0]


def _check_unread(reading: Reading, settings: Settings) -> None:
    """Where variables alone bound the load, every one of them has to be understood."""
    for tag in reading.unread:
        for name in VAR_CALL.findall(tag.code):
            if _BOUND_VARIABLE.search(name):
                raise UnboundPartition(
                    f"the variable {name} decides what is read or written, outside of a condition; write it "
                    "with start_date() and end_date()",
                    line=line_of(reading.model.text, tag.start),
                )


def _with_partners(tree: exp.Query, meanings: list[Meaning]) -> list[Meaning]:
    """Upper bounds outside a block join the filter of the same WHERE and column.

    What remains has a lower bound each.
    """
    whole = [meaning for meaning in meanings if meaning.lower]
    for other in (meaning for meaning in meanings if not meaning.lower):
        select = _select_of(tree, other)
        partner = next((one for one in whole if _select_of(tree, one) is select and select is not None), None)
        assert other.expression is not None
        if partner is None or partner.expression is None or not same(partner.expression, other.expression):
            raise VariableUsedElsewhere(
                f"a variable bounds {other.written} here, where no filter bounds its beginning; replace it by "
                "a time variable by hand",
                line=other.filter.line,
            )
    return whole


def _select_of(tree: exp.Query, meaning: Meaning) -> exp.Select | None:
    marker = find_marker(tree, meaning.filter.marker)
    return is_plain_condition(marker) if marker is not None else None


def _by_tree(
    reading: Reading,
    tree: exp.Query,
    settings: Settings,
    meanings: list[Meaning],
    project: DbtProject,
    options: MigrateOptions,
) -> Conversion:
    text, line = reading.model.text, meanings[0].filter.line
    ends = [meaning for meaning in meanings if not meaning.lower]
    meanings = _with_partners(tree, meanings)
    traces: list[Trace] = []
    selects: list[exp.Select] = []
    covered: set[int] = set()
    for meaning in meanings:
        marker = find_marker(tree, meaning.filter.marker)
        select = is_plain_condition(marker) if marker is not None else None
        assert meaning.expression is not None
        if select is None:
            raise UnreadableBlock("the filter is no condition that all rows must meet", line=meaning.filter.line)
        followed = trace(tree, select, meaning.expression)
        selects.append(select)
        traces.append(followed)
        covered |= followed.covered
    check_every_branch(tree, covered, line)
    for followed, meaning in zip(traces, meanings, strict=True):
        for code, sentence in followed.problems:
            raise getattr(errors, code)(sentence, line=meaning.filter.line)
        if not followed.roots and not followed.secondary:
            raise TimeColumnUnclear("the filtered rows cannot be followed to the output", line=meaning.filter.line)
    primary = _primary(traces, meanings)
    is_arriving = _is_arriving(meanings, options)
    kind, column = _kind(settings, traces, meanings, primary, is_arriving=is_arriving)
    unit, is_explicit = _unit(kind, column, traces[primary], meanings, options)
    suffixes = [_suffix(reading, meaning, select, project) for meaning, select in zip(meanings, selects, strict=True)]
    if unit == "hour" and (
        suffixes[primary] in ("date", "ds") or (column and column.lower() in settings.partition_columns)
    ):
        unit, is_explicit = "day", False
    found = Conversion(kind)
    if kind == "incremental_by_time_range":
        assert column is not None
        check_range(settings, column, options)
        found.options["time_column"] = column
    elif kind == "incremental_by_unique_key":
        found.options["unique_key"] = list(settings.unique_key)
    found.options |= _when(meanings, selects, options)
    if is_explicit and unit != "day":
        found.options["interval_unit"] = unit
        if unit == "hour" and not options.cron:
            # by default an hour would wait for midnight
            found.options["cron"] = "@hourly"
        if unit == "week" and options.dialect == "bigquery":
            found.options["week_start"] = "sunday"
    lookback = max(_lookback(meaning, unit) for meaning in meanings)
    if lookback and kind == APPENDING:
        raise ArrivalWithoutKey(
            f"{meanings[0].written} says when rows arrived, and rows are read again without a key to tell them "
            "by; set unique_key, or say "
            f"--event {meanings[0].written} where it says when they happened",
            line=line,
        )
    if lookback:
        found.options["lookback"] = lookback
    found.notes += _notes(found, settings, meanings, options, column)
    for meaning, suffix in zip(meanings, suffixes, strict=True):
        predicate = (
            f"{meaning.written} between {{{{ dbt_kinds.start_{suffix}() }}}} and {{{{ dbt_kinds.end_{suffix}() }}}}"
        )
        found.edits += filter_edits(text, meaning.filter, predicate, meaning.replaced, meaning.dropped)
    for meaning in ends:
        found.edits += filter_edits(text, meaning.filter, "true", [], meaning.replaced)
    found.edits += [removal(text, setup.start, setup.end) for setup in reading.setups]
    return found


def _primary(traces: list[Trace], meanings: list[Meaning]) -> int:
    """The filter whose column is the output's; the others have to be on the same column, or joined on it."""
    shown = [at for at, followed in enumerate(traces) if followed.roots and followed.outputs]
    first = shown[0] if shown else next((at for at, followed in enumerate(traces) if followed.roots), 0)
    for at, followed in enumerate(traces):
        if at == first or followed.secondary:
            continue
        if not set(followed.outputs) & set(traces[first].outputs):
            raise FiltersDisagree(
                f"the filters are on {meanings[first].written} and {meanings[at].written}, and only one of "
                "them reaches the output",
                line=meanings[at].filter.line,
            )
    bases = {bound.base for meaning in meanings for bound in meaning.lower}
    if len(bases) > 1 and "variable" in bases:
        raise FiltersDisagree(
            "variables bound one filter and the table or the clock another", line=meanings[first].filter.line
        )
    return first


def _is_arriving(meanings: list[Meaning], options: MigrateOptions) -> bool:
    said = []
    for meaning in meanings:
        assert meaning.expression is not None
        names = [column.name for column in meaning.expression.find_all(exp.Column)]
        names += [bound.column for bound in meaning.lower if bound.column is not None]
        said.append(any(is_arrival(name, options.arrival, options.event) for name in names))
    if len(set(said)) > 1:
        line = meanings[said.index(True)].filter.line
        arrival, event = meanings[said.index(True)].written, meanings[said.index(False)].written
        raise AmbiguousTimeColumn(
            f"one filter is on {event}, when a row happened, and one on {arrival}, when it arrived; say "
            "--event or --arrival of one of them",
            line=line,
        )
    return said[0]


def _kind(
    settings: Settings, traces: list[Trace], meanings: list[Meaning], primary: int, *, is_arriving: bool
) -> tuple[str, str | None]:
    line = meanings[primary].filter.line
    column = _time_column(traces, meanings, primary, settings)
    key = {name.lower() for name in settings.unique_key}
    for followed in traces:
        for dedupe in followed.dedupes:
            if dedupe.columns != key:
                raise WindowOverRuns(
                    "rows are numbered within a key that is not the model's unique_key, across intervals", line=line
                )
    is_deduped = any(followed.dedupes for followed in traces)
    if settings.strategy == "insert_overwrite":
        if not settings.partition_by:
            raise UnboundPartition(
                "insert_overwrite without partition_by replaces the whole table by the filtered rows", line=line
            )
        if column is None or column.lower() not in settings.partition_columns or is_deduped:
            raise FilterNotOnPartition(
                f"partitions of {', '.join(settings.partition_by)} are replaced by rows filtered on "
                f"{meanings[primary].written}",
                line=line,
            )
        if len(settings.partition_columns) > 1:
            raise FilterNotOnPartition(
                "the table has partitions beside the filtered column, which stay when no row comes for them", line=line
            )
        return "incremental_by_time_range", column
    if settings.unique_key:
        if settings.strategy == "append":
            raise UnreadableBlock(
                "append ignores the unique_key that is set; write which of the two is meant", line=settings.line
            )
        narrowed = [
            name
            for name in ("incremental_predicates", "predicates", "merge_update_columns", "merge_exclude_columns")
            if settings.config.get(name)
        ]
        if narrowed and settings.strategy == "delete+insert":
            raise CustomStrategy(f"{narrowed[0]} narrows what delete+insert deletes", line=line)
        has_time = column is not None and column.lower() in key
        if has_time and not is_arriving and not narrowed and not is_deduped:
            return "incremental_by_time_range", column
        if settings.strategy == "delete+insert" and key <= settings.partition_columns:
            raise FilterNotOnPartition(
                f"rows of {', '.join(settings.unique_key)} are replaced by rows filtered on "
                f"{meanings[primary].written}",
                line=line,
            )
        return "incremental_by_unique_key", None
    if is_deduped:
        raise WindowOverRuns(
            "rows are numbered within a key, across intervals, and the model has no unique_key", line=line
        )
    if is_arriving:
        if any(bound.base == "now" for meaning in meanings for bound in meaning.lower):
            raise ArrivalWithoutKey(
                f"{meanings[primary].written} says when rows arrived, and without a key they are appended "
                "again and again; set unique_key, or say "
                f"--event {meanings[primary].written} where it says when they happened",
                line=line,
            )
        return APPENDING, None
    if column is None:
        raise TimeColumnUnclear(
            f"{meanings[primary].written} is not a column of the output, which a range is replaced by", line=line
        )
    return "incremental_by_time_range", column


def _time_column(traces: list[Trace], meanings: list[Meaning], primary: int, settings: Settings) -> str | None:
    """The output column that the filtered one becomes."""
    outputs = dict(traces[primary].outputs)
    for at, followed in enumerate(traces):
        if at != primary and not followed.secondary:
            outputs = {name: unit for name, unit in outputs.items() if name in followed.outputs}
    names = traces[primary].names
    for meaning in meanings:
        for bound in meaning.lower:
            if bound.base != "latest" or bound.column is None:
                continue
            if bound.column.lower() not in outputs:
                raise BoundOfAnotherColumn(
                    f"{meaning.written} is compared with the newest {bound.column}, and becomes "
                    f"{', '.join(names.get(name, name) for name in outputs) or 'no column of the output'}",
                    line=meaning.filter.line,
                )
    if not outputs:
        return None
    latest = {bound.column.lower() for meaning in meanings for bound in meaning.lower if bound.column is not None}
    key = {name.lower() for name in settings.unique_key}
    expression = meanings[primary].expression
    own = expression.name.lower() if isinstance(expression, exp.Column) else ""
    for wanted in (latest, key, settings.partition_columns, {own}):
        chosen = [name for name in outputs if name in wanted]
        if chosen:
            return names.get(chosen[0], chosen[0])
    exact = [name for name, unit in outputs.items() if unit is None] or list(outputs)
    return names.get(exact[0], exact[0])


def _unit(
    kind: str, column: str | None, followed: Trace, meanings: list[Meaning], options: MigrateOptions
) -> tuple[str, bool]:
    """The interval's unit, and whether the model names one."""
    unit: str | None = None
    if column is not None and kind == "incremental_by_time_range":
        unit = followed.outputs.get(column.lower())
    for meaning in meanings:
        for bound in meaning.lower:
            unit = coarser(unit, coarser(bound.truncated, bound.column_unit))
    if unit in UNITS and unit != "minute":
        assert unit is not None
        return unit, True
    cron = (options.cron or "@daily").lower()
    return _CRON_UNITS.get(cron, "day"), False


def _lookback(meaning: Meaning, unit: str) -> int:
    return max((intervals_back(_shift(bound), unit, bound.truncated) for bound in meaning.lower), default=0)


def _shift(bound: Any) -> Duration:
    shift: Duration = bound.shift
    return shift


def _suffix(reading: Reading, meaning: Meaning, select: exp.Select, project: DbtProject) -> str:
    assert meaning.expression is not None
    properties = reading.model.properties.types

    def declared(table: str, column: str) -> str | None:
        relation = reading.names.relations.get(table)
        if relation is None:
            return None
        if relation[0] == "ref":
            known = project.model_properties.get(relation[-1])
        else:
            known = project.source_types.get((relation[1], relation[-1]))
        return known.types.get(column) if known is not None else None

    suffix = suffix_of(meaning.expression, select, declared, against_date=meaning.against_date)
    if suffix is None and isinstance(meaning.expression, exp.Column):
        own = properties.get(meaning.expression.name.lower())
        from dbt_kinds.migrate.column_types import suffix_of_type

        suffix = suffix_of_type(own) if own is not None else None
    if suffix is None:
        raise UnknownColumnType(
            f"nothing says whether {meaning.written} is a date or a timestamp; declare its data_type in the "
            "properties of the table it comes from",
            line=meaning.filter.line,
        )
    return suffix


def _when(meanings: list[Meaning], selects: list[exp.Select], options: MigrateOptions) -> dict[str, Any]:
    """start and cron."""
    starts = {meaning.start for meaning in meanings if meaning.start is not None}
    if not starts:
        for meaning, select in zip(meanings, selects, strict=True):
            assert meaning.expression is not None
            starts |= _fixed_start(select, meaning.expression)
    if len(starts) > 1:
        raise FiltersDisagree(
            f"the first load begins at {' and at '.join(sorted(starts))}", line=meanings[0].filter.line
        )
    return {"start": starts.pop()} | _cron(options) if starts else _start(options)


def _fixed_start(select: exp.Select, expression: exp.Expr) -> set[str]:
    """The fixed time that a condition beside the filter begins at."""
    from dbt_kinds.migrate.bounds import read_bound
    from dbt_kinds.readers.dbt.rendering import Names

    for part in conjuncts(select.args["where"].this):
        if isinstance(part, exp.GTE) and same(part.this, expression):
            bound = read_bound(part.expression, Names(), "spark")
            if bound is not None and bound.base == "fixed" and bound.shift.is_zero and bound.variable is not None:
                return {bound.variable}
    return set()


def _start(options: MigrateOptions) -> dict[str, Any]:
    return ({"start": options.start} if options.start else {}) | _cron(options)


def _cron(options: MigrateOptions) -> dict[str, Any]:
    return {"cron": options.cron} if options.cron else {}


def _no_start(options: MigrateOptions) -> list[errors.MigrationNote]:
    if options.start:
        return []
    return [
        NoStart(
            "no start is known: adopt gives one where the table exists; else set the option start, or pass "
            "kinds_start and kinds_end once"
        )
    ]


def _notes(
    found: Conversion, settings: Settings, meanings: list[Meaning], options: MigrateOptions, column: str | None
) -> list[errors.MigrationNote]:
    notes: list[errors.MigrationNote] = []
    if "start" not in found.options:
        notes += _no_start(options)
    variables = {name for meaning in meanings for bound in meaning.lower for name in bound.default_variables}
    if variables:
        notes.append(
            LookbackFromVariable(f"the lookback is the default of {', '.join(sorted(variables))} in dbt_project.yml")
        )
    if found.kind == "incremental_by_time_range":
        if settings.unique_key:
            notes.append(
                KeptAsTest(f"a range is replaced as a whole; test that {', '.join(settings.unique_key)} is unique")
            )
        file_format = str(settings.config.get("file_format") or "parquet").lower()
        is_file = options.adapter in ("spark", "databricks") and file_format not in _FILE_FORMATS_BY_RANGE
        if is_file and column is not None and column.lower() not in settings.partition_columns:
            notes.append(
                FileTable(
                    f"an existing {file_format} table must be partitioned by {column} before a range of it can "
                    "be replaced"
                )
            )
    if found.kind == APPENDING:
        notes.append(
            AppendsWindows(
                f"rows that arrived in a window of {meanings[0].written} are appended once, when it is complete"
            )
        )
    return notes


def _check_variables(reading: Reading, meanings: list[Meaning]) -> None:
    """A variable that bounds the load has no other use."""
    text = reading.model.text
    bounding = {
        bound.variable
        for meaning in meanings
        for bound in (*meaning.lower, *meaning.upper)
        if bound.base == "variable" and bound.variable is not None
    }
    for tag in tags(text):
        if tag.kind == "comment" or not bounding & set(VAR_CALL.findall(tag.code)):
            continue
        if not any(_is_in(found, tag.start) for found in (*reading.filters, *reading.outside)):
            name = sorted(bounding & set(VAR_CALL.findall(tag.code)))[0]
            raise VariableUsedElsewhere(
                f"the variable {name} bounds the load and is used here, too; replace it by a time variable by hand",
                line=line_of(text, tag.start),
            )


def _is_in(found: Filter, at: int) -> bool:
    return found.block.start <= at < found.block.end or any(part.start <= at < part.end for part in found.comparisons)


def _anti_joined(reading: Reading, settings: Settings, meanings: list[Meaning], options: MigrateOptions) -> Conversion:
    """`key not in (select key from this)`: rows are only ever inserted."""
    meaning = meanings[0]
    if len(meanings) > 1 or meaning.expression is not None or meaning.filter.otherwise is not None:
        raise UnreadableBlock(
            "rows are found by their absence and by time; write one of the two", line=meaning.filter.line
        )
    if settings.strategy == "insert_overwrite":
        raise UnreadableBlock("partitions are replaced by the rows that are not there yet", line=meaning.filter.line)
    if settings.unique_key and {name.lower() for name in settings.unique_key} != {
        name.lower() for name in meaning.keys
    }:
        raise UnreadableBlock(
            f"new rows are told by {', '.join(meaning.keys)} and merged by {', '.join(settings.unique_key)}",
            line=meaning.filter.line,
        )
    if not options.accept_full_reads:
        raise FullReads(
            "new rows are found by their absence, so that each run reads the whole source; add a bound on "
            "time, or say --accept-full-reads",
            line=meaning.filter.line,
        )
    if reading.problem is not None:
        raise reading.problem
    for tree in reading.trees:
        marker = find_marker(tree, meaning.filter.marker)
        select = is_plain_condition(marker) if marker is not None else None
        if select is None:
            raise UnreadableBlock("the filter is no condition that all rows must meet", line=meaning.filter.line)
        followed = trace(tree, select, exp.column(meaning.keys[0]))
        for code, sentence in followed.problems:
            raise getattr(errors, code)(sentence, line=meaning.filter.line)
    text = reading.model.text
    return Conversion(
        "incremental_by_unique_key",
        {"unique_key": meaning.keys, "insert_only": True} | _start(options),
        edits=[block_removal(text, meaning.filter.block)],
        notes=[
            InsertOnly("rows are only ever inserted, as before: insert_only"),
            NoWindow("every run reads the whole source, as before"),
            *_no_start(options),
        ],
    )


# --- what a configuration says beside


def _carry_over(found: Conversion, reading: Reading, settings: Settings) -> None:
    """Arguments that moved into meta go; what they said is kept."""
    config, own = settings.config, reading.model.own_config
    found.removed.add("incremental_strategy")
    found.removed.add("unique_key")
    predicates = config.get("incremental_predicates") or config.get("predicates")
    if predicates:
        if predicates is COMPUTED or (isinstance(predicates, list) and COMPUTED in predicates):
            raise ComputedConfig("incremental_predicates is computed; write it out", line=settings.line)
        if found.kind == "incremental_by_unique_key":
            texts = [predicates] if isinstance(predicates, str) else [str(text) for text in predicates]
            renamed = [_renamed(text) for text in texts]
            found.options["merge_filter"] = (
                renamed[0] if len(renamed) == 1 else " and ".join(f"({text})" for text in renamed)
            )
            found.removed |= {"incremental_predicates", "predicates"}
    if config.get("full_refresh") is False and found.kind in ("incremental_by_unique_key", "incremental_unmanaged"):
        found.options["disable_restatement"] = True
    if found.kind != "incremental_by_unique_key" and config.get("unique_key") and "unique_key" not in own:
        raise ConfigElsewhere(
            "unique_key stands in YAML, where a model of this kind must not have one; take it out there", line=1
        )
    if "materialized" not in own:
        found.notes.append(
            FolderDefault("the materialization comes from YAML, which was left; the file's own config() overrides it")
        )
    found.removed &= set(own)


def _renamed(predicate: str) -> str:
    return re.sub(
        r"(?i)\bDBT_INTERNAL_(DEST|SOURCE)\b",
        lambda name: "target" if name[1].upper() == "DEST" else "source",
        predicate,
    )


def blocks_left(text: str) -> bool:
    """Whether is_incremental() is still asked."""
    return any("is_incremental" in tag.code for tag in tags(text) if tag.kind != "comment")
