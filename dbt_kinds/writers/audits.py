"""The audits of a model as written to its meta: what is checked in a batch before it is published."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import chain, count
from typing import Any

from dbt_kinds.kinds import DataTest, ModelReference, Placeholder, SourceReference, SqlText
from dbt_kinds.placeholders import PLACEHOLDER_NAME
from dbt_kinds.writers.jinja import NodeNames, argument_name, call_text, with_expressions
from dbt_kinds.writers.properties import column_argument


def audit_entries(audits: Iterable[DataTest], names: NodeNames) -> list[dict[str, Any]]:
    """The entries of `meta.audits`; if several would have the same name, all but one get their own."""
    audits = list(audits)
    taken = {audit.label.lower() for audit in audits if audit.label is not None}
    return [_entry(audit, names, taken) for audit in audits]


def _entry(audit: DataTest, names: NodeNames, taken: set[str]) -> dict[str, Any]:
    arguments = {argument_name(key): _value(value, audit.placeholders, names) for key, value in audit.arguments.items()}
    if audit.column is not None:
        arguments = {column_argument(audit): _value(audit.column, audit.placeholders, names), **arguments}
    settings = {key: _value(value, audit.placeholders, names) for key, value in audit.config.items()}
    name = _own_name(audit, arguments.get("column_name"), taken)
    if name is not None:
        settings = {"name": name, **settings}
    return {audit.name: {**arguments, **settings}}


def _own_name(audit: DataTest, column: str | None, taken: set[str]) -> str | None:
    """The explicit name of an entry; None if it equals the audit's default name, made from its test and column."""
    if audit.label is not None:
        return audit.label
    given = "_".join([audit.name.split(".")[-1], *([column] if column else [])])
    word = re.sub(r"\W+", "_", given).strip("_")
    names = chain([word], (f"{word}_{number}" for number in count(2)))
    free = next(name for name in names if name.lower() not in taken)
    taken.add(free.lower())
    return free if free != word else None


def _value(value: Any, placeholders: Mapping[str, Placeholder], names: NodeNames) -> Any:
    """A value inside `config()`; a table is the text of its call, as in a YAML file."""
    if isinstance(value, str):
        placeholder = placeholders.get(value)
        if isinstance(placeholder, ModelReference | SourceReference):
            return call_text(placeholder, names)
        return with_expressions(SqlText(value, placeholders), names) if PLACEHOLDER_NAME.search(value) else value
    if isinstance(value, list):
        return [_value(item, placeholders, names) for item in value]
    return value
