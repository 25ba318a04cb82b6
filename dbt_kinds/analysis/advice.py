"""The words of findings: what is wrong with a construct on a slice of time, and what to write instead."""

from __future__ import annotations

from dbt_kinds.analysis.windows import Window

FRAME = "RANGE BETWEEN INTERVAL '…' PRECEDING AND CURRENT ROW over a time column"


def window_functions(window: Window, column: str) -> str:
    """A window that looks into other partitions."""
    advice = f"add the column that becomes {column} to its PARTITION BY"
    if not window.is_ranking:
        advice += f", or bound it with {FRAME}"
    name = window.function.upper() or "a window"
    return f"{name} OVER looks at rows of other partitions; {advice}, or set allow_window_functions"


def having(column: str) -> str:
    """HAVING over groups that several partitions make up."""
    return (
        "HAVING keeps or drops a group by rows of several partitions; "
        f"add the column that becomes {column} to GROUP BY, or set allow_having"
    )


def distinct(name: str, column: str) -> str:
    """DISTINCT, UNION, INTERSECT or EXCEPT without the partition column."""
    return (
        f"{name} compares rows of several partitions, for the column that becomes {column} is not among its columns; "
        "project it, or set allow_distinct"
    )


def limit(name: str) -> str:
    """LIMIT or OFFSET."""
    return f"{name} picks other rows from a slice than from the whole; remove it, or set allow_limit"


SUBQUERIES = (
    "a subquery in the place of an expression reads a timeseries source, and a reader does not see what ties its time "
    "to the row's; join it, or set allow_subqueries"
)


def nondeterministic(name: str, replacement: str | None) -> str:
    """A call that gives something else the next time."""
    instead = f"write {{{{ dbt_kinds.{replacement}() }}}}, one instant a run" if replacement else "remove it"
    return (
        f"{name} gives something else each time, so a partition changes whenever it is loaded again; "
        f"{instead}, or set allow_nondeterministic"
    )


def partition_not_grouped(column: str) -> str:
    """A partition value that comes out of an aggregation."""
    return (
        f"{column} comes out of an aggregation that is not grouped by it, so its rows are made of several partitions; "
        "add it to GROUP BY"
    )


def partition_not_projected(column: str) -> str:
    """No such output column."""
    return f"the query has no column {column}; project it, or correct timeseries.partition_column"


def event_time_not_referenced(column: str) -> str:
    """A name that stands nowhere."""
    return f"{column} occurs nowhere in the query; correct timeseries.event_time_column"


def unique_key_not_projected(column: str) -> str:
    """No such output column."""
    return f"the query has no column {column}; project it, or take it out of incremental.unique_key"


def granularity_too_fine(column: str, unit: str) -> str:
    """A granularity that the values cannot tell apart."""
    return (
        f"{column} tells one {unit} from another and nothing finer; declare granularity: {unit}, "
        "or project a finer column"
    )


def unknown_interval_unit(text: str) -> str:
    """An INTERVAL that Spark cannot read."""
    return (
        f"{text} has no unit that Spark knows; write one of year, month, week, day, hour, minute, second, "
        "millisecond, microsecond"
    )


def not_derivable(source: str, column: str, *, is_window: bool) -> str:
    """A source of which nothing says how much a window of the model needs."""
    if is_window:
        why = "this window looks at rows of it at an unknown distance"
    else:
        why = f"nothing ties its time to {column}"
    return (
        f"how much of {source} a run needs cannot be derived: {why}; bound windows over it with {FRAME}, and write in "
        f"WHERE or ON, say, {source}.<time column> BETWEEN {column} - INTERVAL '1 day' AND {column}"
    )
