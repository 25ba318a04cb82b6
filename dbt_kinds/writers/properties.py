"""The YAML beside models, seeds and sources: descriptions, columns, tests, unit tests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from dbt_kinds.kinds import (
    Column,
    DataTest,
    Model,
    ModelReference,
    Placeholder,
    Seed,
    SourceReference,
    SourceTable,
    UnitTest,
    UnitTestRows,
)
from dbt_kinds.writers.jinja import (
    NodeNames,
    argument_name,
    call_text,
    escaped,
    escaped_texts,
    rendered,
    with_placeholders,
)
from dbt_kinds.writers.semantic_layer import semantic_text

_NAME = re.compile(r"[A-Za-z_]\w*")
# matches names that Spark accepts without quotes
_PLAIN_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def model_properties(model: Model, names: NodeNames, config: dict[str, Any] | None = None) -> dict[str, Any]:
    """The YAML properties of a model; empty if it has none.

    Args:
        config: settings to write here, for a model whose own file cannot have them.
    """
    entry = _described(model.node, model.description)
    if config:
        entry["config"] = config
    _add_columns_and_tests(entry, model.columns, model.tests, model.node, names)
    content: dict[str, Any] = {}
    if len(entry) > 1:
        content["models"] = [entry]
    if model.unit_tests:
        content["unit_tests"] = [_unit_test(test, model, names) for test in model.unit_tests]
    if model.semantic_models:
        content["semantic_models"] = [semantic_text(semantic) for semantic in model.semantic_models]
    return {"version": 2, **content} if content else {}


def seed_properties(seed: Seed, names: NodeNames) -> dict[str, Any]:
    """The YAML properties of a seed."""
    entry = _described(seed.node, seed.description)
    config: dict[str, Any] = {}
    if seed.schema:
        config["schema"] = seed.schema
    if seed.alias != seed.node:
        config["alias"] = seed.alias
    for name in ("tags", "group", "file_format", "tblproperties", "partition_by", "grants"):
        if name in seed.settings:
            config[name] = seed.settings[name]
    types = {column.name: column.data_type for column in seed.columns if column.data_type}
    if types:
        config["column_types"] = types
    if seed.origin:
        config["meta"] = {"origin": seed.origin}
    if config:
        entry["config"] = config
    _add_columns_and_tests(entry, seed.columns, seed.tests, seed.node, names)
    return {"version": 2, "seeds": [entry]}


def source_properties(tables: Iterable[SourceTable], names: NodeNames) -> dict[str, Any]:
    """All sources of a project, by schema."""
    sources: dict[str, dict[str, Any]] = {}
    for table in tables:
        source = sources.setdefault(table.source, {"name": table.source, **_schema(table), "tables": []})
        entry = _described(table.name, table.description)
        if table.name != table.table:
            entry["identifier"] = table.table
        if not _PLAIN_NAME.fullmatch(table.table):
            entry["quoting"] = {"identifier": True}
        meta = {**table.options, **({"origin": table.origin} if table.origin else {})}
        config = {**table.settings, **({"meta": meta} if meta else {})}
        if config:
            entry["config"] = config
        _add_columns_and_tests(entry, table.columns, table.tests, f"{table.source}_{table.name}", names)
        source["tables"].append(entry)
    return {"version": 2, "sources": list(sources.values())} if sources else {}


def _schema(table: SourceTable) -> dict[str, Any]:
    """The location of a source, as far as it differs from its name.

    dbt-spark would quote catalog and schema as one name, so each is quoted here.
    """
    if table.catalog is not None:
        return {"schema": ".".join(map(_spelt_name, (table.catalog, table.schema)))}
    if not _PLAIN_NAME.fullmatch(table.schema):
        return {"schema": table.schema, "quoting": {"schema": True}}
    return {} if table.schema == table.source else {"schema": table.schema}


def _spelt_name(name: str) -> str:
    return name if _PLAIN_NAME.fullmatch(name) else f"`{name}`"


def _described(name: str, description: str | None) -> dict[str, Any]:
    return {"name": name, **({"description": escaped(description)} if description else {})}


def _add_columns_and_tests(
    entry: dict[str, Any], columns: Iterable[Column], tests: Iterable[DataTest], owner: str, names: NodeNames
) -> None:
    written: dict[str, dict[str, Any]] = {}
    for column in columns:
        written[column.name.lower()] = {
            "name": column.name,
            **({"data_type": column.data_type} if column.data_type else {}),
            **({"description": escaped(column.description)} if column.description else {}),
            **({"config": {"meta": escaped_texts(dict(column.options))}} if column.options else {}),
        }
    of_table: list[Any] = []
    seen: dict[str, int] = {}
    for test in tests:
        body = _test(test, owner, seen, names)
        if test.column is not None and _NAME.fullmatch(test.column):
            column_entry = written.setdefault(test.column.lower(), {"name": test.column})
            column_entry.setdefault("data_tests", []).append(body)
        else:
            of_table.append(body)
    if written:
        entry["columns"] = list(written.values())
    if of_table:
        entry["data_tests"] = of_table


def _test(test: DataTest, owner: str, seen: dict[str, int], names: NodeNames) -> Any:
    """A test; one that differs from another only in its configuration needs a name."""
    arguments = {argument_name(key): _filled(value, test.placeholders, names) for key, value in test.arguments.items()}
    if test.column is not None and not _NAME.fullmatch(test.column):
        arguments = {column_argument(test): _filled(test.column, test.placeholders, names), **arguments}
    body: dict[str, Any] = {}
    identity = repr((test.name, test.column, arguments))
    seen[identity] = seen.get(identity, 0) + 1
    if test.label is not None:
        body["name"] = test.label
    elif seen[identity] > 1:
        body["name"] = f"{test.name.split('.')[-1]}_{owner}_{seen[identity]}"
    if test.description:
        body["description"] = escaped(test.description)
    if arguments:
        body["arguments"] = arguments
    if test.config:
        body["config"] = {key: _filled(value, test.placeholders, names) for key, value in test.config.items()}
    return {test.name: body} if body else test.name


def column_argument(test: DataTest) -> str:
    """The argument for the test's column: the package's tests have one for names and one for expressions."""
    is_name = test.column is None or _NAME.fullmatch(test.column) is not None
    return "column_name" if is_name or not test.name.startswith("dbt_kinds.") else "column"


def _filled(value: Any, placeholders: Mapping[str, Placeholder], names: NodeNames) -> Any:
    if isinstance(value, str):
        placeholder = placeholders.get(value)
        if isinstance(placeholder, ModelReference | SourceReference):
            return call_text(placeholder, names)
        return with_placeholders(escaped(value), placeholders, names)
    if isinstance(value, list):
        return [_filled(item, placeholders, names) for item in value]
    return value


def _unit_test(test: UnitTest, model: Model, names: NodeNames) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": test.name, "model": model.node}
    if test.description:
        entry["description"] = escaped(test.description)
    entry["given"] = [
        {"input": call_text(placeholder, names), **_rows(rows, names)} for placeholder, rows in test.given
    ]
    entry["expect"] = _rows(test.expect, names)
    if test.variables:
        entry["overrides"] = {"vars": escaped_texts(test.variables)}
    return entry


def _rows(rows: UnitTestRows, names: NodeNames) -> dict[str, Any]:
    if rows.sql is not None:
        return {"format": "sql", "rows": rendered(rows.sql, names)}
    return {"rows": escaped_texts(rows.rows or [])}
