"""Models whose filters select a range of time, which are replaced by the window."""

from __future__ import annotations

from sqlglot import exp

import dbt_kinds.errors as errors
from dbt_kinds.errors import (
    ArrivalWithoutKey,
    TimeColumnUnclear,
    UnboundPartition,
    UnknownColumnType,
    UnreadableBlock,
)
from dbt_kinds.migrate.column_types import suffix_of, suffix_of_type, unknown_type
from dbt_kinds.migrate.conversion import Conversion, MigrateOptions
from dbt_kinds.migrate.current_time import Windows, check_current_time
from dbt_kinds.migrate.durations import holds_whole
from dbt_kinds.migrate.edits import filter_edits, removal
from dbt_kinds.migrate.kind_choice import APPENDING, choose_kind, is_arriving_by, primary_of
from dbt_kinds.migrate.meaning import Meaning, meaning_of
from dbt_kinds.migrate.reading import Reading, check_every_branch
from dbt_kinds.migrate.row_keys import row_key_notes
from dbt_kinds.migrate.settings import Settings, check_range
from dbt_kinds.migrate.trace import (
    Trace,
    equated,
    find_marker,
    is_hashed_of_time,
    is_plain_condition,
    joined_select,
    trace,
)
from dbt_kinds.migrate.variables import check_unread, check_variables, with_partners
from dbt_kinds.migrate.when import check_wholes, lookback, notes_of, unit_of_cron, unit_of_model, when_options
from dbt_kinds.migrate.whole_reads import inserted_only
from dbt_kinds.readers.dbt.project import DbtProject


def by_windows(reading: Reading, settings: Settings, project: DbtProject, options: MigrateOptions) -> Conversion:
    """The kind of a model with filters, and their edits.

    Raises:
        Left: it is uncertain which rows a filter selects for a window.
    """
    meanings = [meaning_of(found, reading.names, options) for found in reading.filters]
    if not meanings or any(bound.base == "variable" for meaning in meanings for bound in meaning.lower):
        meanings += [meaning_of(found, reading.names, options, may_be_upper=True) for found in reading.outside]
        reading.patterns += ["outside_block"] if reading.outside else []
    if not reading.filters:
        check_unread(reading, settings)
    if not any(meaning.lower or meaning.keys for meaning in meanings):
        raise UnboundPartition("variables bound only the end of what is read", line=meanings[0].filter.line)
    reading.patterns += [pattern for meaning in meanings for pattern in meaning.patterns]
    if any(meaning.keys for meaning in meanings):
        return inserted_only(reading, settings, meanings, options)
    check_variables(reading, meanings)
    if reading.problem is not None:
        raise reading.problem
    results = [_by_tree(reading, tree, settings, meanings, project, options) for tree in reading.trees]
    if any(result.options != results[0].options or result.kind != results[0].kind for result in results):
        raise TimeColumnUnclear(
            "a condition that only a run can decide changes what is loaded", line=meanings[0].filter.line
        )
    return results[0]


def _is_joined(tree: exp.Query, meaning: Meaning) -> bool:
    marker = find_marker(tree, meaning.filter.marker)
    return marker is None or is_plain_condition(marker) is None


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
    meanings = with_partners(tree, meanings)
    traces: list[Trace] = []
    selects: list[exp.Select] = []
    covered: set[int] = set()
    # those in the ON of a join come last: they depend on the results of the others
    meanings = sorted(meanings, key=lambda meaning: _is_joined(tree, meaning))
    for meaning in meanings:
        marker = find_marker(tree, meaning.filter.marker)
        select = is_plain_condition(marker) if marker is not None else None
        assert meaning.expression is not None
        if select is not None:
            followed = trace(tree, select, meaning.expression)
        else:
            known = {place: found for earlier in traces for place, found in earlier.known.items()}
            select = joined_select(marker, meaning.expression, known) if marker is not None else None
            followed = Trace(secondary=True)
        if select is None:
            raise UnreadableBlock("the filter is no condition that all rows must meet", line=meaning.filter.line)
        selects.append(select)
        traces.append(followed)
        covered |= followed.covered
    check_every_branch(tree, covered, line)
    for followed, meaning in zip(traces, meanings, strict=True):
        for code, sentence in followed.problems:
            raise getattr(errors, code)(sentence, line=meaning.filter.line)
        if not followed.roots and not followed.secondary:
            raise TimeColumnUnclear("the filtered rows cannot be followed to the output", line=meaning.filter.line)
    primary = primary_of(traces, meanings)
    is_arriving = is_arriving_by(meanings, options)
    kind, column = choose_kind(
        settings,
        traces,
        meanings,
        primary,
        is_arriving=is_arriving,
        is_determined=len(settings.unique_key) == 1
        and is_hashed_of_time(tree, traces[primary], settings.unique_key[0].lower()),
    )
    unit = unit_of_model(column, traces, primary, meanings, options)
    suffixes = [_suffix(reading, meaning, select, project) for meaning, select in zip(meanings, selects, strict=True)]
    if (
        holds_whole("day", unit)
        and unit != "day"
        and (suffixes[primary] in ("date", "ds") or (column and column.lower() in settings.partition_columns))
    ):
        unit = "day"
    check_wholes(unit, column, traces, primary, options, line)
    found = Conversion(kind)
    if kind == "incremental_by_time_range":
        assert column is not None
        check_range(settings, column, options)
        found.options["time_column"] = column
    elif kind == "incremental_by_unique_key":
        found.options["unique_key"] = list(settings.unique_key)
        found.notes += row_key_notes(reading, settings, options)
    found.options |= when_options(meanings, selects, options)
    if unit != unit_of_cron(options):
        found.options["interval_unit"] = unit
        if unit == "hour" and not options.cron:
            # by default an hour would wait for midnight
            found.options["cron"] = "@hourly"
    looked_back = max(lookback(meaning, unit) for meaning in meanings)
    if looked_back and kind == APPENDING:
        raise ArrivalWithoutKey(
            f"{meanings[0].written} says when rows arrived, and rows are read again without a key to tell them "
            "by; set unique_key, or say "
            f"--event {meanings[0].written} where it says when they happened",
            line=line,
        )
    if looked_back:
        found.options["lookback"] = looked_back
    windows = Windows(unit, looked_back if column is not None else 0, reading.names, options.dialect)
    for meaning, followed, select, suffix in zip(meanings, traces, selects, suffixes, strict=True):
        found.notes += check_current_time(meaning, followed, select, suffix, windows)
    found.notes += notes_of(found, settings, meanings, options, column)
    for meaning, suffix in zip(meanings, suffixes, strict=True):
        predicate = (
            f"{meaning.written} between {{{{ dbt_kinds.start_{suffix}() }}}} and {{{{ dbt_kinds.end_{suffix}() }}}}"
        )
        found.edits += filter_edits(text, meaning.filter, predicate, meaning.replaced, meaning.dropped)
    for meaning in ends:
        found.edits += filter_edits(text, meaning.filter, "true", [], meaning.replaced)
    found.edits += [removal(text, setup.start, setup.end) for setup in reading.setups]
    return found


def _suffix(reading: Reading, meaning: Meaning, select: exp.Select, project: DbtProject) -> str:
    assert meaning.expression is not None
    written, line = meaning.written, meaning.filter.line
    types: list[str] = []

    def declared(table: str, column: str) -> str | None:
        relation = reading.names.relations.get(table)
        if relation is None:
            return None
        if relation[0] == "ref":
            known = project.model_properties.get(relation[-1])
        else:
            known = project.source_types.get((relation[1], relation[-1]))
        told = known.types.get(column) if known is not None else None
        types.extend([told] if told is not None else [])
        return told

    suffix = suffix_of(meaning.expression, select, declared, against_date=meaning.against_date)
    if suffix is None and isinstance(meaning.expression, exp.Column):
        name = meaning.expression.name.lower()
        own = reading.model.properties.types.get(name)
        suffix = suffix_of_type(own, name) if own is not None else None
        types.extend([own] if own is not None else [])
    if suffix is None:
        # the expression it is joined with has the same type
        told = (suffix_of(other, select, declared, against_date=False) for other in equated(select, meaning.expression))
        suffix = next((found for found in told if found is not None), None)
    if suffix is not None:
        return suffix
    if not isinstance(meaning.expression, exp.Column):
        raise UnknownColumnType(
            f"nothing says whether {written} is a date or a timestamp; cast it to one of them, or filter the column "
            "that it is made of",
            line=line,
        )
    raise UnknownColumnType(unknown_type(written, next(iter(types), None)), line=line)
