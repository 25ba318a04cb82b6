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
from dbt_kinds.errors import KindsError, UnreadableProjectError, UnreadableQueryError, UnreadableScheduleError
from dbt_kinds.intervals.crons import settings_unit
from dbt_kinds.intervals.units import SUNDAY

DIALECT = "spark"
CHECKED = ("incremental_by_time_range", "cumulative_aggregate")


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
    time column has a format; `refusals` says, by address, whose cron or unit the package refuses, and why.
    """

    models: list[CompiledModel] = field(default_factory=list)
    catalogue: Catalogue = field(default_factory=Catalogue)
    formatted: frozenset[str] = frozenset()
    refusals: Mapping[str, str] = field(default_factory=dict)


def read_compiled_project(directory: Path, target: str = "target") -> CompiledProject:
    """Reads the manifest in a project's target folder.

    Raises:
        UnreadableProjectError: there is no manifest, or it is not one of dbt's.
        KindsError: a model to check has no compiled query in it.
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
    refusals: dict[str, str] = {}
    for source in sources.values():
        address = f"{source['source_name']}.{source['name']}"
        _add(relations, source, address, _readable_timeseries(source, address, refusals))
    models = []
    for node in _in_order(nodes):
        series = _readable_timeseries(node, node["name"], refusals)
        model = _model(node, series) if node["resource_type"] == "model" else None
        columns = _output_columns(model, Catalogue(relations)) if model is not None else None
        _add(relations, node, node["name"], series, columns)
        if model is not None and model.kind in CHECKED:
            models.append(model)
    formatted = {node["name"] for node in nodes.values() if _has_format(node)}
    formatted |= {f"{source['source_name']}.{source['name']}" for source in sources.values() if _has_format(source)}
    return CompiledProject(models, Catalogue(relations), frozenset(formatted), refusals)


def _model(node: Mapping[str, Any], series: Timeseries | None) -> CompiledModel:
    kind, sql = str(node["config"].get("materialized")), node.get("compiled_code")
    given = (node["name"], node["original_file_path"], kind, node.get("raw_code") or "", _meta(node), series)
    if node.get("language", "sql") != "sql":
        return CompiledModel(*given, problem="it is no SQL, and nothing can be proved of Python")
    if not sql:
        if kind in CHECKED:
            raise KindsError(f"model {node['name']} is not compiled in the manifest; run dbt compile first")
        return CompiledModel(*given)
    try:
        return CompiledModel(*given, query=parse_query(with_edges(sql), DIALECT))
    except UnreadableQueryError as error:
        return CompiledModel(*given, problem=str(error))


def _readable_timeseries(node: Mapping[str, Any], address: str, refusals: dict[str, str]) -> Timeseries | None:
    """A node's time columns; None with an entry in `refusals` if its settings cannot be read."""
    try:
        return _timeseries(node)
    except UnreadableScheduleError as error:
        refusals[address] = str(error)
        return None


def _timeseries(node: Mapping[str, Any]) -> Timeseries | None:
    """A node's time columns; only time-range models and nodes that name a time column have them.

    Raises:
        UnreadableScheduleError: the package refuses its cron, its unit or its beginning of weeks.
    """
    config = node.get("config") or {}
    kind = config.get("materialized")
    if kind == "cumulative_aggregate":
        return None
    is_sliced = kind == "incremental_by_time_range"
    column = _setting(node, "time_column") or (config.get("event_time") if is_sliced else None)
    if isinstance(column, Mapping):
        column = column.get("column")
    if not column:
        return None
    unit = settings_unit(*(_setting(node, name) for name in ("cron", "interval_unit", "week_start")))
    week_start = "sunday" if unit.name.endswith(SUNDAY) else "monday"
    event_time = config.get("event_time") or column
    return Timeseries(str(column), str(event_time), unit.name.removesuffix(SUNDAY), week_start)


def _setting(node: Mapping[str, Any], name: str) -> Any:
    """A setting from a node's meta, else from its config; None if it is not set."""
    found = _meta(node).get(name)
    return (node.get("config") or {}).get(name) if found is None else found


def _has_format(node: Mapping[str, Any]) -> bool:
    column = _setting(node, "time_column")
    return isinstance(column, Mapping) and bool(column.get("format"))


def _meta(node: Mapping[str, Any]) -> Mapping[str, Any]:
    """A node's meta; of two, the one in its config takes precedence."""
    return {**(node.get("meta") or {}), **((node.get("config") or {}).get("meta") or {})}


def _add(
    relations: dict[str, Relation],
    node: Mapping[str, Any],
    address: str,
    series: Timeseries | None,
    columns: Mapping[str, str] | None = None,
) -> None:
    name = str(node.get("relation_name") or "").replace("`", "")
    if name:
        said = {found["name"]: found.get("data_type") or "" for found in (node.get("columns") or {}).values()}
        # columns documented in YAML may be incomplete, so they only count if types are given
        known = columns or (said if said and all(said.values()) else None)
        relations[name] = Relation(address, known, series)


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
