"""Walks over one query's own expressions, without entering nested queries."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

# parts of a SELECT that are read elsewhere: relations by the scopes, named windows by the windows that use them
_APART = ("with_", "with", "from_", "from", "joins", "laterals", "windows")


def clause(node: exp.Expr, name: str) -> exp.Expr | None:
    """A clause by its name; sqlglot adds an underscore to Python keywords."""
    found = node.args.get(f"{name}_") or node.args.get(name)
    return found if isinstance(found, exp.Expr) else None


def own_nodes(select: exp.Expr) -> Iterator[exp.Expr]:
    """Every node of a SELECT's own expressions, including join conditions; nested queries are returned but not
    entered.
    """
    for name, value in select.args.items():
        if name not in _APART:
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, exp.Expr):
                    yield from nodes_of(part)
    for join in select.args.get("joins") or []:
        condition = join.args.get("on")
        if condition is not None:
            yield from nodes_of(condition)
    for lateral in select.args.get("laterals") or []:
        yield from nodes_of(lateral.this)


def nodes_of(node: exp.Expr) -> Iterator[exp.Expr]:
    """A node and all nodes below it; nested queries are returned but not entered."""
    yield node
    if isinstance(node, exp.Query):
        return
    for part in node.iter_expressions():
        yield from nodes_of(part)


def conjuncts(node: exp.Expr | None) -> Iterator[exp.Expr]:
    """The conjuncts of a condition."""
    if isinstance(node, (exp.Where, exp.Paren)):
        yield from conjuncts(node.this)
    elif isinstance(node, exp.And):
        yield from conjuncts(node.this)
        yield from conjuncts(node.expression)
    elif node is not None:
        yield node


def without_parentheses(node: exp.Expr) -> exp.Expr:
    """The expression inside parentheses or under an alias."""
    while isinstance(node, (exp.Paren, exp.Alias)):
        node = node.this
    return node


def table_name(table: exp.Table) -> str:
    """The dotted name of a table; a fourth part is a Dot in its name."""
    return ".".join(part.name for part in table.parts)


def alias_columns(node: exp.Expr) -> tuple[str, ...]:
    """The column names of an alias such as `x(a, b)`."""
    alias = node.args.get("alias")
    return tuple(column.name.lower() for column in alias.columns) if isinstance(alias, exp.TableAlias) else ()
