"""The text of findings: what is wrong with a construct on a slice of time, and what to write instead."""

from __future__ import annotations

from dbt_kinds.analysis.windows import Window

FRAME = "RANGE BETWEEN INTERVAL '…' PRECEDING AND CURRENT ROW over a time column"


def window_functions(window: Window, column: str) -> str:
    """A window function that looks into other partitions."""
    advice = f"add the column that becomes {column} to its PARTITION BY"
    if not window.is_ranking:
        advice += f", or bound it with {FRAME}"
    name = window.function.upper() or "a window"
    return f"{name} OVER looks at rows of other partitions; {advice}, or set allow_window_functions"


def having(column: str) -> str:
    """HAVING over groups that span several partitions."""
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
    "to the row's; join it, with LEFT SEMI JOIN instead of IN and EXISTS, or set allow_subqueries"
)


def nondeterministic(name: str, replacement: str | None) -> str:
    """A call whose result differs from one execution to the next."""
    instead = f"write {{{{ dbt_kinds.{replacement}() }}}}, one instant a run" if replacement else "remove it"
    return (
        f"{name} gives something else each time, so a partition changes whenever it is loaded again; "
        f"{instead}, or set allow_nondeterministic"
    )


def partition_not_grouped(column: str) -> str:
    """A partition value that is the result of an aggregation."""
    return (
        f"{column} comes out of an aggregation that is not grouped by it, so its rows are made of several partitions; "
        "add it to GROUP BY"
    )


def partition_not_projected(column: str) -> str:
    """The configured partition column is not in the output."""
    return f"the query has no column {column}; project it, or correct timeseries.partition_column"


def event_time_not_referenced(column: str) -> str:
    """The configured event time column appears nowhere in the query."""
    return f"{column} occurs nowhere in the query; correct timeseries.event_time_column"


def unique_key_not_projected(column: str) -> str:
    """A unique key column is not in the output."""
    return f"the query has no column {column}; project it, or take it out of incremental.unique_key"


def granularity_too_fine(column: str, unit: str) -> str:
    """A granularity finer than the values can represent."""
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
    """A source for which the range that a window needs cannot be derived."""
    predicate = f"{source}.<time column> BETWEEN {column} - INTERVAL '1 day' AND {column}"
    if is_window:
        why = (
            "this window looks at rows of it at an unknown distance, or orders by a time that an outer join leaves NULL"
        )
        advice = f"bound the window with {FRAME}, and write in WHERE or ON, say, {predicate}"
    else:
        why, advice = f"nothing ties its time to {column}", f"write in WHERE or ON, say, {predicate}"
    return f"how much of {source} a run needs cannot be derived: {why}; {advice}"


def narrow_read(source: str) -> str:
    """A condition that ends before the range that windows and joins read."""
    return (
        f"this condition cuts off rows of {source} that a window or join here looks at; "
        f"remove it and read {source} through dbt_kinds.window_of, or move it out by that much"
    )


def early_read(source: str) -> str:
    """A condition that ends before the model's own window does."""
    return (
        f"this condition leaves out rows of {source} inside the window: the time variables are the first and the last "
        "value in it; write BETWEEN, with variables of the column's type (start_date for dates, start_ts for "
        f"timestamps), or read {source} through dbt_kinds.window_of"
    )


def uncertain_read(source: str) -> str:
    """A condition on the window that is not a range on a time column."""
    of = source or "a table"
    return (
        f"how much of {of} this condition lets a run read is not known; compare a column that its time_column names "
        f"with time variables of its type, or read {of} through dbt_kinds.window_of"
    )


WINDOW_IN_VALUE = (
    "the edges of the window differ from batch to batch, so a partition depends on the batch it was loaded in; "
    "keep the time variables in WHERE and ON, or set allow_nondeterministic"
)

CUMULATIVE_GROUP_BY = "a cumulative_aggregate keeps one row a key; write GROUP BY with the columns that are its key"
CUMULATIVE_GROUPING_SETS = (
    "ROLLUP, CUBE and GROUPING SETS give rows of several keys; group by plain columns, one model for each grouping"
)
CUMULATIVE_KEY_NOT_PROJECTED = "rows are merged by what they are grouped by; project every GROUP BY key"
CUMULATIVE_NO_SOURCE = (
    "it reads no timeseries source, so there are no partitions to add up; declare timeseries on the source that grows, "
    "or write materialization: table"
)
CUMULATIVE_WINDOW = "a window looks at rows of other partitions, which a merge does not see; remove it"
CUMULATIVE_SUBQUERY = "a subquery sees one partition of the timeseries source at a time; join it, or remove it"


def cumulative_nondeterministic(name: str) -> str:
    """A call whose result differs from one execution to the next, in a cumulative aggregate."""
    return f"{name} gives something else each time, and what was merged once is never computed again; remove it"


def cumulative_clause(name: str) -> str:
    """A clause that compares or picks rows within one partition only."""
    return (
        f"{name} would see the rows of one partition, not those of all so far; "
        "remove it, and do it in a view over this model"
    )


def cumulative_sources(addresses: list[str]) -> str:
    """More than one timeseries source."""
    return (
        f"it reads {len(addresses)} timeseries sources, {', '.join(addresses)}; one drives it, "
        "so join them in a model before this one"
    )


def cumulative_read_twice(source: str) -> str:
    """A source joined to itself."""
    return (
        f"it joins {source} with itself, and a run sees one partition of each; do the join in a model before this one"
    )


def cumulative_other_rows(source: str) -> str:
    """Rows that belong to no partition."""
    return (
        f"there are rows here without a row of {source}, which every partition would add again; "
        f"drive it by {source} alone, with other tables on the right of LEFT JOIN"
    )


def cumulative_partition(column: str) -> str:
    """A state that includes the partition column and so ends with its partition."""
    return f"its key contains {column}, so no row is ever added to; write materialization: table with incremental"


def cumulative_below(source: str) -> str:
    """An aggregation across partitions below the one that is combined."""
    return (
        f"rows of several partitions of {source} are aggregated below the outermost GROUP BY; "
        "group by its partition column there"
    )


def cumulative_aggregator(text: str) -> str:
    """An output for which two states have no combiner."""
    return (
        f"{text} is neither a GROUP BY key nor one named aggregate that can be combined; write one of COUNT, SUM, MIN, "
        "MAX, BOOL_AND, BOOL_OR, BIT_AND, BIT_OR, BIT_XOR with an alias, and compute with it in a view over this model"
    )
