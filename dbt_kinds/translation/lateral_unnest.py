"""Lists joined to the rows that hold them: `from t join unnest(t.items) as i(item)`.

sqlglot makes each a LATERAL VIEW behind all joins, and loses the condition, LEFT, and the place among the joins.
"""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.table_functions import UNNAMED, counts_from_1, numbered_rows, numbered_select


def join_lists(select: exp.Select, dialect: str) -> None:
    """Joins of lists become LATERAL VIEW if nothing depends on their place, else `JOIN LATERAL explode(…)`.

    Raises:
        NotInSpark: a list has no named columns, or a join of Spark's has no such form.
    """
    joins = select.args.get("joins") or []
    lists = [join for join in joins if _unnest(join) is not None]
    if not lists:
        return
    is_last = all(_unnest(join) is not None for join in joins[-len(lists) :])
    as_views = is_last and all(_is_unconditional(join) for join in lists)
    for join in lists:
        rows, alias = _rows(join, dialect, as_views=as_views)
        if as_views:
            view = exp.Lateral(this=rows, view=True, outer=_is_left(join), alias=alias)
            select.append("laterals", view)
            join.pop()
            continue
        if not _is_left(join) and join.args.get("on") is None:
            join.set("kind", "CROSS")
        join.set("this", exp.Lateral(this=rows, alias=alias))


def _unnest(join: exp.Join) -> exp.Unnest | None:
    joined = join.this.this if isinstance(join.this, exp.Lateral) else join.this
    return joined if isinstance(joined, exp.Unnest) else None


def _is_left(join: exp.Join) -> bool:
    return join.side.upper() == "LEFT"


def _is_unconditional(join: exp.Join) -> bool:
    return join.args.get("on") in (None, exp.true())


def _rows(join: exp.Join, dialect: str, *, as_views: bool) -> tuple[exp.Expr, exp.TableAlias]:
    """What makes the rows of a list, and the names for them."""
    unnest = _unnest(join)
    assert unnest is not None
    is_plain = not join.args.get("using") and join.kind.upper() in ("", "INNER", "CROSS", "OUTER") and not join.method
    if not is_plain or join.side.upper() not in ("", "LEFT"):
        raise NotInSpark("this join of a list has no counterpart in Spark; write JOIN or LEFT JOIN … ON", unnest)
    alias = join.this.args.get("alias") or exp.TableAlias()
    columns = [column.copy() for column in alias.columns]
    if not columns:
        raise NotInSpark("the column of a joined list needs a name in Spark; write UNNEST(…) AS t(c)", unnest)
    position, lists = unnest.args.get("offset"), [one.copy() for one in unnest.expressions]
    if counts_from_1(unnest, dialect):
        rows: exp.Expr = (numbered_rows if as_views else numbered_select)(unnest, columns)
        columns.append(unnest.args["offset"].copy())
    elif position:
        rows = exp.Posexplode(this=lists[0])
        columns.insert(0, position.copy())
    elif len(lists) > 1:
        rows = exp.Inline(this=exp.Anonymous(this="ARRAYS_ZIP", expressions=lists))
    else:
        rows = exp.Explode(this=lists[0])
    return rows, exp.TableAlias(this=alias.this or exp.to_identifier(UNNAMED), columns=columns)
