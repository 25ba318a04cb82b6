"""A dbt project after `dbt compile`: target/manifest.json with every query rendered."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dbt_kinds.analysis.catalogue import Catalogue, Relation, Timeseries
from dbt_kinds.analysis.parsing import Query, parse_query
from dbt_kinds.analysis.read_ranges import with_edges
from dbt_kinds.analysis.resolution import build_scope
from dbt_kinds.errors import NotCompiledError, UnreadableProjectError, UnreadableQueryError

DIALECT = "spark"
CHECKED = ("incremental_by_time_range", "cumulative_aggregate")
# interval units shorter than smelt's shortest granularity: their edges lie on minutes
_SHORT_UNITS = {"half_hour": "minute", "quarter_hour": "minute", "five_minute": "minute"}


@dataclass(frozen=True)
class CompiledModel:
    """A node of the manifest to check. `problem` says why its query is missing."""

    name: str
    path: str
    kind: str
    raw_code: str
    meta: Mapping[str, Any]
    timeseries: Timeseries | None
    query: Query | None = None
    problem: str = ""


@dataclass(frozen=True)
class CompiledProject:
    """The models to check, parents first, and everything they read. `formatted` are the addresses of those whose
    time column has a format.
    """

    models: list[CompiledModel] = field(default_factory=list)
    catalogue: Catalogue = field(default_factory=Catalogue)
    formatted: frozenset[str] = frozenset()


def read_compiled_project(directory: Path, target: str = "target") -> CompiledProject:
    """Reads the manifest in a project's target folder.

    Raises:
        UnreadableProjectError: there is no manifest, or it is not one of dbt's.
        NotCompiledError: a model to check has no compiled query in it.
    """
    file = directory / target / "manifest.json"
    if not file.is_file():
        raise UnreadableProjectError(f"{file} does not exist; run dbt compile in {directory} first")
    try:
        manifest = json.loads(file.read_text("utf-8"))
        nodes, sources = manifest["nodes"], manifest["sources"]
    except (ValueError, KeyError, TypeError) as error:
        raise UnreadableProjectError(f"{file} is no manifest of dbt: {error}; run dbt compile again") from error
    relations: dict[str, Relation] = {}
    for source in sources.values():
        _add(relations, source, f"{source['source_name']}.{source['name']}")
    models = []
    for node in _in_order(nodes):
        model = _model(node) if node["resource_type"] == "model" else None
        columns = _output_columns(model, Catalogue(relations)) if model is not None else None
        _add(relations, node, node["name"], columns)
        if model is not None and model.kind in CHECKED:
            models.append(model)
    formatted = {node["name"] for node in nodes.values() if _has_format(node)}
    formatted |= {f"{source['source_name']}.{source['name']}" for source in sources.values() if _has_format(source)}
    return CompiledProject(models, Catalogue(relations), frozenset(formatted))


def _model(node: Mapping[str, Any]) -> CompiledModel:
    kind, sql = str(node["config"].get("materialized")), node.get("compiled_code")
    given = (node["name"], node["original_file_path"], kind, node.get("raw_code") or "", _meta(node), _timeseries(node))
    if node.get("language", "sql") != "sql":
        return CompiledModel(*given, problem="it is no SQL, and nothing can be proved of Python")
    if not sql:
        if kind in CHECKED:
            raise NotCompiledError(f"model {node['name']} is not compiled in the manifest; run dbt compile first")
        return CompiledModel(*given)
    try:
        return CompiledModel(*given, query=parse_query(with_edges(sql), DIALECT))
    except UnreadableQueryError as error:
        return CompiledModel(*given, problem=str(error))


def _timeseries(node: Mapping[str, Any]) -> Timeseries | None:
    """A node's time columns; only time-range models and nodes that name a time column have them."""
    config, meta = node.get("config") or {}, _meta(node)
    kind = config.get("materialized")
    if kind == "cumulative_aggregate":
        return None
    is_sliced = kind == "incremental_by_time_range"
    column = meta.get("time_column") or config.get("time_column") or (config.get("event_time") if is_sliced else None)
    if isinstance(column, Mapping):
        column = column.get("column")
    if not column:
        return None
    unit = str(meta.get("interval_unit") or config.get("interval_unit") or _unit_of_cron(meta, config))
    week_start = str(meta.get("week_start") or config.get("week_start") or "monday")
    event_time = config.get("event_time") or column
    return Timeseries(str(column), str(event_time), _SHORT_UNITS.get(unit, unit), week_start)


def _has_format(node: Mapping[str, Any]) -> bool:
    column = _meta(node).get("time_column") or (node.get("config") or {}).get("time_column")
    return isinstance(column, Mapping) and bool(column.get("format"))


def _meta(node: Mapping[str, Any]) -> Mapping[str, Any]:
    """A node's meta; of two, the one in its config takes precedence."""
    return {**(node.get("meta") or {}), **((node.get("config") or {}).get("meta") or {})}


def _unit_of_cron(meta: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    """The unit of a cron: by name for aliases, otherwise by its fixed fields."""
    cron = str(meta.get("cron") or config.get("cron") or "@daily")
    named = {"@hourly": "hour", "@weekly": "week", "@monthly": "month", "@yearly": "year", "@annually": "year"}
    parts = cron.split()
    if len(parts) != 5:
        return named.get(cron, "day")
    minute, hour, day, month, weekday = parts
    if not minute.isdigit():
        return "minute"
    if not hour.isdigit():
        return "hour"
    if weekday != "*":
        return "week" if weekday.isalnum() else "day"
    if day == "*":
        return "day"
    return "month" if month == "*" else "year"


def _add(
    relations: dict[str, Relation], node: Mapping[str, Any], address: str, columns: Mapping[str, str] | None = None
) -> None:
    name = str(node.get("relation_name") or "").replace("`", "")
    if name:
        said = {found["name"]: found.get("data_type") or "" for found in (node.get("columns") or {}).values()}
        # columns documented in YAML may be incomplete, so they only count if types are given
        known = columns or (said if said and all(said.values()) else None)
        relations[name] = Relation(address, known, _timeseries(node))


def _output_columns(model: CompiledModel, catalogue: Catalogue) -> dict[str, str] | None:
    if model.query is None:
        return None
    scope = build_scope(model.query.tree, catalogue)
    return None if scope.is_open else {output.name: output.term.kind or "" for output in scope.outputs}


def _in_order(nodes: Mapping[str, Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Models, seeds and snapshots, parents first."""
    wanted = {key: node for key, node in nodes.items() if node["resource_type"] in ("model", "seed", "snapshot")}
    done: set[str] = set()
    for first in sorted(wanted):
        waiting = [first]
        while waiting:
            key = waiting[-1]
            open_parents = [
                parent
                for parent in wanted[key]["depends_on"].get("nodes", [])
                if parent in wanted and parent not in done
            ]
            if key not in done and open_parents:
                waiting += open_parents
                continue
            waiting.pop()
            if key not in done:
                done.add(key)
                yield wanted[key]
