"""The same models twice: as SQLMesh writes them, and as dbt_kinds does."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

COLUMNS = (
    "select cast(id as int) as id, cast(region as string) as region, cast(ts as timestamp) as ts, cast({n} as int) as n"
)
BY_DAY = COLUMNS + " from {source} where ts between {start} and {end}"
# NULL is a region like any other
BY_REGION = COLUMNS + (
    " from {source} where coalesce(region, 'none') in"
    " (select coalesce(region, 'none') from {source} where ts between {start} and {end})"
)
# a value that no engine can compute
POISONED = BY_DAY.replace("{n}", "case when region = 'poison' then cast({fail} as int) else n end")


@dataclass(frozen=True)
class Model:
    """One model; `kind` and `partitioned_by` in SQLMesh's words, the rest in ours."""

    name: str
    kind: str
    materialized: str
    query: str = BY_DAY
    options: dict[str, Any] = field(default_factory=dict)
    partitioned_by: str = ""

    def for_sqlmesh(self, engine: str) -> dict[str, str]:
        """The model as the driver wants it."""
        fail = "raise_error('poisoned')" if engine == "spark" else "error('poisoned')"
        query = self._query("{source}", "@start_dt", "@end_dt", fail)
        return {"name": self.name, "kind": self.kind, "partitioned_by": self.partitioned_by, "query": query}

    def for_dbt(self) -> str:
        """The model's query, in dbt."""
        start, end = ("{{ dbt_kinds." + bound + "_dt() }}" for bound in ("start", "end"))
        return self._query("{{ target.schema }}.source_rows", start, end, "raise_error('poisoned')")

    def _query(self, source: str, start: str, end: str, fail: str) -> str:
        words = {"{n}": "n", "{source}": source, "{start}": start, "{end}": end, "{fail}": fail}
        query = self.query
        for word, text in words.items():
            query = query.replace(word, text)
        return query


def _by_key(name: str, kind: str = "", unique_key: tuple[str, ...] = ("id",), **options: Any) -> Model:
    written = ", ".join(filter(None, [f"unique_key ({', '.join(unique_key)})", "batch_size 1", kind]))
    return Model(
        name, f"INCREMENTAL_BY_UNIQUE_KEY ({written})", "incremental_by_unique_key",
        options={"unique_key": list(unique_key), "batch_size": 1} | options,
    )  # fmt: skip


TIME_RANGE = Model("time_range", "INCREMENTAL_BY_TIME_RANGE (time_column ts)", "incremental_by_time_range")
TIME_RANGE_LOOKBACK = Model(
    "time_range_lookback", "INCREMENTAL_BY_TIME_RANGE (time_column ts, lookback 2)", "incremental_by_time_range",
    options={"lookback": 2},
)  # fmt: skip
TIME_RANGE_POISONED = Model(
    "time_range_poisoned", "INCREMENTAL_BY_TIME_RANGE (time_column ts)", "incremental_by_time_range", POISONED
)
UNIQUE_KEY = _by_key("unique_key")
UNIQUE_KEY_LOOKBACK = _by_key("unique_key_lookback", "lookback 1", lookback=1)
KEEP_LATEST = _by_key("keep_latest", duplicate_keys="keep_latest", order_by="n")
NULL_MATCH = _by_key("null_match", null_keys="match")
TWO_KEYS = _by_key("two_keys", unique_key=("id", "region"), null_keys="match")
MERGE_FILTER = _by_key("filtered", "merge_filter source.n > target.n", merge_filter="source.n > target.n")
PARTITION = Model(
    "by_partition", "INCREMENTAL_BY_PARTITION", "incremental_by_partition", BY_REGION, partitioned_by="region"
)
UNMANAGED = Model("unmanaged", "INCREMENTAL_UNMANAGED", "incremental_unmanaged")
OVERWRITING = Model(
    "overwriting", "INCREMENTAL_UNMANAGED (insert_overwrite true)", "incremental_unmanaged", BY_REGION,
    options={"insert_overwrite": True}, partitioned_by="region",
)  # fmt: skip

EVERY_KIND = (
    TIME_RANGE, TIME_RANGE_LOOKBACK, UNIQUE_KEY, PARTITION, UNMANAGED, OVERWRITING,
)  # fmt: skip
