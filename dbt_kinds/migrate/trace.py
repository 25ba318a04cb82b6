"""Follows a filtered column from its filter to the model's output, and reports obstacles.

A model may be loaded by windows if each output row depends on rows of one interval only: filters, projections, joins
that keep each row, aggregates and window functions within an interval.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from sqlglot import exp

from dbt_kinds.analysis.alignment import has_grouping_sets
from dbt_kinds.analysis.tree import conjuncts
from dbt_kinds.codes import MigrateCode
from dbt_kinds.migrate.bounds import truncation
from dbt_kinds.migrate.durations import UNITS, finest
from dbt_kinds.migrate.epochs import counted, made_time, number_used, without_number_casts
from dbt_kinds.migrate.full_joins import coalesced
from dbt_kinds.migrate.known_times import Known, known_from, part_of, same, unit_of
from dbt_kinds.migrate.parts import Part, whole_of
from dbt_kinds.migrate.pruned_lookups import is_least_of_joined

_SHOWN = 80
_HASHES = (exp.MD5, exp.MD5Digest, exp.SHA, exp.SHA2, exp.Hex, exp.LowerHex)


@dataclass(frozen=True)
class Dedupe:
    """A filter row_number = 1 per key.

    Attributes:
        select: where rows are numbered.
        parts: what they are numbered by.
        by: what comes first in their order, as written.
        is_newest: whether that is the filtered column, newest first: then later windows only hold newer rows.
        is_oldest: whether it is the filtered column, oldest first: then each window has an oldest row of its own.
    """

    select: exp.Select
    parts: tuple[exp.Expr, ...]
    by: str
    is_newest: bool
    is_oldest: bool = False


@dataclass
class Trace:
    """Where a filtered column ends up.

    Attributes:
        outputs: the output columns that hold it, in lower case, with the unit each was truncated to.
        names: those columns as written.
        dedupes: row numbers across intervals that only keep the first row per key.
        problems: why output rows do not depend on one interval only, as codes with sentences.
        covered: the ids of the selects it passes through.
        wholes: units whose rows belong together, since they are filtered, grouped or numbered together, with what does
            so: an interval has to hold whole ones.
        secondary: it is joined to another filtered input on the time itself.
        is_key: a key is followed, which remains one if it is cast.
        entered: by which of its inputs it comes into each select that joins several, by the select's id.
        full: the sides of full joins that it is on, and the other sides, by the id of the select that joins them.
        counts: what the filtered column counts since 1970, if it is a number.
        extremes: the columns on the way, in lower case, that are the newest or oldest time of a group.
        times: the columns on the way, in lower case, that are timestamps made of such a number.
        parts: the output columns, in lower case, that are a part of it as a number, with the names of the parts.
        dialect: that in which problems show parts of the query.
    """

    outputs: dict[str, str | None] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    dedupes: list[Dedupe] = field(default_factory=list)
    problems: list[tuple[MigrateCode, str]] = field(default_factory=list)
    covered: set[int] = field(default_factory=set)
    wholes: list[tuple[str, str]] = field(default_factory=list)
    known: dict[int, Known] = field(default_factory=dict)
    roots: int = 0
    secondary: bool = False
    entered: dict[int, str] = field(default_factory=dict)
    is_key: bool = False
    full: dict[int, set[tuple[str, str]]] = field(default_factory=dict)
    counts: str | None = None
    extremes: set[str] = field(default_factory=set)
    times: set[str] = field(default_factory=set)
    parts: dict[str, str] = field(default_factory=dict)
    dialect: str | None = None

    def is_joined_with(self, other: Trace) -> bool:
        """Whether an inner join brings the rows of both together."""
        return any(self.entered[at] != other.entered[at] for at in self.entered.keys() & other.entered.keys())


def find_markers(tree: exp.Expr, marker: str) -> list[exp.Column]:
    """The conditions that represent a filter: several if a loop repeats it."""
    return [column for column in tree.find_all(exp.Column) if column.name == marker]


def find_marker(tree: exp.Expr, marker: str) -> exp.Column | None:
    """The first condition that represents a filter."""
    return next(iter(find_markers(tree, marker)), None)


def is_plain_condition(marker: exp.Column) -> exp.Select | None:
    """The select whose WHERE has the marker as one of its conjuncts; else None."""
    node: exp.Expr | None = marker.parent
    while isinstance(node, exp.And | exp.Paren):
        node = node.parent
    if not isinstance(node, exp.Where) or not isinstance(node.parent, exp.Select):
        return None
    return node.parent


def joined_select(marker: exp.Column, expression: exp.Expr, known: Mapping[int, Known]) -> exp.Select | None:
    """The select of a join whose ON holds the marker and equates the expression with a known one.

    Rows of the joined input are then looked up by a time inside the window. A truncation to more than an hour could be
    before it.
    """
    node = marker.parent
    while isinstance(node, exp.And | exp.Paren):
        node = node.parent
    if not isinstance(node, exp.Join) or not isinstance(node.parent, exp.Select):
        return None
    select, on = node.parent, node.args.get("on")
    if (node.side or "").upper() in ("RIGHT", "FULL") or on is None or marker.find_ancestor(exp.Select) is not select:
        return None
    for part in conjuncts(on):
        if isinstance(part, exp.EQ):
            for one, other in ((part.this, part.expression), (part.expression, part.this)):
                is_known, unit = unit_of(other, known.get(id(select), []))
                if same(one, expression) and is_known and unit in (None, "second", "minute", "hour"):
                    return select
    return None


def is_hashed_of_time(tree: exp.Expr, followed: Trace, key: str) -> bool:
    """Whether a key is a dbt_utils hash over columns that include the filtered one, so that it determines that one."""
    for select in tree.find_all(exp.Select):
        known = followed.known.get(id(select), [])
        for projection in select.expressions if known else ():
            made = projection.unalias()
            if (
                is_hash(made)
                and projection.alias.lower() == key
                and any(unit_of(part, known)[0] for part in made.expressions)
            ):
                return True
    return False


def pruned_select(marker: exp.Column, expression: exp.Expr) -> exp.Select | None:
    """The select of an inner join whose ON holds the marker, if the expression is of the joined input: the filter only
    reads less of that.
    """
    node = marker.parent
    while isinstance(node, exp.And | exp.Paren):
        node = node.parent
    if not isinstance(node, exp.Join) or not isinstance(node.parent, exp.Select):
        return None
    is_inner = not (node.side or "") and (node.kind or "").upper() in ("", "INNER")
    tables = {column.table.lower() for column in expression.find_all(exp.Column)}
    return node.parent if is_inner and tables == {node.this.alias_or_name.lower()} else None


def is_optional_side(marker: exp.Column) -> bool:
    """Whether a marker is in the ON of an outer join."""
    node = marker.parent
    while isinstance(node, exp.And | exp.Or | exp.Paren | exp.Not):
        node = node.parent
    return isinstance(node, exp.Join) and bool(node.side)


def is_numbered_by(tree: exp.Expr, dedupe: Dedupe, key: frozenset[str]) -> bool:
    """Whether rows are numbered by exactly the columns of a key, under any names, or by what the key combines."""
    followed = [_followed(tree, dedupe.select, part) for part in dedupe.parts]
    outputs = [{name for name, unit in found.outputs.items() if unit is None} for found in followed]
    if all(names & key for names in outputs) and key <= set().union(*outputs):
        return True
    if len(key) != 1:
        return False
    for select in tree.find_all(exp.Select):
        for projection in select.expressions:
            parts = _combined(projection.unalias()) if projection.alias_or_name.lower() in key else []
            if parts:
                combined = [[unit_of(part, found.known.get(id(select), []))[0] for part in parts] for found in followed]
                return all(map(any, combined)) and all(map(any, zip(*combined, strict=True)))
    return False


def _combined(made: exp.Expr) -> list[exp.Expr]:
    """What a key is one text of: a hash of columns, or their texts one after the other; empty for anything else."""
    while isinstance(made, _HASHES):
        made = made.this
    if not is_hash(made) and not isinstance(made, exp.Concat | exp.ConcatWs | exp.DPipe):
        return []
    parts = list(made.flatten()) if isinstance(made, exp.DPipe) else made.expressions
    parts = [part for part in parts if not isinstance(part, exp.Literal)]
    while any(isinstance(part, exp.Cast | exp.Paren) for part in parts):
        parts = [part.this if isinstance(part, exp.Cast | exp.Paren) else part for part in parts]
    return parts


def is_hash(made: exp.Expr) -> bool:
    """Whether an expression is dbt_utils' surrogate key."""
    return isinstance(made, exp.Anonymous) and made.name.lower() == "kinds_key"


def ends_in(tree: exp.Expr, select: exp.Select, expression: exp.Expr, name: str) -> bool:
    """Whether an expression of a select becomes the output column of a name."""
    return _followed(tree, select, expression).outputs.get(name.lower(), "none") is None


def _followed(tree: exp.Expr, select: exp.Select, expression: exp.Expr) -> Trace:
    """Where an expression of a select ends up, whatever happens to its rows on the way."""
    found = Trace(is_key=True)
    _through(tree, select, [(expression, None)], found, depth=0)
    return found


def equated(select: exp.Select, expression: exp.Expr) -> Iterator[exp.Expr]:
    """The expressions that the joins of a select equate with an expression."""
    for join in select.args.get("joins") or []:
        for part in conjuncts(join.args.get("on")):
            if isinstance(part, exp.EQ):
                for one, other in ((part.this, part.expression), (part.expression, part.this)):
                    if same(one, expression):
                        yield other


def trace(tree: exp.Expr, select: exp.Select, expression: exp.Expr, dialect: str | None = None) -> Trace:
    """Follows an expression from a select's WHERE to the output of the tree."""
    used = number_used(select, expression)
    found = Trace(counts=counted(expression) or (used[1] if used is not None else None), dialect=dialect)
    known = known_from(expression)
    _add_whole(found, known[0][1], "the filter compares")
    tables = {column.table.lower() for column in expression.find_all(exp.Column)}
    if len(tables) == 1:
        _enter(select, tables.pop(), found)
    _through(tree, select, known, found, depth=0)
    return found


def _enter(select: exp.Select, alias: str, found: Trace) -> None:
    joins = select.args.get("joins") or []
    is_inner = all(not join.side and (join.kind or "").upper() in ("", "INNER") for join in joins)
    if joins and is_inner and alias:
        found.entered[id(select)] = alias.lower()


def _through(tree: exp.Expr, select: exp.Select, known: Known, found: Trace, depth: int) -> None:
    if depth > 40:
        found.problems.append((MigrateCode.TimeColumnUnclear, "the query refers to itself"))
        return
    found.covered.add(id(select))
    known = _with_equals(select, known)
    found.known[id(select)] = known
    _check_level(select, known, found)
    outputs, names = _outputs(select, known, found)
    _upwards(tree, select, outputs, names, found, depth)


def _with_equals(select: exp.Select, known: Known) -> Known:
    """Adds the expressions that inner joins equate with a known expression."""
    equal: Known = []
    for join in select.args.get("joins") or []:
        on = join.args.get("on")
        if on is None or (join.side or "") or (join.kind or "").upper() not in ("", "INNER"):
            continue
        for part in conjuncts(on):
            if isinstance(part, exp.EQ):
                for one, other in ((part.this, part.expression), (part.expression, part.this)):
                    is_known, unit = unit_of(one, known)
                    if is_known and not unit_of(other, known)[0]:
                        equal.append((other, unit))
    return known + equal


def _outputs(select: exp.Select, known: Known, found: Trace) -> tuple[dict[str, str | None], dict[str, str]]:
    outputs: dict[str, str | None] = {}
    names: dict[str, str] = {}
    group = select.args.get("group")
    is_grouped = group is not None and bool(_units_grouped_by(select, group, known))
    for projection in select.expressions:
        if projection.is_star:
            table = projection.table.lower() if isinstance(projection, exp.Column) else ""
            star = projection.this if isinstance(projection, exp.Column) else projection
            left_out = star.args.get("except_") or star.args.get("except") or []
            hidden = {name.name.lower() for name in left_out}
            for expression, unit in known:
                is_its = isinstance(expression, exp.Column) and table in ("", expression.table.lower())
                if is_its and expression.name.lower() not in hidden:
                    outputs.setdefault(expression.name.lower(), unit)
                    names.setdefault(expression.name.lower(), expression.name)
            continue
        name = projection.alias_or_name
        made = projection.unalias()
        while found.is_key and isinstance(made, exp.Cast | exp.Paren) and not unit_of(made, known)[0]:
            made = made.this
        if is_grouped and isinstance(made, exp.Max | exp.Min):
            # the newest time of a day is of that day
            made = made.this
            found.extremes.add(name.lower())
        is_known, unit = unit_of(made, known)
        if found.counts is not None and not is_known:
            is_known, unit = _counted(made, known, found, name.lower())
        elif is_known and isinstance(made, exp.Column):
            for columns in (found.times, found.extremes):
                if made.name.lower() in columns:
                    columns.add(name.lower())
        if is_known and name:
            outputs[name.lower()] = unit
            names[name.lower()] = name
        elif name:
            outputs.pop(name.lower(), None)
            if (part := part_of(made, known)) is not None:
                outputs[name.lower()] = part
    return outputs, names


def _counted(made: exp.Expr, known: Known, found: Trace, name: str) -> tuple[bool, str | None]:
    """Whether an output is the filtered number, or a time that is made of it, and the unit of truncation."""
    inner = without_number_casts(made)
    if inner is not made:
        return unit_of(inner, known)
    truncated = truncation(made)
    time = made_time(truncated[0] if truncated is not None else made)
    # Spark's from_unixtime returns text
    if truncated is None and isinstance(made, exp.UnixToStr):
        return False, None
    if time is None or time[1] != found.counts or not unit_of(time[0], known)[0]:
        return False, None
    found.times.add(name)
    return True, truncated[1] if truncated is not None else None


def _check_level(select: exp.Select, known: Known, found: Trace) -> None:
    for key in ("limit", "offset", "fetch"):
        if select.args.get(key) is not None:
            found.problems.append((MigrateCode.TimeColumnUnclear, f"{key} picks rows across intervals"))
    group = select.args.get("group")
    if group is not None:
        units = _units_grouped_by(select, group, known)
        if units:
            _add_whole(found, finest(units), "group by puts together")
        else:
            grouped = shortened([_resolved(select, part, known) for part in group.expressions], found.dialect)
            found.problems.append(
                (
                    MigrateCode.AggregatesOverRuns,
                    f"group by {grouped or 'all'} does not contain the filtered column; group by that, too, or filter "
                    "by what rows are grouped by",
                )
            )
    made = next((one for one in _aggregates(select) if _own(select, one)), None) if group is None else None
    if made is not None:
        of_all = f"{shortened([made], found.dialect)} is of all rows that a run reads"
        is_compared = isinstance(select.parent, exp.Subquery) and isinstance(select.parent.parent, exp.Predicate)
        found.problems.append(
            (
                MigrateCode.AggregatesOverRuns,
                f"{of_all}, and bounds others; take that condition out, or write the filter's own bound in its place"
                if is_compared
                else f"{of_all}, in one row; group by the filtered column, too",
            )
        )
    for window in select.find_all(exp.Window):
        if window.find_ancestor(exp.Select) is select:
            _check_window(select, window, known, found)
    distinct = select.args.get("distinct")
    if distinct is not None and distinct.args.get("on") is not None:
        found.problems.append((MigrateCode.WindowOverRuns, "distinct on keeps one row of each key, across intervals"))


def _aggregates(select: exp.Select) -> Iterator[exp.Expr]:
    for projection in select.expressions:
        for node in projection.find_all(exp.AggFunc):
            # `sum(x) over (…)` keeps its rows
            parent = node.parent
            while isinstance(parent, exp.Filter | exp.IgnoreNulls | exp.RespectNulls | exp.WithinGroup):
                parent = parent.parent
            if not isinstance(parent, exp.Window):
                yield node


def _own(select: exp.Select, node: exp.Expr) -> bool:
    return node.find_ancestor(exp.Select) is select and node.find_ancestor(exp.Window) is None


def _add_whole(found: Trace, unit: str | None, what: str) -> None:
    if unit in UNITS:
        found.wholes.append((unit, f"{what} rows of a whole {unit}"))


def _units_grouped_by(select: exp.Select, group: exp.Expr, known: Known) -> list[str | None]:
    """The unit of each GROUP BY item that is the filtered column or a truncation of it."""
    if has_grouping_sets(group):
        return []
    parts = [projection.unalias() for projection in select.expressions] if group.args.get("all") else group.expressions
    return _units_of(select, parts, known)


def _units_of(select: exp.Select, parts: list[exp.Expr], known: Known) -> list[str | None]:
    resolved = [_resolved(select, part, known) for part in parts]
    found = [unit_of(part, known) for part in resolved]
    whole = whole_of(filter(None, (part_of(part, known) for part in resolved)))
    return [*(unit for is_known, unit in found if is_known), *([whole] if whole is not None else [])]


def _resolved(select: exp.Select, part: exp.Expr, known: Known) -> exp.Expr:
    """Resolves an ordinal or alias in GROUP BY."""
    if isinstance(part, exp.Literal) and not part.is_string and part.name.isdigit():
        at = int(part.name) - 1
        return cast(exp.Expr, select.expressions[at].unalias()) if at < len(select.expressions) else part
    if isinstance(part, exp.Column) and not part.table and not (unit_of(part, known)[0] or part_of(part, known)):
        for projection in select.expressions:
            if isinstance(projection, exp.Alias) and projection.alias.lower() == part.name.lower():
                return cast(exp.Expr, projection.this)
    return part


def _check_window(select: exp.Select, window: exp.Window, known: Known, found: Trace) -> None:
    parts = window.args.get("partition_by") or []
    units = _units_of(select, parts, known)
    if units:
        _add_whole(found, finest(units), f"{shortened([window], found.dialect)} looks at")
        return
    order = window.args.get("order")
    if parts and isinstance(window.this, exp.RowNumber) and _keeps_first(select, window) and order is not None:
        first = order.expressions[0]
        is_newest, is_filtered = bool(first.args.get("desc")), unit_of(first.this, known)[0]
        by = shortened([first.this], found.dialect)
        numbered = tuple(_resolved(select, part, known) for part in parts)
        found.dedupes.append(
            Dedupe(select, numbered, by, is_newest and is_filtered, is_oldest=is_filtered and not is_newest)
        )
        return
    found.problems.append(
        (
            MigrateCode.WindowOverRuns,
            f"{shortened([window], found.dialect)} looks across intervals; partition by the filtered column, too",
        )
    )


def _keeps_first(select: exp.Select, window: exp.Window) -> bool:
    """Whether only row number 1 is kept: by QUALIFY, or by the WHERE of the selects that read this one."""
    parent = window.parent
    while isinstance(parent, exp.Paren):
        parent = parent.parent
    qualify = select.args.get("qualify")
    if isinstance(parent, exp.EQ) and qualify is not None:
        return any(part is parent for part in conjuncts(qualify.this)) and bool(parent.expression.name == "1")
    if not isinstance(parent, exp.Alias):
        return False
    alias = parent.alias.lower()
    if qualify is not None and _is_one(qualify.this, alias):
        return True
    readers = [other for other in select.root().find_all(exp.Select) if other is not select and _reads(other, select)]
    return bool(readers) and all(
        reader.args.get("where") is not None and _is_one(reader.args["where"].this, alias) for reader in readers
    )


def _reads(reader: exp.Select, select: exp.Select) -> bool:
    holder = select.parent
    if isinstance(holder, exp.Subquery):
        return holder.find_ancestor(exp.Select) is reader
    if isinstance(holder, exp.CTE):
        return any(table.name.lower() == holder.alias.lower() for table in sources_of(reader))
    return False


def _is_one(condition: exp.Expr, alias: str) -> bool:
    return any(
        isinstance(part, exp.EQ)
        and isinstance(part.this, exp.Column)
        and part.this.name.lower() == alias
        and part.expression.name == "1"
        for part in conjuncts(condition)
    )


def shortened(parts: list[exp.Expr], dialect: str | None) -> str:
    """Parts of a query as a message shows them."""
    written = ", ".join(" ".join(part.sql(dialect).split()) for part in parts)
    return written if len(written) <= _SHOWN else f"{written[:_SHOWN].rstrip()} …"


def sources_of(select: exp.Select) -> Iterator[exp.Expr]:
    """What a select reads in FROM and JOIN."""
    source = select.args.get("from_") or select.args.get("from")
    if source is not None:
        yield source.this
    for join in select.args.get("joins") or []:
        yield join.this


def _upwards(
    tree: exp.Expr,
    query: exp.Expr,
    outputs: dict[str, str | None],
    names: dict[str, str],
    found: Trace,
    depth: int,
) -> None:
    holder = query.parent
    if query is tree or holder is None:
        _arrive(outputs, names, found)
    elif isinstance(holder, exp.SetOperation):
        _through_union(tree, holder, query, outputs, names, found, depth)
    elif isinstance(holder, exp.CTE):
        alias = holder.alias.lower()
        readers = [
            table
            for table in tree.find_all(exp.Table)
            if table.name.lower() == alias and not table.db and table.find_ancestor(exp.CTE) is not holder
        ]
        if holder.args.get("alias") is not None and holder.args["alias"].args.get("columns"):
            outputs = {}
        for table in readers:
            _into_reader(tree, table, table.alias_or_name, outputs, names, found, depth)
    elif isinstance(holder, exp.Subquery):
        if isinstance(holder.parent, exp.From | exp.Join):
            _into_reader(tree, holder, holder.alias, outputs, names, found, depth)
        elif holder.parent is None or isinstance(holder.parent, exp.SetOperation):
            _upwards(tree, holder, outputs, names, found, depth)
        else:
            told = (
                "the filtered rows are looked up by a condition or a column; join them instead"
                if depth
                else "the filter stands in a subquery of a condition or column; join that query, or write the filter "
                "beside the rows themselves"
            )
            found.problems.append((MigrateCode.OuterJoinedInput, told))
    else:
        found.problems.append(
            (MigrateCode.TimeColumnUnclear, "the filter's select is used in a way that cannot be followed")
        )


def _arrive(outputs: dict[str, str | None], names: dict[str, str], found: Trace) -> None:
    parts = {name: unit for name, unit in outputs.items() if isinstance(unit, Part)}
    found.parts = {name: part for name, part in parts.items() if not found.roots or found.parts.get(name) == part}
    outputs = {name: unit for name, unit in outputs.items() if name not in parts}
    if found.roots:
        found.outputs = {name: unit for name, unit in found.outputs.items() if outputs.get(name, "none") == unit}
    else:
        found.outputs, found.names = dict(outputs), dict(names)
    found.roots += 1


def _through_union(
    tree: exp.Expr,
    union: exp.Expr,
    query: exp.Expr,
    outputs: dict[str, str | None],
    names: dict[str, str],
    found: Trace,
    depth: int,
) -> None:
    if not isinstance(union, exp.Union):
        found.problems.append((MigrateCode.TimeColumnUnclear, "except and intersect compare rows of all intervals"))
        return
    first = next(iter(union.find_all(exp.Select)))
    while isinstance(first.parent, exp.SetOperation) and first.parent.this is not first:
        first = first.parent.this
    own = query
    while isinstance(own, exp.Subquery | exp.SetOperation):
        own = own.this
    leftmost: exp.Expr = union
    while isinstance(leftmost, exp.Subquery | exp.SetOperation):
        leftmost = leftmost.this
    if isinstance(own, exp.Select) and isinstance(leftmost, exp.Select) and own is not leftmost:
        has_star = any(projection.is_star for select in (own, leftmost) for projection in select.expressions)
        if not has_star:
            renamed: dict[str, str | None] = {}
            for mine, theirs in zip(own.expressions, leftmost.expressions, strict=False):
                if mine.alias_or_name.lower() in outputs:
                    name = theirs.alias_or_name
                    renamed[name.lower()] = outputs[mine.alias_or_name.lower()]
                    names = names | {name.lower(): name}
            outputs = renamed
    _upwards(tree, union, outputs, names, found, depth)


def _into_reader(
    tree: exp.Expr,
    source: exp.Expr,
    alias: str,
    outputs: dict[str, str | None],
    names: dict[str, str],
    found: Trace,
    depth: int,
) -> None:
    reader = source.find_ancestor(exp.Select)
    for pivot in source.args.get("pivots") or []:
        outputs = _pivoted(pivot, outputs, found)
    known: Known = [
        (exp.column(names.get(name, name), table=alias) if alias else exp.column(names.get(name, name)), unit)
        for name, unit in outputs.items()
    ]
    place = source.parent
    if reader is None or not isinstance(place, exp.From | exp.Join) or place.parent is not reader:
        found.problems.append(
            (
                MigrateCode.OuterJoinedInput,
                "the filtered rows are looked up by a condition or a column; join them instead",
            )
        )
        return
    if is_least_of_joined(tree, reader):
        found.covered.add(id(reader))
        return
    joins = list(reader.args.get("joins") or [])
    full = next((join for join in joins if (join.side or "").upper() == "FULL"), None)
    if full is not None and (place is full or isinstance(place, exp.From)):
        first = reader.args.get("from_") or reader.args["from"]
        other = first.this.alias_or_name if place is full else full.this.alias_or_name
        known = coalesced(full, known, other)
        if not known:
            found.problems.append(
                (
                    MigrateCode.OuterJoinedInput,
                    "a full join brings rows beside the filtered ones, and does not join on the time",
                )
            )
            return
        found.full.setdefault(id(reader), set()).add((alias.lower(), other.lower()))
        joins.remove(full)
        place = first
    if isinstance(place, exp.Join):
        side, kind = (place.side or "").upper(), (place.kind or "").upper()
        if side in ("LEFT", "FULL", "RIGHT") or kind in ("OUTER", "SEMI", "ANTI"):
            if _is_joined_on_time(place, known):
                found.secondary = True
                found.covered.add(id(reader))
                return
            of = f" of {alias}" if alias else ""
            found.problems.append(
                (
                    MigrateCode.OuterJoinedInput,
                    f"the filtered rows{of} are the optional side of a join; filter the other side by the same bound",
                )
            )
            return
        joins = joins[joins.index(place) + 1 :]
    if any((join.side or "").upper() in ("RIGHT", "FULL") for join in joins):
        found.problems.append(
            (MigrateCode.OuterJoinedInput, "a right or full join brings rows beside the filtered ones")
        )
        return
    _enter(reader, alias, found)
    if depth and id(reader) in found.covered and _known_before(found, reader, known):
        return
    _through(tree, reader, known, found, depth + 1)


def _pivoted(pivot: exp.Expr, outputs: dict[str, str | None], found: Trace) -> dict[str, str | None]:
    """What is left of a filtered column: PIVOT groups by all columns that it neither aggregates nor spreads."""
    if pivot.args.get("unpivot"):
        return outputs
    outputs = {name: unit for name, unit in outputs.items() if not isinstance(unit, Part)}
    spread = {column.name.lower() for column in pivot.find_all(exp.Column)}
    left = {name: unit for name, unit in outputs.items() if name not in spread}
    if left:
        _add_whole(found, finest(list(left.values())), "pivot puts together")
    else:
        found.problems.append(
            (
                MigrateCode.AggregatesOverRuns,
                "pivot puts rows together, and the filtered column is none of those that it groups by; select that, "
                "too",
            )
        )
    return left


def _known_before(found: Trace, reader: exp.Select, known: Known) -> bool:
    """A second input of the same select: what it knows is added to the known expressions."""
    before = found.known.get(id(reader), [])
    return bool(known) and all(any(same(one, other) for other, _ in before) for one, _ in known)


def _is_joined_on_time(join: exp.Join, known: Known) -> bool:
    using = {name.name.lower() for name in join.args.get("using") or []}
    if any(expression.name.lower() in using for expression, _ in known):
        return True
    sides = [
        side
        for part in conjuncts(join.args.get("on"))
        if isinstance(part, exp.EQ)
        for side in (part.this, part.expression)
    ]
    parts = {unit for _, unit in known if isinstance(unit, Part)}
    is_of_parts = whole_of(parts) is not None and parts <= {part_of(side, known) for side in sides}
    return is_of_parts or any(unit_of(side, known)[0] for side in sides)
