"""Validates the block of a model or source: every error is reported, and none hides the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dbt_kinds.analysis.catalogue import Timeseries
from dbt_kinds.analysis.safety import Slicing
from dbt_kinds.analysis.units import GRANULARITIES
from dbt_kinds.codes import SAFETY_OVERRIDES, CheckCode
from dbt_kinds.diagnostics import Diagnostic
from dbt_kinds.readers.smelt.blocks import Block
from dbt_kinds.readers.smelt.problems import unknown_key

MATERIALIZATIONS = ("view", "ephemeral", "table", "materialized_view", "cumulative_aggregate")
MODEL_KEYS = (
    "name",
    "materialization",
    "timeseries",
    "incremental",
    "tags",
    "owner",
    "description",
    "columns",
    "schema_evolution",
)
COLUMN_KEYS = ("type", "data_type", "description", "default", "backfill")
SOURCE_COLUMN_KEYS = ("type", "data_type", "description")
SOURCE_KEYS = ("name", "columns", "timeseries", "description", "tags", "owner")
_SERIES_KEYS = ("event_time_column", "partition_column", "granularity", "week_start")
# how the package reacts to a changed query or changed columns, as options
_STRATEGIES: dict[str, Mapping[str, str]] = {
    "alter_and_backfill": {"on_additive_change": "allow", "on_destructive_change": "error"},
    "full_refresh": {"on_query_change": "rebuild"},
}
_INCREMENTAL_KEYS = ("enabled", "unique_key", "safety_overrides")


@dataclass(frozen=True)
class Incremental:
    """The block `incremental`; only present if enabled."""

    unique_key: tuple[str, ...] = ()
    overrides: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Configuration:
    """A model's configuration. `materialization` is smelt's term."""

    materialization: str
    timeseries: Timeseries | None = None
    incremental: Incremental | None = None
    tags: tuple[str, ...] = ()
    owner: str | None = None
    description: str | None = None
    columns: Mapping[str, Any] = field(default_factory=dict)
    on_change: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[Diagnostic, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The materialization that a model gets in dbt."""
        if self.materialization == "table":
            return "incremental_by_time_range" if self.incremental is not None else "full"
        return "view" if self.materialization == "materialized_view" else self.materialization

    @property
    def slicing(self) -> Slicing | None:
        """How an incremental model is cut; None for other models."""
        series, incremental = self.timeseries, self.incremental
        if series is None or incremental is None:
            return None
        return Slicing(
            series.partition_column,
            series.event_time_column,
            series.granularity,
            series.week_start,
            incremental.unique_key,
            incremental.overrides,
        )


def read_configuration(block: Block, default: str) -> Configuration:
    """Validates a model's block, merged with its part of smelt.yml."""
    problems = [
        unknown_key(CheckCode.UnknownKey, key, MODEL_KEYS, "a model", *block.place(key))
        for key in block.data
        if key not in MODEL_KEYS
    ]
    warnings: list[str] = []
    materialization = str(block.data.get("materialization") or default)
    if materialization not in MATERIALIZATIONS:
        message = f"materialization '{materialization}' is none of {', '.join(MATERIALIZATIONS)}"
        problems.append(Diagnostic.of(CheckCode.UnknownMaterialization, message, *block.place("materialization")))
    series = None
    if block.data.get("timeseries") is not None:
        series, wrong = read_timeseries(block)
        problems += wrong
    if series is not None and materialization == "ephemeral":
        message = "timeseries on an ephemeral model: its readers inline it and see its sources; remove the block"
        problems.append(Diagnostic.of(CheckCode.MalformedTimeseries, message, *block.place("timeseries")))
    incremental, wrong = _read_incremental(block)
    problems += wrong
    if materialization == "cumulative_aggregate":
        for key, code in (
            ("timeseries", CheckCode.CumulativeForbidsTimeseries),
            ("incremental", CheckCode.CumulativeForbidsIncremental),
        ):
            if block.data.get(key) is not None:
                message = f"a cumulative_aggregate takes its time from the source it reads; remove {key}"
                problems.append(Diagnostic.of(code, message, *block.place(key)))
        incremental = None
    elif incremental is not None and materialization != "table":
        warnings.append(
            f"{':'.join(map(str, block.place('incremental')))}: incremental on a {materialization} is ignored; "
            "write materialization: table"
        )
        incremental = None
    if incremental is not None and block.data.get("timeseries") is None:
        message = (
            "incremental without timeseries: write timeseries with event_time_column, partition_column, granularity"
        )
        problems.append(Diagnostic.of(CheckCode.TimeseriesRequiredForIncremental, message, *block.place("incremental")))
    on_change, wrong = _read_schema_evolution(block)
    problems += wrong
    columns, wrong = read_columns(block, COLUMN_KEYS)
    problems += wrong
    if materialization == "materialized_view":
        warnings.append(f"{block.path}:{block.line}: a materialized_view becomes a view; dbt-spark has no such views")
    return Configuration(
        materialization,
        series,
        incremental,
        tuple(texts(block.data.get("tags"))),
        block.data.get("owner"),
        block.data.get("description"),
        columns,
        on_change,
        tuple(problems),
        tuple(warnings),
    )


def read_timeseries(block: Block) -> tuple[Timeseries | None, list[Diagnostic]]:
    """The block `timeseries` and its errors; usable parts of an invalid block are kept."""
    path, line = block.place("timeseries")
    data = block.data.get("timeseries")
    if not isinstance(data, Mapping):
        return None, [_malformed(f"timeseries is {data!r}; write its keys below it", path, line)]
    problems = [
        unknown_key(
            CheckCode.MalformedTimeseries, str(key), _SERIES_KEYS, "timeseries", *block.place("timeseries", str(key))
        )
        for key in data
        if key not in _SERIES_KEYS
    ]
    for key in ("event_time_column", "partition_column", "granularity"):
        if not data.get(key):
            problems.append(_malformed(f"timeseries lacks {key}; write it", path, line))
        elif not isinstance(data[key], str):
            problems.append(
                _malformed(f"timeseries.{key} is {data[key]!r}; write a name", *block.place("timeseries", key))
            )
    granularity, week_start = data.get("granularity"), data.get("week_start")
    if granularity and granularity not in GRANULARITIES:
        message = f"timeseries.granularity '{granularity}' is none of {', '.join(GRANULARITIES)}"
        problems.append(_malformed(message, *block.place("timeseries", "granularity")))
        granularity = None
    if week_start is not None and week_start not in ("monday", "sunday"):
        message = f"timeseries.week_start '{week_start}' is neither monday nor sunday"
        problems.append(_malformed(message, *block.place("timeseries", "week_start")))
    elif week_start is not None and granularity != "week":
        message = "timeseries.week_start has a meaning for granularity: week only; remove it"
        problems.append(_malformed(message, *block.place("timeseries", "week_start")))
    known = [data.get(key) for key in ("partition_column", "event_time_column")]
    if not granularity or not all(isinstance(name, str) and name for name in known):
        return None, problems
    week = week_start if week_start in ("monday", "sunday") else "monday"
    return Timeseries(str(known[0]), str(known[1]), str(granularity), week), problems


def read_columns(block: Block, keys: tuple[str, ...]) -> tuple[dict[str, Any], list[Diagnostic]]:
    """The columns of a block, and its errors.

    Args:
        keys: what a column may say.
    """
    value = block.data.get("columns")
    columns = columns_of(value)
    problems = [
        unknown_key(CheckCode.UnknownKey, str(key), keys, f"the column {name}", *block.place("columns", name, str(key)))
        for name, of in columns.items()
        for key in (of if isinstance(of, Mapping) else ())
        if key not in keys
    ]
    given = list(value) if isinstance(value, list | Mapping) else [] if value is None else [value]
    if len(given) != len(columns):
        message = "every column needs a name of its own; write columns as a list of {name: …, type: …}"
        problems.append(Diagnostic.of(CheckCode.UnknownKey, message, *block.place("columns")))
    return columns, problems


def columns_of(value: Any) -> dict[str, Any]:
    """Columns as a mapping from name to settings; the input is a mapping, or a list with a name in each item."""
    if isinstance(value, Mapping):
        return {str(name): of for name, of in value.items()}
    found: dict[str, Any] = {}
    for item in value if isinstance(value, list) else []:
        if isinstance(item, Mapping) and item.get("name"):
            found[str(item["name"])] = {key: of for key, of in item.items() if key != "name"}
        elif isinstance(item, str):
            found[item] = {}
    return found


def type_of(column: Any) -> str:
    """The type of a column in a YAML file; empty if absent."""
    if isinstance(column, Mapping):
        return str(column.get("type") or column.get("data_type") or "").lower()
    return str(column or "").lower()


def _read_incremental(block: Block) -> tuple[Incremental | None, list[Diagnostic]]:
    data = block.data.get("incremental")
    if data is None or data is False:
        return None, []
    if data is True:
        return Incremental(), []
    if not isinstance(data, Mapping):
        return None, [
            Diagnostic.of(
                CheckCode.UnknownKey, f"incremental is {data!r}; write its keys below it", *block.place("incremental")
            )
        ]
    problems = []
    for key in map(str, data):
        place = block.place("incremental", key)
        if key in _SERIES_KEYS:
            message = f"{key} stands in incremental, as it once did; move it to a block timeseries"
            problems.append(_malformed(message, *place))
        elif key not in _INCREMENTAL_KEYS:
            problems.append(unknown_key(CheckCode.UnknownKey, key, _INCREMENTAL_KEYS, "incremental", *place))
    overrides = data.get("safety_overrides") or {}
    lifted = set()
    for key, is_on in overrides.items() if isinstance(overrides, Mapping) else []:
        place = block.place("incremental", "safety_overrides", str(key))
        if key not in SAFETY_OVERRIDES:
            problems.append(unknown_key(CheckCode.UnknownKey, str(key), SAFETY_OVERRIDES, "safety_overrides", *place))
        elif not isinstance(is_on, bool):
            problems.append(
                Diagnostic.of(CheckCode.UnknownKey, f"safety_overrides.{key} is {is_on!r}; write true or false", *place)
            )
        elif is_on:
            lifted.add(str(key))
    if not isinstance(overrides, Mapping):
        message = f"safety_overrides is {overrides!r}; write, say, allow_limit: true below it"
        problems.append(Diagnostic.of(CheckCode.UnknownKey, message, *block.place("incremental", "safety_overrides")))
    incremental = Incremental(tuple(texts(data.get("unique_key"))), frozenset(lifted))
    return (incremental if data.get("enabled", True) is not False else None), problems


def _read_schema_evolution(block: Block) -> tuple[Mapping[str, str], list[Diagnostic]]:
    """The options equivalent to a block `schema_evolution`."""
    data = block.data.get("schema_evolution")
    if data is None:
        return {}, []
    if not isinstance(data, Mapping):
        message = f"schema_evolution is {data!r}; write, say, strategy: alter_and_backfill below it"
        return {}, [Diagnostic.of(CheckCode.UnknownKey, message, *block.place("schema_evolution"))]
    problems = [
        unknown_key(
            CheckCode.UnknownKey,
            str(key),
            ("strategy",),
            "schema_evolution",
            *block.place("schema_evolution", str(key)),
        )
        for key in data
        if key != "strategy"
    ]
    strategy = str(data.get("strategy", "alter_and_backfill"))
    if strategy not in _STRATEGIES:
        message = f"schema_evolution.strategy '{strategy}' is none of {', '.join(_STRATEGIES)}"
        problems.append(Diagnostic.of(CheckCode.UnknownKey, message, *block.place("schema_evolution", "strategy")))
    return _STRATEGIES.get(strategy, {}), problems


def texts(value: Any) -> list[str]:
    """A text or a list of them as a list."""
    return [] if value is None else [str(item) for item in value] if isinstance(value, list) else [str(value)]


def _malformed(message: str, path: str, line: int) -> Diagnostic:
    return Diagnostic.of(CheckCode.MalformedTimeseries, message, path, line)
