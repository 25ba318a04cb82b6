"""Watermarks of some rows: `ts > (select max(ts) from {{ this }} where source = 'web')` beside `'web' as source`.

The newest of those rows stands for the newest of the table where the filtered rows are such rows, and no others.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from dbt_kinds.analysis.tree import conjuncts
from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left
from dbt_kinds.migrate.bounds import is_of_part
from dbt_kinds.migrate.known_times import same
from dbt_kinds.migrate.meaning import Meaning
from dbt_kinds.migrate.reading import leaves_of
from dbt_kinds.migrate.trace import Trace, ends_in
from dbt_kinds.migrate.unread_conditions import shown


def check_newest_of_parts(
    tree: exp.Query,
    meanings: list[Meaning],
    selects: list[exp.Select],
    traces: list[Trace],
    key: tuple[str, ...],
    dialect: str,
) -> None:
    """Checks that what a filter asks the newest row of some rows for becomes such rows, and that no others replace
    them.

    Raises:
        Left (ReadsThisElsewhere): it becomes others, too, or others may have their key.
    """
    for meaning, select, followed in zip(meanings, selects, traces, strict=True):
        for condition in (condition for bound in meaning.lower for condition in bound.among):
            passed = {id(select)} | (followed.covered if followed.roots == 1 else set())
            told = f"{meaning.written} is compared with the newest of the rows with `{shown(condition.sql(dialect))}`"
            if not any(_holds(tree, one, condition) for one in tree.find_all(exp.Select) if id(one) in passed):
                raise Left(
                    MigrateCode.ReadsThisElsewhere,
                    f"{told}, and the rows that are read may be others; select that value beside the filter, or "
                    "compare with the newest of all rows",
                    line=meaning.filter.line,
                )
            if not _is_kept(tree, condition, key):
                raise Left(
                    MigrateCode.ReadsThisElsewhere,
                    f"{told}, which rows of other parts replace where they have the same {', '.join(key)}; take "
                    f"{condition.this.name} into the key, or compare with the newest of all rows",
                    line=meaning.filter.line,
                )


def _is_kept(tree: exp.Query, condition: exp.Expr, key: tuple[str, ...]) -> bool:
    """Whether rows for which a condition is true are replaced by such rows alone: others have other keys, or there are
    none.
    """
    names = {name.lower() for name in key}
    if not names or condition.this.name.lower() in names or tree.find(exp.SetOperation) is None:
        return True
    if len(names) != 1 or not isinstance(tree, exp.SetOperation):
        return False
    parts = [part for part in leaves_of(tree) if isinstance(part, exp.Select)]
    places = [at for at, one in enumerate(parts[0].expressions) if one.alias_or_name.lower() in names]
    if len(places) != 1 or any(projection.is_star for part in parts for projection in part.expressions):
        return False
    begun = [_beginning(part.expressions[places[0]]) for part in parts]
    return all(begun) and not any(
        one.startswith(other) for at, one in enumerate(begun) for other in (*begun[:at], *begun[at + 1 :])
    )


def _beginning(projection: exp.Expr) -> str:
    """The text that a key of several texts begins with: `'web-' || id`."""
    made = _without_casts(projection)
    texts = list(made.flatten()) if isinstance(made, exp.DPipe) else made.expressions
    first = texts[0] if texts and isinstance(made, exp.DPipe | exp.Concat) else None
    return first.name if isinstance(first, exp.Literal) and first.is_string else ""


def _holds(tree: exp.Query, select: exp.Select, condition: exp.Expr) -> bool:
    """Whether each row of a select becomes one of the table for which a condition is true."""
    name = condition.this.name
    if isinstance(condition, exp.EQ):
        values = [made for made in map(_constant, select.expressions) if made is not None]
        alike = [made for made in values if same(made, condition.expression)]
        if alike and all(made == condition.expression for made in alike) and ends_in(tree, select, alike[0], name):
            return True
    return any(
        _compared(part) == _compared(condition) and ends_in(tree, select, part.this, name) for part in _required(select)
    )


def _constant(projection: exp.Expr) -> exp.Literal | None:
    made = _without_casts(projection)
    return made if isinstance(made, exp.Literal) else None


def _without_casts(projection: exp.Expr) -> exp.Expr:
    made = projection.unalias()
    while isinstance(made, exp.Cast | exp.Paren):
        made = made.this
    return made


def _required(select: exp.Select) -> Iterator[exp.Expr]:
    """The conditions of its WHERE that compare a column with fixed values."""
    where = select.args.get("where")
    yield from (part for part in conjuncts(where.this) if is_of_part(part)) if where is not None else ()


def _compared(condition: exp.Expr) -> tuple[type[exp.Expr], frozenset[str]]:
    """What a column is compared with, and how."""
    values = [condition.expression] if isinstance(condition, exp.EQ) else condition.expressions
    return type(condition), frozenset(value.sql() for value in values)
