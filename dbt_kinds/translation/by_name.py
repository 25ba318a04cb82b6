"""Rewrites `UNION BY NAME` with columns in one order, as Spark 3.5 requires."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.star_expansion import ColumnsOf, output_columns


def write_by_position(tree: exp.Expr, dialect: str, columns_of: ColumnsOf) -> None:
    """Gives both sides of every UNION BY NAME the columns of both, in the order of the first.

    Raises:
        NotInSpark: the columns of a side are not known, or the two are matched in some other way.
    """
    # from the innermost: a side may itself be such a union
    for union in reversed([node for node in tree.walk(bfs=False) if isinstance(node, exp.SetOperation)]):
        if union.args.get("by_name"):
            _write_by_position(union, dialect, columns_of)


def _write_by_position(union: exp.SetOperation, dialect: str, columns_of: ColumnsOf) -> None:
    if any(union.args.get(part) for part in ("side", "kind", "on")):
        raise NotInSpark("this form of BY NAME has no counterpart in Spark; write the columns of both sides out", union)
    wanted = output_columns(union, dialect, columns_of)
    for part in ("this", "expression"):
        columns = output_columns(union.args[part], dialect, columns_of)
        if columns is None or wanted is None:
            message = (
                "the columns of a side of UNION BY NAME are not known, and Spark 3.5 goes by position; declare them"
            )
            raise NotInSpark(message, union.args[part], needs_columns=True)
        if _lower(columns) != _lower(wanted):
            union.set(part, _selected(union.args[part], columns, wanted))
    union.set("by_name", False)


def _lower(names: list[str]) -> list[str]:
    return [name.lower() for name in names]


def _selected(side: exp.Expr, columns: list[str], wanted: list[str]) -> exp.Select:
    query = side if isinstance(side, exp.Subquery) and not side.alias else exp.Subquery(this=side.copy())
    query.set("alias", exp.TableAlias(this=exp.to_identifier("_side")))
    has = _lower(columns)
    names = [exp.column(name) if name.lower() in has else exp.alias_(exp.null(), name) for name in wanted]
    return exp.Select(expressions=names, from_=exp.From(this=query))
