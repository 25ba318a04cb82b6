"""Conditions with the current time: a row that one hides while its interval is loaded is never loaded.

Ever fewer rows meet a lower bound such as `expires_at > now()`: it hides nothing that it would show later, but what it
does not show any more is gone once its interval is replaced.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlglot import exp

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import MigrationNote, NoFilter
from dbt_kinds.migrate.bounds import Bound, asks_now, read_bound, truncation
from dbt_kinds.migrate.column_types import DATE_NAME
from dbt_kinds.migrate.durations import NOTHING, UNITS, Duration, duration, holds_whole, whole_intervals
from dbt_kinds.migrate.known_times import Known, known_from, unit_of
from dbt_kinds.migrate.meaning import Meaning
from dbt_kinds.migrate.parents import cte_of
from dbt_kinds.migrate.reading import leaves_of
from dbt_kinds.migrate.trace import Trace, sources_of
from dbt_kinds.readers.dbt.rendering import Names

_DAY = Duration(seconds=86400)
# a comparison as the bound that its right side is, and as the bound that its left side is
_COMPARED: dict[type[exp.Expr], tuple[str, str]] = {
    exp.GTE: (">=", "<="),
    exp.GT: (">", "<"),
    exp.LTE: ("<=", ">="),
    exp.LT: ("<", ">"),
    # what is not today is earlier, in an interval that is over
    exp.NEQ: ("<", "<"),
}
_ADVICE = "remove it, and set ready_until by hand"


@dataclass(frozen=True)
class Windows:
    """What replaces the filters: intervals of a unit, of which some are read again and replaced as a whole.

    Attributes:
        deletes: whether rows that are not there when their interval is read again are deleted, and stayed before.
    """

    unit: str
    looked_back: int
    deletes: bool
    names: Names
    dialect: str


def check_current_time(
    meaning: Meaning, followed: Trace, select: exp.Select, suffix: str, windows: Windows
) -> list[MigrationNote]:
    """Checks the upper bounds of a filter, and the conditions on its rows that stay.

    Args:
        suffix: the suffix of the time variables that the filtered expression is compared with.

    Raises:
        NoFilter (UnreadableBlock): one of them may hide rows of an interval that is due.
    """
    line, is_date = meaning.filter.line, suffix in ("date", "ds")
    for bound in meaning.upper:
        if bound.base == "now" and _hides(bound, windows.unit, is_date=is_date):
            raise NoFilter(
                MigrateCode.UnreadableBlock,
                f"an interval is loaded once it is over, and the upper bound lies before that; {_ADVICE}",
                line=line,
            )
    assert meaning.expression is not None
    notes: list[MigrationNote] = []
    levels = [(level, followed.known.get(id(level))) for level in select.root().find_all(exp.Select)]
    for level, known in (*levels, *_below(select, meaning.expression)):
        for condition in _conditions(level) if known is not None else ():
            for part in _parts(condition):
                notes += _check(part, known or [], windows, line, is_date=is_date)
    return notes


def _conditions(select: exp.Select) -> Iterator[exp.Expr]:
    for clause in ("where", "having", "qualify"):
        if select.args.get(clause) is not None:
            yield select.args[clause].this
    for join in select.args.get("joins") or []:
        if join.args.get("on") is not None:
            yield join.args["on"]


def _parts(condition: exp.Expr) -> Iterator[exp.Expr]:
    """The comparisons with the current time that a condition combines."""
    if isinstance(condition, exp.And | exp.Or):
        yield from _parts(condition.this)
        yield from _parts(condition.expression)
    elif isinstance(condition, exp.Paren):
        yield from _parts(condition.this)
    elif asks_now(condition):
        yield condition


def _check(condition: exp.Expr, known: Known, windows: Windows, line: int, *, is_date: bool) -> Iterator[MigrationNote]:
    written = f"`{condition.sql(dialect=windows.dialect)[:100]}`"
    problem = NoFilter(
        MigrateCode.UnreadableBlock,
        f"rows that {written} hides while their interval is loaded would never be loaded; {_ADVICE}",
        line=line,
    )
    comparisons = list(_comparisons(condition))
    if not comparisons:
        raise problem
    for left, operator, right in comparisons:
        bound = read_bound(right, windows.names, windows.dialect)
        if bound is None or bound.base != "now":
            raise problem
        is_known, truncated = unit_of(left, known)
        if operator in (">", ">="):
            if is_known:
                if not _shows_all(bound, operator, windows):
                    raise problem
                yield MigrationNote(
                    MigrateCode.SlidingStart,
                    f"{written} stays: an interval before it is loaded empty, so restate none of those",
                )
            elif windows.deletes:
                raise NoFilter(
                    MigrateCode.UnreadableBlock,
                    f"rows that {written} does not show any more when their interval is loaded again would be deleted, "
                    "and stayed before; remove it",
                    line=line,
                )
            continue
        bound = replace(bound, is_inclusive=operator == "<=")
        is_whole = is_date or (truncated in UNITS and holds_whole(truncated, "day"))
        if _hides(bound, windows.unit, is_date=is_whole) if is_known else not _cuts_future(left, bound):
            raise problem


def _comparisons(condition: exp.Expr) -> Iterator[tuple[exp.Expr, str, exp.Expr]]:
    """Comparisons of something with the current time, which stands on the right."""
    given: list[tuple[exp.Expr, tuple[str, str], exp.Expr]] = []
    if isinstance(condition, exp.Between):
        given.append((condition.this, _COMPARED[exp.GTE], condition.args["low"]))
        given.append((condition.this, _COMPARED[exp.LTE], condition.args["high"]))
    elif type(condition) in _COMPARED:
        given.append((condition.this, _COMPARED[type(condition)], condition.expression))
    for left, (operator, turned), right in given:
        if asks_now(right):
            yield left, operator, right
        elif asks_now(left):
            yield right, turned, left


def _hides(bound: Bound, unit: str, *, is_date: bool) -> bool:
    """Whether an upper bound may lie before the end of the newest interval that is over."""
    back = bound.shift
    if bound.truncated in UNITS and not holds_whole(unit, bound.truncated):
        back = back + (duration(1, bound.truncated) or NOTHING)
    if back.months <= 0 and back.seconds <= 0:
        return False
    is_yesterday = is_date and bound.is_inclusive and back == _DAY
    return not (is_yesterday and holds_whole(unit, "day"))


def _cuts_future(left: exp.Expr, bound: Bound) -> bool:
    """Whether an upper bound of another column only hides what lies after now, as it did before."""
    if bound.shift.months > 0 or bound.shift.seconds > 0:
        return False
    made = truncation(left)
    is_day = made[1] == "day" if made is not None else DATE_NAME.fullmatch(left.name.lower()) is not None
    return bound.truncated is None or (bound.truncated == "day" and bound.is_inclusive and is_day)


def cuts_future_only(bound: Bound, suffix: str) -> bool:
    """Whether an upper bound only hides what lies after now."""
    is_now = bound.base == "now" and bound.shift.months <= 0 and bound.shift.seconds <= 0
    is_day = bound.truncated == "day" and bound.is_inclusive and suffix in ("date", "ds")
    return is_now and (bound.truncated is None or is_day)


def ends_before_now(meaning: Meaning, suffix: str) -> bool:
    """Whether a filter has an end that hides rows which are there already; one beside another filter has that end."""
    return meaning.beside is None and not all(cuts_future_only(bound, suffix) for bound in meaning.upper)


def _shows_all(bound: Bound, operator: str, windows: Windows) -> bool:
    """Whether a lower bound lies before all intervals that one run may replace."""
    is_truncated = bound.truncated in UNITS and holds_whole(bound.truncated, windows.unit)
    needed = windows.looked_back + (1 if is_truncated else 2) + (operator == ">")
    return whole_intervals(bound.shift, windows.unit) >= needed


def _below(select: exp.Select, expression: exp.Expr, depth: int = 0) -> Iterator[tuple[exp.Select, Known]]:
    """The selects that an expression of a select comes from, each with what it is there."""
    columns = list(expression.find_all(exp.Column))
    if len(columns) != 1 or depth > 20:
        return
    name, table = columns[0].name.lower(), columns[0].table.lower()
    for source in sources_of(select):
        if table and source.alias_or_name.lower() != table:
            continue
        query = cte_of(source) if isinstance(source, exp.Table) else source.this
        leaves = list(leaves_of(query)) if isinstance(query, exp.Query) else []
        # the first of a union names the columns of all
        names = [projection.alias_or_name.lower() for projection in leaves[0].expressions] if leaves else []
        for leaf in (leaf for leaf in leaves if isinstance(leaf, exp.Select)):
            has_star = leaf.is_star or leaves[0].is_star
            inner = exp.column(name) if leaf.is_star else None
            if name in names and (leaf is leaves[0] or not has_star):
                inner = leaf.expressions[names.index(name)].unalias()
            if inner is not None:
                yield leaf, known_from(inner)
                yield from _below(leaf, inner, depth + 1)
