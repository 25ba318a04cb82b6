"""Tables in queries: which are models, which are sources, and their names in dbt."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from dbt_kinds.diagnostics import Place
from dbt_kinds.kinds import ModelReference, SourceReference, SourceTable
from dbt_kinds.readers.names import dbt_name

_DEFAULT_SCHEMA = "main"
# the catalog of the tool's own tables
_OWN_CATALOG = "lake"


@dataclass
class Tables:
    """The tables of a project.

    Attributes:
        nodes: the dbt names of models by key, `schema.table` in lower case; without refused ones.
        sources: tables that the project does not build, by key.
    """

    nodes: dict[str, str] = field(default_factory=dict)
    sources: dict[str, SourceTable] = field(default_factory=dict)

    def find(self, parts: list[str], place: Place) -> ModelReference | SourceReference:
        """What a name refers to; one that no model has becomes a source."""
        key = key_of(parts)
        if key in self.nodes:
            return ModelReference(key)
        source = self.sources.get(key)
        if source is None:
            source = self.sources[key] = _source(parts, key, place)
        return SourceReference(source.source, source.name)


def key_of(parts: list[str]) -> str:
    """The key under which two names of one table compare equal."""
    parts = parts if len(parts) > 1 else [_DEFAULT_SCHEMA, *parts]
    parts = parts[1:] if len(parts) == 3 and parts[0].lower() == _OWN_CATALOG else parts
    return ".".join(parts).lower()


def table_key(table: exp.Table) -> str:
    """The key of a table in a tree."""
    return key_of([part.name for part in table.parts])


def _source(parts: list[str], key: str, place: Place) -> SourceTable:
    names = key.split(".")
    written = [_DEFAULT_SCHEMA, *parts] if len(parts) == 1 else parts[-len(names) :]
    catalog = written[0] if len(written) > 2 else None
    schema, table = written[-2], written[-1]
    name = dbt_name(f"{catalog}__{schema}" if catalog else schema)
    return SourceTable(name, schema, table, place, dbt_name(table), catalog)
