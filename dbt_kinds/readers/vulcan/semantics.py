"""Semantic models: entities, dimensions and measures over one model."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.annotate_types import annotate_types

from dbt_kinds.codes import CompileCode
from dbt_kinds.errors import CompileError
from dbt_kinds.kinds import Model, SqlText
from dbt_kinds.readers.read_models import ReadModels
from dbt_kinds.readers.vulcan.documents import SemanticDocument, named
from dbt_kinds.readers.vulcan.expressions import REFERENCE, element_name, spark_sql
from dbt_kinds.readers.yaml_nodes import YamlNode

_AGGREGATIONS = {
    "count": "count",
    "sum": "sum",
    "min": "min",
    "max": "max",
    "avg": "average",
    "count_distinct": "count_distinct",
    "count_distinct_approx": "count_distinct",
}
_GRANULARITIES = ("second", "minute", "hour", "day", "week", "month", "quarter", "year")
_INTERVAL = re.compile(r"(\d+)\s*([a-z]+?)s?", re.IGNORECASE)
_AS_UNITS = {(7, "day"): "week", (3, "month"): "quarter", (12, "month"): "year", (60, "minute"): "hour"}
_READ = frozenset({"kind", "name", "alias", "depends_on", "description", "dimensions", "measures", "segments", "joins"})
_TIMES = ("date", "timestamp", "datetime")


@dataclass
class Semantic:
    """A semantic model during conversion to dbt's YAML.

    Attributes:
        own: the prefixes by which its expressions refer to its columns.
        key_column: the column of its primary entity, if it is a single column.
        columns: of its model, from lower-case name to name as written; None if unknown.
    """

    document: SemanticDocument
    model: Model
    name: str
    own: frozenset[str]
    key_column: str | None = None
    columns: dict[str, str] | None = None
    times: set[str] = field(default_factory=set)
    entities: dict[str, dict[str, Any]] = field(default_factory=dict)
    dimensions: dict[str, dict[str, Any]] = field(default_factory=dict)
    segments: dict[str, str] = field(default_factory=dict)
    measures: dict[str, dict[str, Any]] = field(default_factory=dict)
    origin: dict[str, Any] = field(default_factory=dict)

    def note(self, code: CompileCode, message: str, node: YamlNode) -> None:
        """Records a note on the model."""
        self.model.notes.append(node.error(code, message).diagnostic)

    def attempt(self, read: Callable[[], None]) -> None:
        """Reads one part; an error is noted, and the other parts are still read."""
        try:
            read()
        except CompileError as error:
            if error.code.severity == "refused":
                error = CompileError(
                    CompileCode.MeasureUnsupported,
                    f"{error.code}: {error.message}",
                    error.diagnostic.place.file,
                    error.line,
                )
            self.model.notes.append(error.diagnostic)

    def time_dimension(self, column: str) -> str:
        """The dimension of a time column, which is converted to a time dimension if its type was unknown."""
        name = next((name for name, item in self.dimensions.items() if item["expr"].lower() == column.lower()), None)
        if name is None:
            name = self.free_name(column)
            self.dimensions[name] = {"name": name, "type": "time", "expr": column}
        dimension = self.dimensions[name]
        dimension["type"] = "time"
        dimension.setdefault("type_params", {"time_granularity": "day"})
        return name

    def free_name(self, text: str) -> str:
        """A name not used by any other part of the model."""
        name = element_name(text)
        taken = self.entities.keys() | self.dimensions.keys() | self.measures.keys()
        return name if name not in taken else f"{name}_value"

    def default_time(self) -> str | None:
        """The default time dimension for aggregating measures: the model's time column, else the first."""
        times = [name for name, item in self.dimensions.items() if item["type"] == "time"]
        written = self.model.options.get("time_column")
        column = written.get("column") if isinstance(written, dict) else written
        own = [name for name in times if column and self.dimensions[name]["expr"].lower() == str(column).lower()]
        return next(iter([*own, *times]), None)

    def content(self) -> dict[str, Any]:
        """The content for dbt's YAML."""
        made: dict[str, Any] = {"name": self.name}
        description = self.document.body.get("description") if self.document.body.is_mapping else None
        if description is not None:
            made["description"] = description.text()
        made["model"] = f"ref('{self.model.node}')"
        if self.origin:
            made["config"] = {"meta": {"origin": self.origin}}
        time = self.default_time()
        if time is not None and self.measures:
            made["defaults"] = {"agg_time_dimension": time}
        if self.key_column is None:
            made["primary_entity"] = self.name
        entities = list(self.entities.values())
        if self.key_column is not None:
            entities.insert(0, {"name": self.name, "type": "primary", "expr": self.key_column})
        for key, items in (
            ("entities", entities),
            ("dimensions", list(self.dimensions.values())),
            ("measures", list(self.measures.values())),
        ):
            if items:
                made[key] = [_without_plain_expression(item) for item in items]
        return made


def _without_plain_expression(item: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in item.items() if key != "expr" or value != item["name"]}


def read_semantic(document: SemanticDocument, model: Model, models: ReadModels) -> Semantic:
    """A semantic model without its joins, which require the others."""
    names = {document.name.lower(), document.model.lower(), document.model.split(".")[-1].lower(), model.node}
    semantic = Semantic(document, model, element_name(document.name), frozenset(names))
    if semantic.name != document.name:
        semantic.origin["name"] = document.name
    body = document.body
    if body.is_empty:
        return _with_dimensions(semantic, None, models)
    for key, value in body.pairs():
        if key not in _READ:
            semantic.origin[key] = value.value()
    grains = [item for key in ("grain", "grains") for item in model.origin.get(key) or []]
    if len(grains) == 1 and re.fullmatch(r"\w+", str(grains[0])):
        semantic.key_column = str(grains[0])
    _with_dimensions(semantic, body.get("dimensions"), models)
    for name, node in named(body.get("segments")):
        semantic.attempt(lambda name=name, node=node: _read_segment(semantic, name, node, models))  # type: ignore[misc]
    for name, node in named(body.get("measures")):
        semantic.attempt(lambda name=name, node=node: _read_measure(semantic, name, node, models))  # type: ignore[misc]
    return semantic


def _with_dimensions(semantic: Semantic, node: YamlNode | None, models: ReadModels) -> Semantic:
    """Columns as dimensions: the listed ones, or all except the excluded ones."""
    known = models.columns_of(semantic.model.key)
    if known is not None:
        semantic.columns = {name.lower(): name for name, _ in known}
        semantic.times = {name.lower() for name, kind in known if kind is not None and _is_time(kind)}
    semantic.times |= _times_of_query(semantic.model)
    listed: list[tuple[str, YamlNode | None]]
    details: dict[str, YamlNode] = {}
    if node is not None and node.is_mapping:
        details = {name.lower(): item for name, item in named(node.get("enhancements", "overrides"))}
        includes, excludes = node.get("includes", "include"), node.get("excludes", "exclude")
        left_out = {text.lower() for text in excludes.texts()} if excludes is not None else set()
        wanted = includes.texts() if includes is not None else list((semantic.columns or {}).values())
        known_names = {text.lower() for text in wanted}
        wanted += [name for name in details if name not in known_names]
        listed = [(name, details.get(name.lower())) for name in wanted if name.lower() not in left_out]
        for name, proxy in named(node.get("proxies")):
            message = (
                f"dimension {name} of {semantic.document.name} shows a measure of another model; dbt has no such thing"
            )
            semantic.note(CompileCode.MeasureUnsupported, message, proxy)
    elif node is not None:
        listed = [(name, item if item.is_mapping else None) for name, item in named(node)]
    else:
        listed = [(name, None) for name in (semantic.columns or {}).values()]
    for name, item in listed:
        if semantic.columns is not None and name.lower() not in semantic.columns:
            place = item or semantic.document.body
            semantic.note(
                CompileCode.MeasureUnsupported, f"{semantic.model.name} has no column {name} for a dimension", place
            )
            continue
        _add_dimension(semantic, name, item)
    return semantic


def _add_dimension(semantic: Semantic, column: str, node: YamlNode | None) -> None:
    name = element_name(column)
    # the primary entity is named after the semantic model
    name = f"{name}_value" if name == semantic.name or name in semantic.dimensions else name
    granularities = node.get("granularities") if node is not None else None
    is_time = column.lower() in semantic.times or granularities is not None
    dimension: dict[str, Any] = {"name": name, "type": "time" if is_time else "categorical", "expr": column}
    if is_time:
        dimension["type_params"] = {"time_granularity": _granularity(granularities)}
    if node is not None:
        description = node.get("description")
        if description is not None:
            dimension["description"] = description.text()
        rest = {key: value.value() for key, value in node.pairs() if key not in ("name", "description")}
        if rest:
            semantic.origin.setdefault("dimensions", {})[name] = rest
    semantic.dimensions[name] = dimension


def _granularity(node: YamlNode | None) -> str:
    """The finest granularity that dbt supports."""
    found = []
    for name, item in named(node):
        interval = item.get("interval") if item.is_mapping else None
        written = _INTERVAL.fullmatch((interval.text() if interval is not None else f"1 {name}").strip())
        if written is None:
            continue
        amount, unit = int(written[1]), written[2].lower()
        unit = _AS_UNITS.get((amount, unit), unit if amount == 1 else "")
        if unit in _GRANULARITIES:
            found.append(_GRANULARITIES.index(unit))
    return _GRANULARITIES[min(found)] if found else "day"


def _is_time(kind: exp.DataType) -> bool:
    return kind.sql(dialect="spark").lower().startswith(_TIMES)


def _times_of_query(model: Model) -> set[str]:
    """The columns that a query computes as times, as far as its text shows."""
    if not isinstance(model.query, SqlText) or not isinstance(model.query.tree, exp.Query):
        return set()
    try:
        tree = annotate_types(model.query.tree.copy(), dialect="spark")
        selected = tree.selects if isinstance(tree, exp.Query) else []
        return {
            item.alias_or_name.lower()
            for item in selected
            if item.type is not None and item.type.sql(dialect="spark").lower().startswith(_TIMES)
        }
    except (SqlglotError, RecursionError, AttributeError, KeyError, TypeError, ValueError):
        return set()


def _read_segment(semantic: Semantic, name: str, node: YamlNode, models: ReadModels) -> None:
    expression = node.get("expression", "sql") if node.is_mapping else node
    if expression is None:
        raise node.error(CompileCode.BadPropertyValue, f"segment {name} has no expression; add 'expression: …'")
    what = f"segment {name} of {semantic.document.name}"
    made = semantic.free_name(name)
    sql = spark_sql(expression, semantic.own, models, CompileCode.MeasureUnsupported, what)
    semantic.dimensions[made] = {"name": made, "type": "categorical", **_description(node), "expr": sql}
    semantic.segments[name] = made
    _keep(semantic, "segments", name, made, node, ("name", "description", "expression", "sql"))


def _read_measure(semantic: Semantic, name: str, node: YamlNode, models: ReadModels) -> None:
    if not node.is_mapping:
        raise node.error(
            CompileCode.BadPropertyValue, f"measure {name} has no type; write 'type: sum' and an expression"
        )
    kind = node.get("type")
    word = kind.text().lower() if kind is not None else ""
    what = f"measure {name} of {semantic.document.name}"
    if word not in _AGGREGATIONS:
        message = f"{what} is of type {word or 'none'}, which dbt does not aggregate by; write a derived metric"
        raise (kind or node).error(CompileCode.MeasureUnsupported, message)
    window = node.get("rolling_window")
    if window is not None:
        message = f"{what} has a rolling window; write a cumulative metric over it in dbt"
        raise window.error(CompileCode.MeasureUnsupported, message)
    expression = node.get("expression", "sql")
    is_rows = expression is None or expression.text().strip() == "*"
    if is_rows and word != "count":
        raise node.error(CompileCode.MeasureUnsupported, f"{what} has no expression; add 'expression: …'")
    aggregation, sql = "sum", "1"
    if expression is not None and not is_rows:
        _check_columns(semantic, expression, what)
        aggregation = _AGGREGATIONS[word]
        sql = spark_sql(expression, semantic.own, models, CompileCode.MeasureUnsupported, what)
    filters_node = node.get("filters", "filter")
    filters = filters_node.items() if filters_node is not None else []
    conditions = [
        spark_sql(_condition(item), semantic.own, models, CompileCode.MeasureUnsupported, f"a filter of {what}")
        for item in filters
    ]
    if conditions:
        joined = conditions[0] if len(conditions) == 1 else " and ".join(f"({condition})" for condition in conditions)
        sql = f"case when {joined} then {sql} end"
    if word == "count_distinct_approx":
        semantic.note(
            CompileCode.PropertyDropped, f"{what} counts exactly in dbt, which has no approximate count", node
        )
    made = semantic.free_name(name)
    semantic.measures[made] = {"name": made, **_description(node), "agg": aggregation, "expr": sql}
    read = ("name", "description", "type", "expression", "sql", "filters", "filter")
    _keep(semantic, "measures", name, made, node, read)


def _condition(node: YamlNode) -> YamlNode:
    """A filter, which may be below `sql:` or `expression:`."""
    inner = node.get("sql", "expression") if node.is_mapping else node
    if inner is None:
        raise node.error(CompileCode.BadPropertyValue, "a filter is a condition; write it as text")
    return inner


def _check_columns(semantic: Semantic, node: YamlNode, what: str) -> None:
    for found in REFERENCE.finditer(node.text()):
        column = found[1].split(".")[-1]
        if semantic.columns is not None and column.lower() not in semantic.columns:
            message = f"{what} reads {found[1]}, which is no column of {semantic.model.name}"
            raise node.error(CompileCode.MeasureUnsupported, message)


def _description(node: YamlNode) -> dict[str, str]:
    found = node.get("description") if node.is_mapping else None
    return {"description": found.text()} if found is not None else {}


def _keep(semantic: Semantic, key: str, name: str, made: str, node: YamlNode, read: tuple[str, ...]) -> None:
    """Keeps settings without an effect in dbt in the origin."""
    rest = {item: value.value() for item, value in node.pairs() if item not in read} if node.is_mapping else {}
    if made != name:
        rest = {"name": name, **rest}
    if rest:
        semantic.origin.setdefault(key, {})[made] = rest


def read_joins(semantic: Semantic, others: dict[str, Semantic]) -> None:
    """The joins of a semantic model as foreign entities."""
    if not semantic.document.body.is_mapping:
        return
    for name, node in named(semantic.document.body.get("joins")):
        semantic.attempt(lambda name=name, node=node: _read_join(semantic, name, node, others))  # type: ignore[misc]


def _read_join(semantic: Semantic, name: str, node: YamlNode, others: dict[str, Semantic]) -> None:
    what = f"join {name} of {semantic.document.name}"
    kind = node.get("type", "relationship") if node.is_mapping else None
    word = kind.text().lower() if kind is not None else ""
    if word == "one_to_many":
        semantic.note(
            CompileCode.PropertyDropped, f"{what} is the other side of a join; dbt follows it from {name}", node
        )
        return
    if word not in ("many_to_one", "one_to_one"):
        raise node.error(
            CompileCode.JoinUnsupported, f"{what} is {word or 'of no type'}; dbt joins many_to_one and one_to_one"
        )
    target = others.get(name.lower())
    if target is None:
        raise node.error(CompileCode.JoinUnsupported, f"{what} leads to no semantic model {name}")
    expression = node.get("expression", "sql", "on")
    sides = _equality(expression, semantic, target) if expression is not None else None
    if sides is None:
        message = f"{what} is no equality of one column of each model; dbt joins by entities"
        raise (expression or node).error(CompileCode.JoinUnsupported, message)
    own, other = sides
    if target.key_column is None:
        target.key_column = other
    entity = target.name
    if target.key_column.lower() != other.lower():
        entity = element_name(f"{target.name}_{other}")
        target.entities.setdefault(entity, {"name": entity, "type": "unique", "expr": other})
    if entity in semantic.entities:
        raise node.error(CompileCode.JoinUnsupported, f"{what} is a second join to {name}; dbt has one entity a target")
    if entity in semantic.dimensions:
        clash = semantic.dimensions.pop(entity)
        clash["name"] = f"{entity}_value"
        semantic.dimensions[clash["name"]] = clash
    semantic.entities[entity] = {"name": entity, "type": "foreign", "expr": own}


def _equality(node: YamlNode, semantic: Semantic, target: Semantic) -> tuple[str, str] | None:
    """The column on each side of `{a.x} = {b.y}`, in either order."""
    sides = node.text().split("=")
    found = [REFERENCE.fullmatch(side.strip()) for side in sides]
    if len(sides) != 2 or found[0] is None or found[1] is None:
        return None
    (first, _, x), (second, _, y) = found[0][1].rpartition("."), found[1][1].rpartition(".")
    if first.lower() in semantic.own and second.lower() in target.own:
        return x, y
    if second.lower() in semantic.own and first.lower() in target.own:
        return y, x
    return None
