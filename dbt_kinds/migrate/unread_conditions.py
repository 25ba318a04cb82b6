"""Why a condition selects no range of time, with what to write instead."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left, NoFilter
from dbt_kinds.migrate.absences import reads_this
from dbt_kinds.migrate.bounds import Bound, truncation
from dbt_kinds.migrate.conditions import Comparison
from dbt_kinds.migrate.durations import LONG_UNITS
from dbt_kinds.readers.dbt.rendering import THIS, Names

_CODE = re.compile(r"kinds_code_\d+")


def shown(written: str) -> str:
    """A condition as a message shows it, on one line."""
    return " ".join(written.split())[:120]


def unequal(comparison: Comparison, bound: Bound, names: Names, line: int) -> Left:
    """Why a condition with `=` selects no range of time, with what to write instead."""
    short = shown(comparison.whole)
    if bound.base == "latest":
        return Left(
            MigrateCode.ReadsThisElsewhere,
            f"`{short}` reads what is equal to the newest value of the table, and nothing after it; write >=",
            line=line,
        )
    unit, made = bound.truncated, truncation(comparison.expression)
    if bound.base == "now" and unit in LONG_UNITS:
        advice = f"write `>=`, which reads the {unit}s since then, too"
        if made is None and bound.shift.is_zero:
            of = shown(comparison.written)
            advice = f"if {of} holds beginnings of {unit}s, write date_trunc('{unit}', {of}) in its place"
        return NoFilter(MigrateCode.UnreadableBlock, f"`{short}` selects a single {unit}; {advice}", line=line)
    if bound.base == "now" and (made is None or made[1] == "day"):
        return NoFilter(
            MigrateCode.UnreadableBlock,
            f"`{short}` selects one day, and not the one that is over when a run begins; write `>=`, which reads the "
            "days since then, too",
            line=line,
        )
    return unreadable(comparison, names, line)


def unreadable(comparison: Comparison, names: Names, line: int) -> Left:
    """Why a condition that is none of those that are read leaves a model."""
    whole = " ".join(
        part for part in (comparison.written, comparison.operator, comparison.written_other) if part != "other"
    )
    short = shown(whole)
    parts = [comparison.expression, *comparison.others]
    if any(table.name == THIS for part in parts for table in part.find_all(exp.Table)):
        made = next((found.this for part in parts for found in part.find_all(exp.Max)), None)
        if made is not None and not isinstance(made, exp.Column) and truncation(made) is None:
            written = " ".join(made.sql().split())[:80]
            return Left(
                MigrateCode.ReadsThisElsewhere,
                f"`{short}` asks for the newest `{written}`, which is no column of the model; select it as a column, "
                "and compare it with the newest value of that",
                line=line,
            )
        newest = [found for part in parts for found in part.find_all(exp.Subquery) if _is_newest(found)]
        if newest:
            return NoFilter(
                MigrateCode.UnreadableBlock,
                f"`{short}` computes its bound from the newest value in a way that is not read; write it as "
                "max(column), or that less some days or hours, with a date or a timestamp where there is none",
                line=line,
            )
        return Left(
            MigrateCode.ReadsThisElsewhere,
            f"`{short}` reads the model's own table for more than its newest value",
            line=line,
        )
    if any(code not in names.moments for part in parts for code in _computed(part)):
        return NoFilter(
            MigrateCode.UnreadableBlock,
            f"`{short}` applies only on incremental runs, and the template computes its bound; write the bound in SQL, "
            "as the newest value of a column, or current_date less some days",
            line=line,
        )
    if not any(_is_of_row(column, part) for part in parts for column in part.find_all(exp.Column)):
        return NoFilter(
            MigrateCode.UnreadableBlock,
            f"`{short}` applies only on incremental runs, and to all rows alike; take it out if it only saves work, or "
            "compare a column of the rows",
            line=line,
        )
    return NoFilter(
        MigrateCode.UnreadableBlock,
        f"`{short}` applies only on incremental runs, and is no bound that can be read; write it as a column compared "
        "with its newest value, the current time or a variable, less some days or hours",
        line=line,
    )


def _is_newest(subquery: exp.Subquery) -> bool:
    """Whether a subquery asks the model's own table for one newest value, of all rows."""
    query = subquery.this
    if not isinstance(query, exp.Select) or not reads_this(query) or len(query.expressions) != 1:
        return False
    is_of_all = all(query.args.get(name) is None for name in ("where", "group", "having", "limit", "order"))
    return is_of_all and len(list(query.find_all(exp.Max))) == 1 and query.find(exp.Window) is None


def _computed(part: exp.Expr) -> Iterator[str]:
    """What a template prints in a part of a condition, other than variables."""
    for node in part.walk():
        if isinstance(node, exp.Literal | exp.Identifier) and _CODE.fullmatch(node.name):
            yield node.name


def _is_of_row(column: exp.Column, part: exp.Expr) -> bool:
    """Whether a column of a part of a condition is of the filtered rows, and of no query in that part."""
    node: exp.Expr | None = column
    while node is not None and node is not part:
        if isinstance(node, exp.Query):
            return False
        node = node.parent
    return not isinstance(part, exp.Subquery)
