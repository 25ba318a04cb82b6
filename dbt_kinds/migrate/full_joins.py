"""The time of the rows of a full join: that of either side."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.analysis.tree import conjuncts
from dbt_kinds.migrate.bounds import truncation
from dbt_kinds.migrate.known_times import Known, unit_of


def coalesced(full: exp.Join, known: Known, other: str) -> Known:
    """What is known of the rows of a full join on the time: the one of either side, if both are filtered alike."""
    pairs = [
        (exp.column(name.name, table=expression.table), exp.column(name.name, table=other))
        for name in full.args.get("using") or []
        for expression, _ in known
        if isinstance(expression, exp.Column) and expression.name.lower() == name.name.lower()
    ]
    for part in conjuncts(full.args.get("on")):
        if isinstance(part, exp.EQ):
            pairs += [(part.this, part.expression), (part.expression, part.this)]
    found: Known = []
    for mine, theirs in pairs:
        is_known, unit = unit_of(mine, known)
        made = truncation(theirs)
        is_time = isinstance(made[0] if made is not None else theirs, exp.Column)
        tables = {column.table.lower() for column in theirs.find_all(exp.Column)}
        if not is_known or not is_time or tables != {other.lower()}:
            continue
        found += _either(mine, theirs, unit)
        own = truncation(mine)
        if own is not None and made is not None and own[1] == made[1]:
            # those of one day are in one window
            found += _either(own[0], made[0], None)
    return found


def _either(mine: exp.Expr, theirs: exp.Expr, unit: str | None) -> Known:
    pairs = ((mine, theirs), (theirs, mine))
    return [(exp.Coalesce(this=one.copy(), expressions=[other.copy()]), unit) for one, other in pairs]
