"""Which kind and time column a filtered model gets, by its key, its strategy and the filtered column."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left
from dbt_kinds.migrate.arrival import is_arrival, is_changed
from dbt_kinds.migrate.conversion import MigrateOptions
from dbt_kinds.migrate.durations import UNITS, coarser, holds_whole
from dbt_kinds.migrate.meaning import Meaning
from dbt_kinds.migrate.reading import leaves_of
from dbt_kinds.migrate.settings import Settings
from dbt_kinds.migrate.trace import Trace, find_markers, is_numbered_by, shortened

# the name of the specification's `append` in this version of the package
APPENDING = "incremental_unmanaged"
BY_KEY = "incremental_by_unique_key"


def primary_of(tree: exp.Query, traces: list[Trace], meanings: list[Meaning], settings: Settings) -> int:
    """The filter whose column is the output's; the others are on the same column, joined on it, or only read less of a
    joined input.
    """
    wanted = settings.partition_columns | {name.lower() for name in settings.unique_key}
    shown = [at for at, followed in enumerate(traces) if followed.roots and followed.outputs]
    shown = [at for at in shown if wanted & set(traces[at].outputs)] or shown
    first = shown[0] if shown else next((at for at, followed in enumerate(traces) if followed.roots), 0)
    for at, followed in enumerate(traces):
        if at == first or followed.secondary or set(followed.outputs) & set(traces[first].outputs):
            continue
        if followed.is_joined_with(traces[first]) and bounds_of(meanings[at]) == bounds_of(meanings[first]):
            followed.secondary = meanings[at].prunes = True
            continue
        is_hidden = not (followed.outputs or traces[first].outputs)
        is_alike = bounds_of(meanings[at]) == bounds_of(meanings[first])
        if is_hidden and is_alike and _are_of_one_union(tree, followed, traces[first]):
            # each part reads its own input since the same time, and selects none
            continue
        if followed.full and not followed.outputs:
            if any(_joins_several(tree, select) for select in followed.full):
                raise Left(
                    MigrateCode.TimeColumnUnclear,
                    f"{meanings[at].written} comes out of several full joins of one select, of which one can be "
                    "followed; bring its inputs together by UNION ALL and GROUP BY",
                    line=meanings[at].filter.line,
                )
            raise Left(
                MigrateCode.TimeColumnUnclear,
                f"a full join has {meanings[at].written} from either side; select coalesce() of its two times, "
                "by which rows are replaced",
                line=meanings[at].filter.line,
            )
        one, other = _told_apart(meanings[first], meanings[at])
        raise Left(
            MigrateCode.FiltersDisagree,
            f"the filters are on {one} and {other}, and only one of them reaches the output",
            line=meanings[at].filter.line,
        )
    bases = {bound.base for meaning in meanings for bound in meaning.lower}
    if len(bases) > 1 and "variable" in bases:
        raise Left(
            MigrateCode.FiltersDisagree,
            "variables bound one filter and the table or the clock another",
            line=meanings[first].filter.line,
        )
    return first


def _are_of_one_union(tree: exp.Expr, one: Trace, other: Trace) -> bool:
    """Whether two filtered inputs are different parts of one union, and meet nowhere before it."""
    if not one.roots or not other.roots or one.is_joined_with(other):
        return False
    for union in tree.find_all(exp.SetOperation):
        parts = [{id(part) for part in leaves_of(union)} & followed.covered for followed in (one, other)]
        if all(parts) and not parts[0] & parts[1]:
            return True
    return False


def _bare(meaning: Meaning) -> str:
    """The name of the column that a filter is on, without that of its table, and without quotes."""
    column = meaning.expression.find(exp.Column) if meaning.expression is not None else None
    return column.name if column is not None else meaning.written


def _joins_several(tree: exp.Query, select_id: int) -> bool:
    """Whether the select of an id has more than one full join."""
    select: exp.Expr = next(select for select in tree.find_all(exp.Select) if id(select) == select_id)
    full = [join for join in select.args.get("joins") or [] if (join.side or "").upper() == "FULL"]
    return len(full) > 1


def _told_apart(one: Meaning, other: Meaning) -> tuple[str, str]:
    """The columns of two filters as written, with their lines if they are written alike."""
    if one.written != other.written:
        return one.written, other.written
    return f"{one.written} (line {one.filter.line})", f"{other.written} (line {other.filter.line})"


def bounds_of(meaning: Meaning) -> list[tuple[object, ...]]:
    """The lower bounds of a filter, to be compared with those of another one."""
    return [(bound.base, bound.shift, bound.truncated, bound.variable) for bound in meaning.lower]


def ends_of(meaning: Meaning) -> list[tuple[object, ...]]:
    """The upper bounds of a filter, to be compared with those of another one."""
    return [(bound.base, bound.shift, bound.truncated, bound.variable, bound.is_inclusive) for bound in meaning.upper]


def check_days_beside(kind: str, meanings: list[Meaning], suffixes: list[str]) -> None:
    """Checks that a filter by another column of days only reads less than the window.

    Raises:
        Left (FiltersDisagree): a row would be deleted with its window, and not be read.
    """
    for meaning, suffix in zip(meanings, suffixes, strict=True):
        if meaning.beside is None or meaning.is_of_same_time:
            continue
        if kind != BY_KEY or suffix not in ("date", "dt"):
            raise Left(
                MigrateCode.FiltersDisagree,
                f"the filter is on {meaning.beside.written} and on {meaning.written}, and a row may be in one window "
                "by the one and in another by the other; keep one of the two",
                line=meaning.filter.line,
            )


def is_arriving_by(meanings: list[Meaning], options: MigrateOptions) -> bool:
    """Whether the filters are on arrival time columns.

    Raises:
        Left (AmbiguousTimeColumn): only some of them are.
    """
    said = []
    meanings = [meaning for meaning in meanings if not meaning.prunes]
    for meaning in meanings:
        assert meaning.expression is not None
        names = [column.name for column in meaning.expression.find_all(exp.Column)]
        names += [bound.column for bound in meaning.lower if bound.column is not None]
        said.append(any(is_arrival(name, options.arrival, options.event) for name in names))
    if len(set(said)) > 1:
        line = meanings[said.index(True)].filter.line
        arrival, event = meanings[said.index(True)].written, meanings[said.index(False)].written
        raise Left(
            MigrateCode.AmbiguousTimeColumn,
            f"one filter is on {event}, when a row happened, and one on {arrival}, when it arrived; say "
            "--event or --arrival of one of them",
            line=line,
        )
    return said[0]


def choose_kind(
    tree: exp.Query,
    settings: Settings,
    traces: list[Trace],
    meanings: list[Meaning],
    primary: int,
    options: MigrateOptions,
    stamps: frozenset[str],
    *,
    is_arriving: bool,
    is_determined: bool,
    is_alone: bool,
) -> tuple[str, str | None]:
    """The kind, and its time column if it has one.

    Raises:
        Left: no kind is certain to be equivalent.
    """
    line = meanings[primary].filter.line
    column = _time_column(
        tree, traces, meanings, primary, settings, stamps if is_arriving else frozenset(), options.dialect
    )
    key = {name.lower() for name in settings.unique_key}
    for followed in traces:
        for dedupe in followed.dedupes if not is_alone else ():
            if not is_numbered_by(tree, dedupe, frozenset(key)):
                numbered = shortened(list(dedupe.parts), options.dialect)
                key_is = f"({', '.join(settings.unique_key)})"
                said = (
                    "and the model has no unique_key; set it to what rows are numbered by"
                    if not settings.unique_key
                    else f"which is not the model's unique_key {key_is}, so that it depends on when runs took place; "
                    "number rows by that"
                    if settings.config.get("unique_key")
                    else f"and new rows are told by {key_is}, so that it depends on when runs took place; number rows "
                    "by that"
                )
                raise Left(MigrateCode.WindowOverRuns, f"the newest row of each {numbered} is kept, {said}", line=line)
            if dedupe.is_oldest:
                raise Left(
                    MigrateCode.WindowOverRuns,
                    f"the oldest row of a key by {dedupe.by} is kept among those that a run reads, so that it depends "
                    f"on when runs took place; order by {meanings[primary].written}, newest first",
                    line=line,
                )
            if not dedupe.is_newest and not is_arriving:
                raise Left(
                    MigrateCode.WindowOverRuns,
                    f"one row of a key is kept by {dedupe.by}, and rows are read by {meanings[primary].written}: of "
                    "two rows of "
                    f"a key a window may hold the wrong one; order by {meanings[primary].written} first, newest first, "
                    f"or say --arrival {_bare(meanings[primary])} where it says when a row came",
                    line=line,
                )
    is_deduped = any(followed.dedupes for followed in traces) and not is_alone
    if settings.strategy == "insert_overwrite":
        if not settings.partition_by:
            raise Left(
                MigrateCode.UnboundPartition,
                "insert_overwrite without partition_by replaces the whole table by the filtered rows",
                line=line,
            )
        if column is None or column.lower() not in settings.partition_columns or is_deduped:
            _check_not_named_so(tree, meanings[primary], options.dialect)
            raise Left(
                MigrateCode.FilterNotOnPartition,
                f"partitions of {', '.join(settings.partition_by)} are replaced by rows filtered on "
                f"{meanings[primary].written}; filter by what {settings.partition_by[0]} is made of",
                line=line,
            )
        if len(settings.partition_columns) > 1:
            raise Left(
                MigrateCode.FilterNotOnPartition,
                "the table has partitions beside the filtered column, which stay when no row comes for them",
                line=line,
            )
        return "incremental_by_time_range", column
    if settings.unique_key:
        narrowed = settings.narrowing
        if narrowed and settings.strategy == "delete+insert":
            raise Left(MigrateCode.CustomStrategy, f"{narrowed[0]} narrows what delete+insert deletes", line=line)
        # predicates only restrict where the merge looks; a range is replaced as a whole
        has_columns = any(name.startswith("merge_") for name in narrowed)
        # a key may hold the time truncated, such as its week
        has_time = column is not None and (bool(key & set(traces[primary].outputs)) or is_determined)
        if has_time and not is_arriving and not has_columns and not is_deduped:
            return "incremental_by_time_range", column
        if settings.strategy == "delete+insert" and key <= settings.partition_columns:
            raise Left(
                MigrateCode.FilterNotOnPartition,
                f"rows of {', '.join(settings.unique_key)} are replaced by rows filtered on "
                f"{meanings[primary].written}",
                line=line,
            )
        return BY_KEY, None
    if is_arriving:
        written, bare = meanings[primary].written, _bare(meanings[primary])
        if is_changed(written.rsplit(".", 1)[-1], options.arrival):
            raise Left(
                MigrateCode.ArrivalWithoutKey,
                f"{written} says when a row of the source was changed: a row that changes again before its window is "
                "read "
                f"would be missed. Set unique_key, or say --arrival {bare} where rows of the source never change",
                line=line,
            )
        if any(bound.base == "now" for meaning in meanings for bound in meaning.lower):
            raise Left(
                MigrateCode.ArrivalWithoutKey,
                f"{meanings[primary].written} says when rows arrived, and without a key they are appended "
                "again and again; set unique_key, or say "
                f"--event {bare} where it says when they happened",
                line=line,
            )
        return APPENDING, None
    if column is None:
        written = meanings[primary].written
        if traces[primary].counts is not None:
            raise number_alone(meanings[primary])
        raise Left(
            MigrateCode.TimeColumnUnclear,
            f"{written} is not a column of the output, which a range is replaced by",
            line=line,
        )
    return "incremental_by_time_range", column


def number_alone(meaning: Meaning) -> Left:
    """The reason for which a range of a number that no timestamp is made of is not replaced."""
    return Left(
        MigrateCode.TimeColumnUnclear,
        f"the output has {meaning.written} as a number at most, and a range is replaced by a date or a timestamp; "
        "select one that is made of it, too, such as timestamp_millis or timestamp_seconds of it",
        line=meaning.filter.line,
    )


def _check_not_named_so(tree: exp.Query, meaning: Meaning, dialect: str) -> None:
    """Checks that a filter is not by a name that its select gives to something else.

    Raises:
        Left (BoundOfAnotherColumn): it is.
    """
    named = _named_so(tree, meaning, dialect)
    if named is not None:
        raise Left(
            MigrateCode.BoundOfAnotherColumn,
            f"the select names {named} {meaning.written}, and filters by {meaning.written}, which is a column of the "
            f"source where it has one; write {named} in the filter if that is meant",
            line=meaning.filter.line,
        )


def _named_so(tree: exp.Query, meaning: Meaning, dialect: str) -> str | None:
    """What the select of a filter gives the name of the filtered column to, if that is something else."""
    written = meaning.expression
    if not isinstance(written, exp.Column) or written.table:
        return None
    for marker in find_markers(tree, meaning.filter.marker):
        select = marker.find_ancestor(exp.Select)
        for projection in select.expressions if select is not None else ():
            if isinstance(projection, exp.Alias) and projection.alias.lower() == written.name.lower():
                made = projection.this
                is_same = isinstance(made, exp.Column) and made.name.lower() == written.name.lower()
                return None if is_same else str(made.sql(dialect))[:80]
    return None


def _time_column(
    tree: exp.Query,
    traces: list[Trace],
    meanings: list[Meaning],
    primary: int,
    settings: Settings,
    stamps: frozenset[str],
    dialect: str,
) -> str | None:
    """The output column that holds the filtered column."""
    outputs = dict(traces[primary].outputs)
    for at, followed in enumerate(traces):
        if at != primary and not followed.secondary:
            outputs = {name: unit for name, unit in outputs.items() if name in followed.outputs}
    names = traces[primary].names
    for meaning in meanings:
        for bound in meaning.lower:
            if bound.base != "latest" or bound.column is None:
                continue
            is_whole = coarser(bound.truncated, bound.column_unit) in UNITS
            if bound.column.lower() in traces[primary].extremes and not is_whole:
                raise Left(
                    MigrateCode.AggregatesOverRuns,
                    f"rows are grouped, and {meaning.written} is compared with the newest {bound.column} of a group, "
                    "so that the filter may read a part of one; let its bound be the beginning of the groups",
                    line=meaning.filter.line,
                )
            if bound.column.lower() not in outputs and bound.column.lower() not in stamps:
                selected = ", ".join(names.get(name, name) for name in outputs)
                if not selected:
                    _check_not_named_so(tree, meaning, dialect)
                raise Left(
                    MigrateCode.BoundOfAnotherColumn,
                    f"{meaning.written} of the source is compared with the newest {bound.column} of the table, which "
                    "is another "
                    f"column: the output has {meaning.written} as {selected or 'no column'}",
                    line=meaning.filter.line,
                )
    if traces[primary].counts is not None:
        # a range is replaced by a time, not by a number
        outputs = {name: unit for name, unit in outputs.items() if name in traces[primary].times}
    if not outputs:
        return None
    latest = {bound.column.lower() for meaning in meanings for bound in meaning.lower if bound.column is not None}
    key = {name.lower() for name in settings.unique_key}
    expression = meanings[primary].expression
    own = expression.name.lower() if isinstance(expression, exp.Column) else ""
    if not latest and (settings.replaces_any_range or not settings.partition_columns & set(outputs)):
        # a week in the key does not make weeks of days, nor does a partition of which a part can be replaced
        coarse = {name for name, unit in outputs.items() if unit in UNITS and unit and not holds_whole("day", unit)}
        outputs = {name: unit for name, unit in outputs.items() if name not in coarse} or outputs
    for wanted in (latest, key, settings.partition_columns, {own}):
        chosen = [name for name in outputs if name in wanted]
        if chosen:
            return names.get(chosen[0], chosen[0])
    exact = [name for name, unit in outputs.items() if unit is None] or list(outputs)
    return names.get(exact[0], exact[0])
