"""The contents of Vulcan's YAML files, in either form: one map of everything, or one document per object."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from dbt_kinds.codes import CompileCode
from dbt_kinds.diagnostics import Diagnostic
from dbt_kinds.errors import CompileError
from dbt_kinds.readers.yaml_nodes import YamlNode, read_yaml

_SEMANTIC_KEYS = ("semantic_models", "models")
_METRIC_KEYS = ("metrics", "semantic_metrics")
_PACK_KEYS = frozenset({"kind", "name", "depends_on", "filter", "profiles", "rules", "checks", "description", "owner"})


@dataclass(frozen=True)
class SemanticDocument:
    """A semantic model: its name in queries, and the model it wraps."""

    name: str
    model: str
    body: YamlNode


@dataclass(frozen=True)
class MetricDocument:
    """A metric."""

    name: str
    body: YamlNode


@dataclass(frozen=True)
class CheckDocument:
    """One check on a model.

    Attributes:
        rule: the expression as written.
        settings: the keys below it; in the older form some are below `attributes`.
        dimension: the group in the older form.
    """

    model: str
    rule: str
    node: YamlNode
    settings: dict[str, YamlNode]
    filters: list[YamlNode]
    dimension: str | None = None


@dataclass
class Documents:
    """The contents of all files of a project."""

    semantics: list[SemanticDocument] = field(default_factory=list)
    metrics: list[MetricDocument] = field(default_factory=list)
    checks: list[CheckDocument] = field(default_factory=list)
    notes: list[Diagnostic] = field(default_factory=list)


def read_documents(files: dict[str, str]) -> Documents:
    """Reads files; unreadable parts are noted."""
    found = Documents()
    for path in sorted(files):
        try:
            for document in read_yaml(files[path], path):
                _read(document, found)
        except CompileError as error:
            found.notes.append(error.diagnostic)
    return found


def _read(document: YamlNode, found: Documents) -> None:
    kind = document.get("kind")
    word = kind.text().lower() if kind is not None else ""
    if word == "semantic" and document.get("depends_on") is not None:
        _each(found, [lambda: found.semantics.append(_semantic(document))])
    elif word == "metric" and document.get("measure") is not None:
        _each(found, [lambda: found.metrics.append(MetricDocument(_required(document, "name"), document))])
    elif word == "dq" and document.get("checks") is None:
        _read_pack(document, found)
    elif word in ("", "semantic", "metric", "dq"):
        _read_maps(document, found)
    else:
        raise document.error(CompileCode.BadPropertyValue, f"kind {word} is unknown; write semantic, metric or dq")


def _each(found: Documents, steps: list[object]) -> None:
    for step in steps:
        try:
            step()  # type: ignore[operator]
        except CompileError as error:
            found.notes.append(error.diagnostic)


def _read_maps(document: YamlNode, found: Documents) -> None:
    is_known = False
    for key, value in document.pairs():
        if key in _SEMANTIC_KEYS:
            is_known = True
            for name, body in value.pairs():
                alias = body.get("alias", "name") if body.is_mapping else None
                shown = alias.text() if alias is not None else name.split(".")[-1]
                found.semantics.append(SemanticDocument(shown, name, body))
        elif key in _METRIC_KEYS:
            is_known = True
            found.metrics.extend(MetricDocument(name, body) for name, body in value.pairs())
        elif key == "checks":
            is_known = True
            for name, body in value.pairs():
                _read_checks(name, body, found)
    if not is_known:
        message = "holds no semantic model, metric or check, and was not converted"
        found.notes.append(document.error(CompileCode.PropertyDropped, message).diagnostic)


def _semantic(document: YamlNode) -> SemanticDocument:
    return SemanticDocument(_required(document, "name"), _required(document, "depends_on"), document)


def _required(document: YamlNode, key: str) -> str:
    value = document.get(key)
    if value is None:
        raise document.error(CompileCode.BadPropertyValue, f"lacks {key}; add '{key}: …'")
    items = value.texts()
    if len(items) != 1:
        raise value.error(CompileCode.BadPropertyValue, f"{key} is {value.shown}; write one name")
    return items[0]


def _read_pack(document: YamlNode, found: Documents) -> None:
    """`kind: dq`: rules for one model."""
    model = _required(document, "depends_on")
    filters = [value for key, value in document.pairs() if key == "filter"]
    for key, value in document.pairs():
        if key == "rules":
            for rule in value.items():
                _add_rule(model, rule, filters, None, found)
        elif key == "profiles":
            _drop_profiles(value, model, found)
        elif key not in _PACK_KEYS and key not in ("tags", "terms", "ai_context"):
            raise value.error(CompileCode.BadPropertyValue, f"a pack of checks has no {key}; remove it")


def _read_checks(model: str, body: YamlNode, found: Documents) -> None:
    """`checks: model: completeness: [rules]`."""
    filters = [value for key, value in body.pairs() if key == "filter"]
    for key, value in body.pairs():
        if key == "filter":
            continue
        if key == "profiles":
            _drop_profiles(value, model, found)
            continue
        for rule in value.items():
            _add_rule(model, rule, filters, key, found)


def _drop_profiles(node: YamlNode, model: str, found: Documents) -> None:
    message = f"profiles of {model} dropped: dbt keeps no statistics"
    found.notes.append(node.error(CompileCode.PropertyDropped, message).diagnostic)


def _add_rule(model: str, rule: YamlNode, filters: list[YamlNode], dimension: str | None, found: Documents) -> None:
    try:
        found.checks.append(_check(model, rule, filters, dimension))
    except CompileError as error:
        found.notes.append(error.diagnostic)


def _check(model: str, rule: YamlNode, filters: list[YamlNode], dimension: str | None) -> CheckDocument:
    if not rule.is_mapping:
        return CheckDocument(model, rule.text(), rule, {}, filters, dimension)
    pairs = rule.pairs()
    if not pairs:
        raise rule.error(CompileCode.BadPropertyValue, "a rule is empty; write an expression such as row_count > 0")
    (expression, body), *rest = pairs
    settings = dict(_settings(body)) if body.is_mapping else {}
    # if a rule's settings are not indented, they are siblings of the rule
    settings.update(rest)
    own = [settings.pop("filter")] if "filter" in settings else []
    return CheckDocument(model, expression, rule, settings, [*filters, *own], dimension)


def _settings(body: YamlNode) -> Iterator[tuple[str, YamlNode]]:
    for key, value in body.pairs():
        if key == "attributes" and value.is_mapping:
            yield from value.pairs()
        else:
            yield key, value


def named(node: YamlNode | None) -> list[tuple[str, YamlNode]]:
    """Named objects: a mapping by name, or a list with a name in each item.

    Raises:
        CompileError: one has no name (BadPropertyValue).
    """
    if node is None:
        return []
    if node.is_mapping:
        return node.pairs()
    found = []
    for item in node.items():
        if item.is_mapping:
            name = item.get("name")
            if name is None:
                raise item.error(CompileCode.BadPropertyValue, "has no name; add 'name: …'")
            found.append((name.text(), item))
        else:
            found.append((item.text(), item))
    return found
