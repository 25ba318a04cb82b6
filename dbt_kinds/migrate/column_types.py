"""Which time variable fits an expression, by its type in a cast or in declared properties, or by its name."""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot import exp

from dbt_kinds.migrate.bounds import truncation

# from a table's placeholder name and a column to the type declared in properties
DeclaredType = Callable[[str, str], str | None]

TIME_NAME = re.compile(
    r"(?:.*(?:_at|time|timestamp|_?ts|_?tstamp|_?dttm|_on_ts|_at_utc|_ts_utc|_time_utc)|createdat|updatedat"
    # Fivetran's own column, a timestamp in every warehouse it writes
    r"|_fivetran_synced)"
)
DATE_NAME = re.compile(r".*(?:date|day|(?:^|_)dt)")
_NAMED: tuple[tuple[re.Pattern[str], str], ...] = ((TIME_NAME, "dt"), (DATE_NAME, "date"))
_DATE_WORDS = frozenset({"date", "day", "dt"})
_TYPES: tuple[tuple[str, str], ...] = (
    ("timestamp_ntz", "dtntz"),
    ("timestampntz", "dtntz"),
    ("timestamp", "dt"),
    ("datetime", "dt"),
    ("date", "date"),
)
_TEXTS = ("string", "varchar", "char", "text", "nvarchar")


def suffix_of_type(written: str, column: str = "") -> str | None:
    """`date` for a date type, `dt` for a timestamp type, `ds` for text in a column of that name, None for others."""
    lower = written.lower().strip()
    if column.lower() == "ds" and lower.startswith(_TEXTS):
        return "ds"
    return next((suffix for start, suffix in _TYPES if lower.startswith(start)), None)


def unknown_type(written: str, declared: str | None) -> str:
    """What to do about a column whose type is not known, or declared as one that may hold a time in several ways."""
    if declared is None:
        return (
            f"nothing says whether {written} is a date or a timestamp; declare its data_type in the properties of the "
            "table it comes from, or cast it"
        )
    return (
        f"{written} is declared as {declared}, which does not say how it holds a time; write the filter by hand, "
        "between start_ds() and end_ds() for text such as 2024-01-31, or with ts, epoch or millis"
    )


def suffix_of(expression: exp.Expr, select: exp.Select, declared: DeclaredType, *, against_date: bool) -> str | None:
    """The suffix of the time variables that an expression of a select may be compared with; None if unknown.

    Args:
        against_date: whether the model compares it with a date, which decides for names that contain a word for a date.
    """
    told = _told(expression, select, declared, depth=0)
    if told is not None:
        return told if told not in ("unknown", "text") else None
    while isinstance(expression, exp.Paren):
        expression = expression.this
    if not isinstance(expression, exp.Column):
        return None
    name = expression.name.lower()
    if name == "ds":
        return "ds"
    for pattern, suffix in _NAMED:
        if pattern.fullmatch(name):
            return suffix
    return "date" if against_date and _DATE_WORDS & set(name.split("_")) else None


def _told(expression: exp.Expr, select: exp.Select, declared: DeclaredType, depth: int) -> str | None:
    """The suffix from casts and declarations; `unknown` for an expression whose type is unknown or not a time, `text`
    for a formatted time.
    """
    if isinstance(expression, exp.Paren):
        return _told(expression.this, select, declared, depth)
    truncated = truncation(expression)
    if truncated is not None:
        is_date = isinstance(expression, exp.Cast | exp.Date | exp.TsOrDsToDate | exp.Anonymous)
        if is_date or isinstance(expression, exp.DateTrunc):
            inner = "date" if is_date else _told(truncated[0], select, declared, depth)
            # Spark's trunc returns dates; elsewhere date_trunc keeps the type of its argument
            return inner or ("date" if is_date else "dt")
        return "dt"
    if isinstance(expression, exp.Cast):
        return suffix_of_type(expression.to.sql()) or "unknown"
    if isinstance(expression, exp.Timestamp | exp.Datetime | exp.TsOrDsToTimestamp | exp.UnixToTime | exp.StrToTime):
        return "dt"
    if isinstance(expression, exp.TimeToStr):
        return "text"
    if isinstance(expression, exp.Coalesce | exp.Max | exp.Min):
        return _told(expression.this, select, declared, depth)
    if not isinstance(expression, exp.Column):
        return "unknown"
    if depth > 20:
        return None
    return _of_source(expression, select, declared, depth)


def _of_source(column: exp.Column, select: exp.Select, declared: DeclaredType, depth: int) -> str | None:
    from_ = select.args.get("from_") or select.args.get("from")
    sources = [from_.this] if from_ is not None else []
    sources += [join.this for join in select.args.get("joins") or []]
    if column.table:
        sources = [source for source in sources if source.alias_or_name.lower() == column.table.lower()]
    for source in sources:
        query = source.this if isinstance(source, exp.Subquery) else None
        if isinstance(source, exp.Table):
            query = cte_of(source)
            if query is None:
                told = declared(source.name, column.name.lower())
                if told is not None:
                    return suffix_of_type(told, column.name) or "unknown"
                continue
        while isinstance(query, exp.SetOperation | exp.Subquery):
            query = query.this
        if not isinstance(query, exp.Select):
            continue
        for projection in query.expressions:
            if projection.alias_or_name.lower() == column.name.lower() and not projection.is_star:
                told = _told(projection.unalias(), query, declared, depth + 1)
                return told if told != "unknown" else None
        if any(projection.is_star for projection in query.expressions):
            told = _of_source(exp.column(column.name), query, declared, depth + 1)
            if told is not None:
                return told
    return None


def cte_of(table: exp.Table) -> exp.Expr | None:
    """The query of the CTE that a table's name refers to."""
    if table.db:
        return None
    node: exp.Expr | None = table
    while node is not None:
        with_ = node.args.get("with_") or node.args.get("with")
        if with_ is not None:
            for cte in with_.expressions:
                if cte.alias.lower() == table.name.lower() and table.find_ancestor(exp.CTE) is not cte:
                    return cte.this  # type: ignore[no-any-return]
        node = node.parent
    return None
