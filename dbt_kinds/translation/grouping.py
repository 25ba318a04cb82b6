"""GROUP BY: empty groups, and GROUPING of several columns."""

from __future__ import annotations

from functools import reduce

from sqlglot import exp

from dbt_kinds.translation.calls import call
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.rewrites import rewrites

# GROUP BY a WITH ROLLUP
_WITH = ("cube", "rollup")


@rewrites(exp.Grouping, exp.GroupingId)
def grouping(node: exp.Grouping | exp.GroupingId, dialect: str) -> exp.Expr:
    """`grouping(a, b)`, a bit for each; Spark's takes one column, and GROUPING_ID those of the whole GROUP BY."""
    if not node.expressions:
        return node
    *others, last = (call("GROUPING", column) for column in node.expressions)
    bits = [
        exp.Mul(this=bit, expression=exp.Literal.number(2 ** (len(others) - place))) for place, bit in enumerate(others)
    ]
    return reduce(lambda left, right: exp.Add(this=left, expression=right), [*bits, last])


@rewrites(exp.Group)
def group(node: exp.Group, dialect: str) -> exp.Expr:
    """`group by ()`, which is the group of an aggregate without GROUP BY, and `group by all`.

    Raises:
        NotInSpark: there is no aggregate, or what ALL is hangs on an alias.
    """
    if node.args.get("all") and isinstance(node.parent, exp.Select):
        return _keys_of_all(node, node.parent)
    if has_total(node) or [_is_empty(key) for key in node.expressions] != [True]:
        return node
    select = node.parent
    if select is None or not any(item.find(exp.AggFunc) for item in select.expressions):
        raise NotInSpark("GROUP BY () without an aggregate has no counterpart in Spark; write LIMIT 1", node)
    select.set("group", None)
    return node


def _keys_of_all(node: exp.Group, select: exp.Select) -> exp.Group:
    """The places of what is grouped by, where an item reads the alias of another; Spark refuses that beside ALL."""
    aliases: set[str] = set()
    keys: list[exp.Expr] = []
    reads_alias = False
    for place, item in enumerate(select.expressions, 1):
        columns = [column for column in item.find_all(exp.Column) if column.find_ancestor(exp.Select) is select]
        of_alias = [column for column in columns if not column.table and column.name.lower() in aliases]
        is_aggregate = item.find(exp.AggFunc) is not None
        if of_alias and len(of_alias) < len(columns) and not is_aggregate:
            raise NotInSpark("GROUP BY ALL of an alias and a column has no counterpart in Spark; write them out", item)
        if not of_alias and not is_aggregate and columns:
            keys.append(exp.Literal.number(place))
        reads_alias = reads_alias or bool(of_alias)
        if isinstance(item, exp.Alias):
            aliases.add(item.alias.lower())
    if not reads_alias or any(item.is_star for item in select.expressions):
        return node
    if not keys:
        select.set("group", None)
    return exp.Group(expressions=keys) if keys else node


def has_total(node: exp.Group) -> bool:
    """Whether a row of its result is of all rows: of ROLLUP, CUBE, or a set without columns."""
    if any(node.args.get(name) for name in _WITH):
        return True
    return bool(node.expressions) and all(
        isinstance(key, exp.Rollup | exp.Cube)
        or (isinstance(key, exp.GroupingSets) and any(map(_is_empty, key.expressions)))
        for key in node.expressions
    )


def _is_empty(key: exp.Expr) -> bool:
    return isinstance(key, exp.Tuple) and not key.expressions
