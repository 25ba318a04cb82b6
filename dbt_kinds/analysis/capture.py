"""Whether running a query over a table's changes gives exactly the rows that its result gains (ondatrasql.md, 4.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from dbt_kinds.codes import OndatraCode
from dbt_kinds.translation.star_expansion import visible_cte

LIFTED = frozenset(
    {
        OndatraCode.aggregates,
        OndatraCode.distinct,
        OndatraCode.set_operation,
        OndatraCode.window_functions,
        OndatraCode.driving_twice,
        OndatraCode.outer_join,
    }
)
# without a driving table there are no changes to read
NOT_LIFTED = frozenset({OndatraCode.limit, OndatraCode.no_driving_table})
# aggregates unknown to sqlglot
_AGGREGATES = frozenset(
    {
        *("approx_quantile", "arbitrary", "bool_and", "bool_or", "collect_list", "collect_set", "count_if", "entropy"),
        *("every", "favg", "fsum", "geomean", "histogram", "kahan_sum", "list", "mad", "max_by", "min_by", "product"),
        *("sem", "some"),
    }
)


@dataclass(frozen=True)
class Unfit:
    """Why a query over a change set would give other rows: the code, what to write instead, and where."""

    code: OndatraCode
    message: str
    node: exp.Expr


@dataclass
class Capture:
    """Which tables of a query can be read as change sets.

    Attributes:
        driving: those tables of the tree, one per branch.
        unfit: what rules it out.
    """

    driving: list[exp.Table] = field(default_factory=list)
    unfit: list[Unfit] = field(default_factory=list)


def captured(tree: exp.Expr, key_of: Callable[[exp.Table], str], is_table: Callable[[exp.Table], bool]) -> Capture:
    """Finds the driving tables of a query, and whatever rules out reading only their changes.

    Args:
        key_of: the key under which two names of one table compare equal.
        is_table: whether a table of the tree has versions, so is neither a function nor a lateral view of a neighbour's
            column.
    """
    found = Capture()
    branches = list(_branches(tree, found))
    ways = [_way(branch, found, is_table) for branch in branches]
    for way in ways:
        if way.driving is not None and not any(table is way.driving for table in found.driving):
            found.driving.append(way.driving)
    for branch, way in zip(branches, ways, strict=True):
        if way.driving is not None:
            found.unfit.extend(_read_again(branch, way, found.driving, key_of))
    # branches may share a CTE
    found.unfit = list({(unfit.code, id(unfit.node)): unfit for unfit in found.unfit}.values())
    return found


@dataclass
class _Way:
    """The path from a branch down to its driving table: the queries and CTE names along it."""

    driving: exp.Table | None = None
    queries: list[exp.Expr] = field(default_factory=list)
    ctes: list[exp.CTE] = field(default_factory=list)


def _branches(tree: exp.Expr, found: Capture) -> Iterator[exp.Expr]:
    """The branches of a top-level UNION ALL; other set operations are reported as unfit."""
    if isinstance(tree, exp.Subquery) and isinstance(tree.this, exp.Query):
        found.unfit.extend(_limits(tree))
        yield from _branches(tree.this, found)
    elif isinstance(tree, exp.SetOperation):
        found.unfit.extend(_limits(tree))
        if not isinstance(tree, exp.Union) or tree.args.get("distinct"):
            found.unfit.append(_set_operation(tree))
        yield from _branches(tree.this, found)
        yield from _branches(tree.expression, found)
    else:
        yield tree


def _way(branch: exp.Expr, found: Capture, is_table: Callable[[exp.Table], bool]) -> _Way:
    way = _Way()
    query: exp.Expr | None = branch
    while query is not None:
        query = query.unnest() if isinstance(query, exp.Subquery) else query
        if isinstance(query, exp.SetOperation):
            found.unfit.append(_set_operation(query))
            query = query.this
            continue
        if not isinstance(query, exp.Select):
            break
        way.queries.append(query)
        found.unfit.extend(_unfit_clauses(query))
        query = _below(query, way, found, is_table)
    if way.driving is None:
        message = "the leftmost item of FROM is no table whose versions are known; begin FROM with the table to follow"
        found.unfit.append(Unfit(OndatraCode.no_driving_table, message, branch))
    return way


def _below(select: exp.Select, way: _Way, found: Capture, is_table: Callable[[exp.Table], bool]) -> exp.Expr | None:
    """What the leftmost item of FROM consists of; None if it is a table or a dead end."""
    from_ = select.args.get("from_")
    item = from_.this if from_ is not None else None
    found.unfit.extend(_outer_joins(select))
    while isinstance(item, exp.Subquery | exp.Paren) and not isinstance(item.this, exp.Query):
        found.unfit.extend(_outer_joins(item.this))
        item = item.this
    if isinstance(item, exp.Subquery):
        found.unfit.extend(_limits(item))
        inner: exp.Expr = item.this
        return inner
    if not isinstance(item, exp.Table):
        return None
    if item.args.get("sample") is not None:
        found.unfit.append(_limit(item, "a sample"))
    cte = visible_cte(item)
    if cte is not None and not any(cte is known for known in way.ctes):
        way.ctes.append(cte)
        named: exp.Expr = cte.this
        return named
    if cte is None and is_table(item):
        way.driving = item
    return None


def _unfit_clauses(select: exp.Select) -> Iterator[Unfit]:
    yield from _limits(select)
    if select.args.get("sample") is not None:
        yield _limit(select, "a sample")
    if select.args.get("distinct") is not None:
        message = "DISTINCT compares with the rows of one run only; leave it out, or build a table"
        yield Unfit(OndatraCode.distinct, message, select.args["distinct"])
    group = select.args.get("group")
    if group is not None:
        message = "GROUP BY over what changed gives no totals; use merge or tracked, which read all"
        yield Unfit(OndatraCode.aggregates, message, group)
    for node in _own_nodes(select):
        if isinstance(node, exp.Window):
            message = "OVER lacks the neighbours of earlier runs; use table, merge or tracked, which read all"
            yield Unfit(OndatraCode.window_functions, message, node)
        elif group is None and _is_aggregate(node) and not isinstance(node.parent, exp.Window):
            message = f"{_called(node)} over what changed is no total; use table, merge or tracked, which read all"
            yield Unfit(OndatraCode.aggregates, message, node)


def _is_aggregate(node: exp.Expr) -> bool:
    if isinstance(node, exp.AggFunc):
        around = node.parent
        while isinstance(around, exp.Filter | exp.WithinGroup | exp.IgnoreNulls | exp.RespectNulls):
            around = around.parent
        return not isinstance(around, exp.Window)
    return isinstance(node, exp.Anonymous) and node.name.lower() in _AGGREGATES


def _called(node: exp.Expr) -> str:
    if isinstance(node, exp.Anonymous):
        return str(node.name.upper())
    return str(node.sql_names()[0]) if isinstance(node, exp.Func) else "an aggregate"


def _own_nodes(select: exp.Select) -> Iterator[exp.Expr]:
    """The expressions of a select, excluding nested queries."""
    for name, value in select.args.items():
        if name in ("with_", "from_", "limit", "offset", "group"):
            continue
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, exp.Expr):
                yield from item.walk(prune=lambda node: isinstance(node, exp.Query))


def _outer_joins(item: exp.Expr) -> Iterator[Unfit]:
    for join in item.args.get("joins") or []:
        if (join.side or "").upper() in ("RIGHT", "FULL"):
            message = (
                f"{join.side.upper()} JOIN keeps rows of a look-up without a partner, which would come at each run; "
                "begin FROM with what is to be followed, and join the other by LEFT JOIN"
            )
            yield Unfit(OndatraCode.outer_join, message, join)


def _limits(query: exp.Expr) -> Iterator[Unfit]:
    for name in ("limit", "offset"):
        if query.args.get(name) is not None:
            yield _limit(query.args[name], name.upper())


def _limit(node: exp.Expr, what: str) -> Unfit:
    return Unfit(
        OndatraCode.limit, f"{what} takes other rows at each run; say by row_number() which rows are meant", node
    )


def _set_operation(node: exp.SetOperation) -> Unfit:
    name = type(node).__name__.upper()
    message = f"{name} compares with the rows of one run only, or reads a side whole; write UNION ALL at the top"
    return Unfit(OndatraCode.set_operation, message, node)


def _read_again(
    branch: exp.Expr, way: _Way, driving: list[exp.Table], key_of: Callable[[exp.Table], str]
) -> Iterator[Unfit]:
    """Where a branch reads its driving table a second time, or looks up a table whose changes another branch reads."""
    assert way.driving is not None
    key = key_of(way.driving)
    for table, on_way in _tables(branch, way):
        if on_way:
            continue
        is_again = visible_cte(table) is None and key_of(table) == key
        is_captured = any(table is other for other in driving)
        if is_again or is_captured:
            message = (
                f"{table.sql(comments=False)} is read a second time, where pairs of old and new rows would be lost; "
                "read it once, or use merge or tracked"
            )
            yield Unfit(OndatraCode.driving_twice, message, table)


def _tables(query: exp.Expr, way: _Way) -> Iterator[tuple[exp.Table, bool]]:
    """All tables that a branch reads, through CTEs, and whether each is on the way to the driving table."""
    seen: set[int] = set()

    def below(tree: exp.Expr) -> Iterator[tuple[exp.Table, bool]]:
        for node in tree.walk(prune=lambda node: isinstance(node, exp.With)):
            if not isinstance(node, exp.Table):
                continue
            cte = visible_cte(node)
            if cte is None:
                yield node, node is way.driving and _first_time(id(node))
            elif any(cte is known for known in way.ctes):
                if _first_time(id(cte)):
                    yield from below(cte.this)
                else:
                    yield node, False
                    yield from (((way.driving, False),) if way.driving is not None else ())
            elif _first_time(id(cte)):
                yield from below(cte.this)

    def _first_time(thing: int) -> bool:
        is_new = thing not in seen
        seen.add(thing)
        return is_new

    yield from below(query)
