"""Where SQLMesh 0.236 and dbt_kinds leave different rows: observed, named and explained. docs/coming-from/sqlmesh.md tells it to readers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

BOTH = ("duckdb", "spark")


@dataclass(frozen=True)
class Difference:
    """One model of a sequence; for each step that differs, the rows SQLMesh has more than dbt_kinds, and those it has less."""

    sequence: str
    model: str
    engines: tuple[str, ...]
    effect: str
    why: str
    steps: Mapping[int, tuple[list[str], list[str]]]


VANISHED = "Spark: a dynamic overwrite replaces the partitions that get rows; one that gets none keeps its old rows"
MOVED = "Spark: the table is partitioned by the time column itself, so a row that moves to another instant stays at the old one, too"
FIRST_LOAD = (
    "the first batch is inserted as it is, without a look at its keys; dbt_kinds refuses it, or keeps the latest"
)
ANY_ROW = "of several rows of one key in a later batch, DuckDB gets any one"
MERGE_FAILS = "of several rows of one key in a later batch, Spark's merge refuses all; the doubled first load stays"
NULL_KEY = (
    "NULL equals nothing, so a row without a key is inserted anew by every batch; dbt_kinds refuses it, or matches it"
)
GLUED_KEYS = "DuckDB: several key columns are glued together without their NULLs, so that two keys become one"
NULL_PARTITION = (
    "DuckDB: NULL equals nothing, so the rows of the partition NULL are not deleted before they are inserted"
)
NOT_RECORDED = (
    "the write is there, its record is not, and an append cannot tell; dbt_kinds looks whether the write arrived"
)
HOLE = "a restated interval stays recorded while its rows are replaced; after a failure no run comes back to it"
FILTER = "the filter is part of the join, so that a row which fails it counts as new; in dbt_kinds it decides on the update only"
NO_FILTER = "DuckDB: merge_filter is not supported, which shows in the first merge"

DIFFERENCES = (
    *(
        Difference("daily_life", model, ("spark",), "doubles", VANISHED, {7: (["5 e 07 50"], [])})
        for model in ("time_range", "time_range_lookback", "by_partition")
    ),
    Difference(
        "moved", "time_range", ("spark",), "doubles", MOVED,
        {2: (["2 b 02 20"], []), 3: (["2 b 02 20"], [])},
    ),
    Difference(
        "moved", "time_range_lookback", ("spark",), "doubles", f"{MOVED}; {VANISHED}",
        {1: (["2 b 02 20"], []), 2: (["2 b 02 20"], []), 3: (["2 b 02 09h 20", "2 b 02 20", "3 c 02 07h 30"], [])},
    ),
    Difference(
        "duplicate_keys", "unique_key", ("duckdb",), "doubles", f"{FIRST_LOAD}; {ANY_ROW}",
        {0: (["1 a 01 10", "1 b 01 12", "2 a 01 20"], []), 1: (["1 a 01 10", "1 b 01 12", "2 b 02 21"], [])},
    ),
    Difference(
        "duplicate_keys", "unique_key", ("spark",), "doubles", f"{FIRST_LOAD}; {MERGE_FAILS}",
        {0: (["1 a 01 10", "1 b 01 12", "2 a 01 20"], []), 1: (["1 a 01 10", "1 b 01 12", "2 a 01 20"], [])},
    ),
    Difference(
        "duplicate_keys", "keep_latest", ("duckdb",), "doubles", f"{FIRST_LOAD}; {ANY_ROW}",
        {0: (["1 a 01 10"], []), 1: (["1 a 01 10", "2 b 02 21"], ["2 c 02 25"])},
    ),
    Difference(
        "duplicate_keys", "keep_latest", ("spark",), "doubles", f"{FIRST_LOAD}; {MERGE_FAILS}",
        {0: (["1 a 01 10"], []), 1: (["1 a 01 10", "2 a 01 20"], ["2 c 02 25"])},
    ),
    Difference(
        "null_keys", "unique_key", BOTH, "doubles", NULL_KEY,
        {0: (["1 a 01 10", "None a 01 20"], []), 1: (["1 a 01 10", "None a 01 20", "None a 02 21"], [])},
    ),
    Difference("null_keys", "null_match", BOTH, "doubles", NULL_KEY, {1: (["None a 01 20"], [])}),
    Difference("null_in_two_keys", "two_keys", ("duckdb",), "loses", GLUED_KEYS, {1: ([], ["1 None 01 10"])}),
    *(
        Difference("null_partitions", model, ("duckdb",), "doubles", NULL_PARTITION, {1: (["2 None 01 20"], [])})
        for model in ("by_partition", "overwriting")
    ),
    Difference("failed_append", "unmanaged", BOTH, "doubles", NOT_RECORDED, {2: (["2 b 02 20"], [])}),
    Difference(
        "failed_query", "time_range_poisoned", ("duckdb",), "loses", f"{HOLE}; DuckDB deletes first, in no transaction",
        {1: ([], ["2 b 02 20"]), 2: ([], ["2 b 02 22"])},
    ),
    Difference(
        "failed_query", "time_range_poisoned", ("spark",), "loses", HOLE,
        {2: (["2 b 02 20"], ["2 b 02 22"])},
    ),
    Difference("merge_filter", "filtered", ("duckdb",), "refuses", NO_FILTER, {1: (["2 b 01 20"], ["2 b 02 25"])}),
    Difference("merge_filter", "filtered", ("spark",), "doubles", FILTER, {1: (["1 a 02 5"], [])}),
)  # fmt: skip
