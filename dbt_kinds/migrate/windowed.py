"""Models whose filters select a range of time, which are replaced by the window."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

import dbt_kinds.errors as errors
from dbt_kinds.analysis.edits import Edit
from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left, MigrationNote, NoFilter
from dbt_kinds.migrate.column_types import suffix_of
from dbt_kinds.migrate.conversion import Conversion, MigrateOptions
from dbt_kinds.migrate.current_state import read_until_now
from dbt_kinds.migrate.current_time import Windows, check_current_time, cuts_future_only, ends_before_now
from dbt_kinds.migrate.cut_times import Cut, cut_of
from dbt_kinds.migrate.deleting_hooks import take_deletes
from dbt_kinds.migrate.durations import holds_whole
from dbt_kinds.migrate.edits import filter_edits, removal
from dbt_kinds.migrate.kind_choice import (
    BY_KEY,
    bounds_of,
    check_days_beside,
    choose_kind,
    ends_of,
    is_arriving_by,
    number_alone,
    primary_of,
)
from dbt_kinds.migrate.late_rows import set_lookback
from dbt_kinds.migrate.meaning import Meaning, are_of_one_day, meanings_of, reaches_as_far
from dbt_kinds.migrate.newest_of_part import check_newest_of_parts
from dbt_kinds.migrate.newest_partition import with_newest_partition
from dbt_kinds.migrate.periods import as_times, check_newest
from dbt_kinds.migrate.reading import Reading, check_every_branch
from dbt_kinds.migrate.row_keys import set_key
from dbt_kinds.migrate.settings import Settings, check_range
from dbt_kinds.migrate.stamps import changing_values, check_not_of_run, own_stamps
from dbt_kinds.migrate.trace import (
    Trace,
    find_markers,
    is_hashed_of_time,
    is_optional_side,
    is_plain_condition,
    joined_select,
    pruned_select,
    trace,
)
from dbt_kinds.migrate.variables import check_variables, fixed_starts, start_of_variables, unused_sets, with_partners
from dbt_kinds.migrate.when import (
    check_wholes,
    notes_of,
    unit_of_model,
    unit_options,
    when_options,
)
from dbt_kinds.migrate.whole_reads import absence_edits, absent_keys, inserted_only
from dbt_kinds.migrate.zones import set_zone

# dependencies on other intervals, which a model that reads one at a time cannot have
_ACROSS_INTERVALS = frozenset({MigrateCode.AggregatesOverRuns, MigrateCode.WindowOverRuns})


def by_windows(reading: Reading, settings: Settings, options: MigrateOptions) -> Conversion:
    """The kind of a model with filters, and their edits.

    Raises:
        Left: it is uncertain which rows a filter selects for a window.
    """
    meanings = [meaning for found in reading.filters for meaning in meanings_of(found, reading.names, options)]
    meanings = [with_newest_partition(meaning, settings) for meaning in meanings]
    beside = [
        meaning
        for found in reading.outside
        for meaning in meanings_of(found, reading.names, options, may_be_upper=True)
    ]
    reading.patterns += ["outside_block"] if beside else []
    if any(bound.base in ("latest", "now") for meaning in meanings for bound in meaning.lower):
        starts, beside = beside, []
    else:
        starts, beside = fixed_starts(reading, meanings, beside)
    meanings += beside
    for meaning in meanings:
        if meaning.leaves_out is not None:
            raise NoFilter(
                MigrateCode.UnreadableBlock,
                f"`>` leaves out the time that the variable {meaning.leaves_out} names, with which a window begins; "
                "write >=, or the bounds between start_*() and end_*()",
                line=meaning.filter.line,
            )
    if not any(meaning.lower or meaning.keys for meaning in meanings):
        names = dict.fromkeys(bound.variable for meaning in meanings for bound in meaning.upper if bound.variable)
        raise Left(
            MigrateCode.UnboundPartition,
            f"{', '.join(names) or 'the current time'} bounds the end of what is read, and nothing its beginning; "
            "write both with start_*() and end_*()",
            line=meanings[0].filter.line,
        )
    reading.patterns += [pattern for meaning in meanings for pattern in meaning.patterns]
    if not any(meaning.lower for meaning in meanings):
        return inserted_only(reading, settings, meanings, options)
    check_variables(reading, meanings)
    if reading.problem is not None:
        raise reading.problem
    started = [start_of_variables(reading, tree, meanings, starts) for tree in reading.trees]
    results = [_by_tree(reading, tree, settings, meanings, options) for tree in reading.trees]
    for result, start in zip(results, started, strict=True):
        if start is not None:
            result.options["start"] = start
            result.notes = [note for note in result.notes if note.code != "NoStart"]
    if any(result.options != results[0].options or result.kind != results[0].kind for result in results):
        raise Left(
            MigrateCode.TimeColumnUnclear,
            "a condition that only a run can decide changes what is loaded",
            line=meanings[0].filter.line,
        )
    return results[0]


def _by_tree(
    reading: Reading, tree: exp.Query, settings: Settings, meanings: list[Meaning], options: MigrateOptions
) -> Conversion:
    line = meanings[0].filter.line
    absences = [meaning for meaning in meanings if meaning.expression is None]
    keys = absent_keys(tree, meanings, settings)
    meanings = [meaning for meaning in meanings if meaning.expression is not None]
    ends = [meaning for meaning in meanings if not meaning.lower]
    meanings = with_partners(tree, meanings)
    settings = replace(settings, strategy="merge", unique_key=keys) if keys else settings
    placed = _placed(tree, meanings)
    placed = [
        (as_times(meaning, marker.find_ancestor(exp.Select), reading, options.dialect), marker)
        for meaning, marker in placed
    ]
    meanings = [meaning for meaning, _ in placed]
    is_alone = are_of_one_day(meanings)
    traces, selects = _traces(tree, placed, options.dialect)
    if not is_alone:
        _check_traces(tree, traces, meanings)
    check_newest_of_parts(tree, meanings, selects, traces, settings.unique_key, options.dialect)
    primary = primary_of(tree, traces, meanings, settings)
    check_newest(meanings, traces)
    stamps = own_stamps(reading, tree, meanings, traces, selects)
    kind, column = choose_kind(
        tree,
        settings,
        traces,
        meanings,
        primary,
        options,
        stamps,
        is_arriving=is_arriving_by(meanings, options),
        is_alone=is_alone,
        is_determined=len(settings.unique_key) == 1
        and is_hashed_of_time(tree, traces[primary], settings.unique_key[0].lower()),
    )
    if is_alone and column is not None:
        # the output is cut to the day
        _check_traces(tree, traces, meanings, allowed=_ACROSS_INTERVALS)
    found = Conversion(kind)
    if keys:
        found, column = Conversion(BY_KEY, {"insert_only": True}), None
        found.notes.append(MigrationNote(MigrateCode.InsertOnly, "rows are only ever inserted, as before: insert_only"))
        kind = BY_KEY
    suffixes = []
    dates = _dates(meanings, traces, settings)
    typed: list[Meaning] = []
    for meaning, followed, select in zip(meanings, traces, selects, strict=True):
        cut = cut_of(meaning, followed, options.dialect)
        suffix, notes = _suffix(reading, meaning, select, dates, cut)
        typed.append(cut.meaning if cut is not None and notes is cut.notes else meaning)
        suffixes.append(suffix)
        found.notes += notes
    is_cut = [meaning is not given for meaning, given in zip(typed, meanings, strict=True)]
    meanings = typed
    _check_numbers(meanings, suffixes)
    if column is not None and suffixes[primary] in ("epoch", "millis") and traces[primary].counts is None:
        raise number_alone(meanings[primary])
    check_days_beside(kind, meanings, suffixes)
    _check_ends(meanings, primary, suffixes)
    unit = unit_of_model(column, traces, primary, meanings, options)
    if (
        holds_whole("day", unit)
        and unit != "day"
        and (suffixes[primary] in ("date", "ds") or (column and column.lower() in settings.partition_columns))
    ):
        unit = "day"
    check_wholes(unit, column, traces, primary, options, line)
    if column is not None:
        check_range(settings, column, options)
        found.options["time_column"] = column
    elif kind == BY_KEY:
        set_key(found, reading, settings, options)
    found.options |= when_options(reading.model.text, meanings, selects, traces, options) | unit_options(
        unit, meanings, options
    )
    set_lookback(found, meanings, unit, stamps, changing_values(reading, tree))
    take_deletes(found, reading, settings, meanings, unit, options)
    if is_alone:
        # one at a time, as before: a day's rows depend on no other day
        found.options["batch_size"] = 1
    for meaning, select, suffix in zip(meanings, selects, suffixes, strict=True):
        set_zone(found, reading, meaning, select, unit, is_date=suffix in ("date", "ds"))
    looked_back = found.options.get("lookback", 0) if column is not None else 0
    deletes = bool(looked_back) and settings.strategy != "insert_overwrite"
    windows = Windows(unit, looked_back, deletes, reading.names, options.dialect)
    for meaning, followed, select, suffix, is_of_time in zip(meanings, traces, selects, suffixes, is_cut, strict=True):
        found.notes += check_current_time(meaning, followed, select, "dt" if is_of_time else suffix, windows)
    found.notes += notes_of(found, settings, meanings, ends, traces, options, column, reading.names.counted)
    is_open = kind == BY_KEY and _is_open(meanings, ends, suffixes)
    if not is_open:
        check_not_of_run(reading, meanings, selects)
    if kind == BY_KEY and not (is_open or keys or is_alone):
        read_until_now(found, reading, meanings, selects, unit)
    found.edits = _edits(reading, meanings, ends, suffixes, is_open=is_open)
    for meaning in absences:
        found.edits += absence_edits(reading.model.text, meaning)
    return found


def _placed(tree: exp.Query, meanings: list[Meaning]) -> list[tuple[Meaning, exp.Column]]:
    """The filters with the conditions that represent them: one in a loop stands for several."""
    placed = []
    for meaning in meanings:
        markers = find_markers(tree, meaning.filter.marker)
        if not markers:
            raise NoFilter(
                MigrateCode.UnreadableBlock,
                "the filter is in a part of the template that is not rendered here",
                line=meaning.filter.line,
            )
        placed += [(meaning, marker) for marker in markers]
    # those in the ON of a join come last: they depend on the results of the others
    return sorted(placed, key=lambda one: is_plain_condition(one[1]) is None)


def _check_traces(
    tree: exp.Query, traces: list[Trace], meanings: list[Meaning], allowed: frozenset[MigrateCode] = frozenset()
) -> None:
    """Checks that each output row depends on rows of one interval only.

    Args:
        allowed: the codes of problems that do not matter.
    """
    check_every_branch(tree, {level for followed in traces for level in followed.covered}, meanings[0].filter.line)
    for followed, meaning in zip(traces, meanings, strict=True):
        for code, sentence in followed.problems:
            if code not in allowed:
                raise Left(code, sentence, line=meaning.filter.line)
        alike = [one for one, other in zip(traces, meanings, strict=True) if bounds_of(other) == bounds_of(meaning)]
        for at, sides in followed.full.items():
            filtered = {mine for one in alike for mine, _ in one.full.get(at, ())}
            missing = {other for _, other in sides} - filtered
            if missing:
                raise Left(
                    MigrateCode.OuterJoinedInput,
                    f"a full join brings rows of {missing.pop()} beside the filtered ones; filter it by the same bound",
                    line=meaning.filter.line,
                )
        if not followed.roots and not followed.secondary:
            raise Left(
                MigrateCode.TimeColumnUnclear,
                "the filtered rows cannot be followed to the output",
                line=meaning.filter.line,
            )


def _traces(
    tree: exp.Query, placed: list[tuple[Meaning, exp.Column]], dialect: str
) -> tuple[list[Trace], list[exp.Select]]:
    """Where the filtered columns end up, and the selects that the filters are in."""
    traces: list[Trace] = []
    selects: list[exp.Select] = []
    for meaning, marker in placed:
        select = is_plain_condition(marker)
        assert meaning.expression is not None
        if select is not None:
            is_own = meaning.beside is None
            followed = trace(tree, select, meaning.expression, dialect) if is_own else Trace(secondary=True)
        else:
            known = {place: found for earlier in traces for place, found in earlier.known.items()}
            select = joined_select(marker, meaning.expression, known)
            followed = Trace(secondary=True)
            firsts = [first for (first, _), earlier in zip(placed, traces, strict=False) if earlier.roots]
            if select is None and firsts:
                select = pruned_select(marker, meaning.expression)
                meaning.prunes = select is not None
            if meaning.prunes and not reaches_as_far(meaning, firsts[0]):
                raise Left(
                    MigrateCode.FiltersDisagree,
                    f"{meaning.written} of a joined input is read less far back than {firsts[0].written}; give both "
                    "the same bound",
                    line=meaning.filter.line,
                )
            if select is None and is_optional_side(marker):
                raise Left(
                    MigrateCode.OuterJoinedInput,
                    f"{meaning.written} is of the optional side of a join, and is not joined on the time itself",
                    line=meaning.filter.line,
                )
        if select is None:
            is_late = marker.find_ancestor(exp.Qualify, exp.Having) is not None
            raise NoFilter(
                MigrateCode.UnreadableBlock,
                "the filter stands in QUALIFY or HAVING, after rows are numbered or grouped; write it into WHERE"
                if is_late
                else "the filter is no condition that all rows must meet; write it into WHERE, joined by AND",
                line=meaning.filter.line,
            )
        selects.append(select)
        traces.append(followed)
    return traces, selects


def _is_open(meanings: list[Meaning], ends: list[Meaning], suffixes: list[str]) -> bool:
    """Whether the old filter had no upper bound, so that a kind by key has none: rows that changed since are merged
    now, and again.
    """
    uppers = [(bound, suffix) for meaning, suffix in zip(meanings, suffixes, strict=True) for bound in meaning.upper]
    return not ends and all(cuts_future_only(bound, suffix) for bound, suffix in uppers)


def _check_numbers(meanings: list[Meaning], suffixes: list[str]) -> None:
    """Checks that a bound of numbers was read as one: `max(n) - 1000` is no thousand days.

    Raises:
        NoFilter (UnreadableBlock): the column's name does not say that it is a number.
    """
    for meaning, suffix in zip(meanings, suffixes, strict=True):
        shifted = [bound for bound in meaning.lower if not bound.is_number and not bound.shift.is_zero]
        if suffix in ("epoch", "millis") and any(bound.base == "latest" for bound in shifted):
            raise NoFilter(
                MigrateCode.UnreadableBlock,
                f"{meaning.written} is a number, and how far before its newest value the filter reads is not known; "
                f"compare the timestamp that is made of it, or write >= {{{{ dbt_kinds.start_{suffix}() }}}}, with "
                "lookback",
                line=meaning.filter.line,
            )


def _check_ends(meanings: list[Meaning], primary: int, suffixes: list[str]) -> None:
    """Checks that a joined input that is read up to some time is read as far as the rows themselves.

    Raises:
        Left (FiltersDisagree): a window has one end.
    """
    for meaning, suffix in zip(meanings, suffixes, strict=True):
        if not meaning.prunes or not ends_before_now(meaning, suffix):
            continue
        if ends_of(meaning) != ends_of(meanings[primary]):
            raise Left(
                MigrateCode.FiltersDisagree,
                f"{meaning.written} of a joined input is read up to another time than {meanings[primary].written}; "
                "give both the same bound",
                line=meaning.filter.line,
            )


def _edits(
    reading: Reading, meanings: list[Meaning], ends: list[Meaning], suffixes: list[str], *, is_open: bool
) -> list[Edit]:
    """The windows in place of the filters."""
    text, edits = reading.model.text, []
    for meaning, suffix in zip(meanings, suffixes, strict=True):
        predicate = (
            f"{meaning.written} between {{{{ dbt_kinds.start_{suffix}() }}}} and {{{{ dbt_kinds.end_{suffix}() }}}}"
        )
        if is_open or (meaning.prunes and not ends_before_now(meaning, suffix)):
            predicate = f"{meaning.written} >= {{{{ dbt_kinds.start_{suffix}() }}}}"
        if meaning.beside is not None and not meaning.is_of_same_time:
            predicate += " - interval 1 day"
        edits += filter_edits(text, meaning.filter, predicate, meaning.replaced, meaning.dropped)
    for meaning in ends:
        edits += filter_edits(text, meaning.filter, "true", [], meaning.replaced)
    edits += [removal(text, gone.start, gone.end) for gone in (*reading.setups, *unused_sets(reading))]
    # the tags of a filter with several meanings are removed once, and a filter in a loop is edited once
    edits = list(dict.fromkeys(edits))
    places = [(edit.start, edit.end) for edit in edits]
    if len(set(places)) < len(places):
        raise Left(
            MigrateCode.FiltersDisagree,
            "the filter is repeated, for columns of several types",
            line=meanings[0].filter.line,
        )
    return edits


def _dates(meanings: list[Meaning], traces: list[Trace], settings: Settings) -> frozenset[str]:
    """The filtered columns, in lower case, that are dates: as they are, they become that of a table's partitions."""
    found = {
        meaning.expression.name.lower()
        for meaning, followed in zip(meanings, traces, strict=True)
        if isinstance(meaning.expression, exp.Column)
        and settings.date_partition is not None
        and followed.outputs.get(settings.date_partition, "none") is None
    }
    others = {
        meaning.expression.name.lower()
        for meaning, followed in zip(meanings, traces, strict=True)
        if isinstance(meaning.expression, exp.Column)
        and (meaning.prunes or not (followed.outputs or followed.secondary))
    }
    # of an input that is joined on the time, the column of that name is one, too
    return frozenset(found - others)


def _suffix(
    reading: Reading, meaning: Meaning, select: exp.Select, dates: frozenset[str], cut: Cut | None
) -> tuple[str, list[errors.MigrationNote]]:
    assert meaning.expression is not None
    types = reading.model.properties.types
    if meaning.expression.name.lower() in dates:
        types = {meaning.expression.name.lower(): "date", **types}
    return suffix_of(
        meaning.expression,
        meaning.written,
        select,
        reading.names,
        reading.parents,
        types,
        against_date=meaning.against_date,
        against_instant=meaning.against_instant,
        against_written_time=meaning.against_written_time,
        line=meaning.filter.line,
        model=reading.model.name,
        unknown=(cut.suffix, cut.notes) if cut is not None else None,
    )
