"""Metrics: a measure over time, with the segments that filter it."""

from __future__ import annotations

from typing import Any

from dbt_kinds.codes import CompileCode
from dbt_kinds.errors import CompileError
from dbt_kinds.kinds import Project
from dbt_kinds.readers.vulcan.documents import MetricDocument
from dbt_kinds.readers.vulcan.expressions import element_name
from dbt_kinds.readers.vulcan.semantics import Semantic
from dbt_kinds.readers.yaml_nodes import YamlNode

_READ = frozenset({"kind", "name", "measure", "ts", "time", "description", "segments"})


def read_metrics(documents: list[MetricDocument], semantics: dict[str, Semantic], project: Project) -> None:
    """Adds the metrics that dbt can express; others are noted."""
    taken: set[str] = set()
    for document in documents:
        try:
            metric = _metric(document, semantics)
        except CompileError as error:
            project.notes.append(error.diagnostic)
            continue
        if metric["name"] in taken:
            message = f"metric {document.name} would be a second metric {metric['name']} of dbt; rename one"
            project.notes.append(document.body.error(CompileCode.MeasureUnsupported, message).diagnostic)
            continue
        taken.add(metric["name"])
        project.metrics.append((document.body.place, metric))


def _metric(document: MetricDocument, semantics: dict[str, Semantic]) -> dict[str, Any]:
    body = document.body
    what = f"metric {document.name}"
    measure_node = body.get("measure")
    if measure_node is None:
        raise body.error(
            CompileCode.BadPropertyValue, f"{what} names no measure; add 'measure: <semantic model>.<measure>'"
        )
    semantic, written = _reference(measure_node, semantics, what)
    measure = next((name for name, item in semantic.measures.items() if _is(semantic, "measures", name, written)), None)
    if measure is None:
        message = f"{what} is over {measure_node.text()}, which did not become a measure of dbt"
        raise measure_node.error(CompileCode.MeasureUnsupported, message)
    time = body.get("ts", "time")
    if time is None:
        raise body.error(CompileCode.BadPropertyValue, f"{what} has no time; add 'ts: <semantic model>.<column>'")
    holder, column = _reference(time, semantics, what)
    if holder is not semantic:
        message = (
            f"{what} is over a time of {holder.document.name}; dbt aggregates by a time of the measure's own model"
        )
        raise time.error(CompileCode.MeasureUnsupported, message)
    if semantic.columns is not None and column.lower() not in semantic.columns:
        message = f"{what} is over {time.text()}, which is no column of {semantic.model.name}"
        raise time.error(CompileCode.MeasureUnsupported, message)
    measure = _by_time(semantic, measure, semantic.time_dimension(column))
    made: dict[str, Any] = {"name": element_name(document.name), "label": document.name}
    description = body.get("description")
    if description is not None:
        made["description"] = description.text()
    made |= {"type": "simple", "type_params": {"measure": measure}}
    segments = [_segment(item, semantics, what) for item in _items(body.get("segments"))]
    if segments:
        made["filter"] = " and ".join(segments)
    origin = {key: value.value() for key, value in body.pairs() if key not in _READ}
    if made["name"] != document.name:
        origin = {"name": document.name, **origin}
    if origin:
        made["config"] = {"meta": {"origin": origin}}
    return made


def _items(node: YamlNode | None) -> list[YamlNode]:
    return node.items() if node is not None else []


def _is(semantic: Semantic, key: str, name: str, written: str) -> bool:
    """Whether a part of a semantic model is the named part of the source."""
    origin = semantic.origin.get(key, {}).get(name, {})
    return str(origin.get("name", name)).lower() == written.lower()


def _by_time(semantic: Semantic, measure: str, time: str) -> str:
    """The measure aggregated by a time; a measure used by two metrics with different times becomes two measures."""
    item = semantic.measures[measure]
    if item.get("agg_time_dimension", time) == time:
        item["agg_time_dimension"] = time
        return measure
    name = element_name(f"{measure}_by_{time}")
    semantic.measures[name] = {**item, "name": name, "agg_time_dimension": time}
    return name


def _reference(node: YamlNode, semantics: dict[str, Semantic], what: str) -> tuple[Semantic, str]:
    """`users.total`: the semantic model and the name within it."""
    text = node.text().strip().strip("{}").strip()
    holder, _, name = text.rpartition(".")
    semantic = semantics.get(holder.lower())
    if semantic is None:
        message = f"{what} reads {text}, and {holder or 'nothing'} did not become a semantic model of dbt"
        raise node.error(CompileCode.MeasureUnsupported, message)
    return semantic, name


def _segment(node: YamlNode, semantics: dict[str, Semantic], what: str) -> str:
    semantic, name = _reference(node, semantics, what)
    dimension = semantic.segments.get(name)
    if dimension is None:
        message = f"{what} is filtered by {node.text()}, which did not become a segment of dbt"
        raise node.error(CompileCode.MeasureUnsupported, message)
    return f"{{{{ Dimension('{semantic.name}__{dimension}') }}}} = true"
