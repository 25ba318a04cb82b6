"""Names of tables: as written, as used in dbt, and when two are the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

# dialects that store unquoted names in upper case, and those in which quoting does not make a name case-sensitive
_UPPER = frozenset({"snowflake", "oracle", "db2"})
_INSENSITIVE = frozenset(
    {"", "spark", "spark2", "databricks", "hive", "duckdb", "tsql", "mysql", "redshift", "trino", "presto", "athena"}
)


@dataclass(frozen=True)
class TableName:
    """A table's name: its parts as written, and the key that equal names share.

    Attributes:
        parts: catalog, schema and table as far as written.
        keys: the same, normalised for comparison.
    """

    parts: tuple[str, ...]
    keys: tuple[str, ...]

    @property
    def key(self) -> str:
        """The key used in references."""
        return ".".join(self.keys)

    @property
    def table(self) -> str:
        """The last part as written."""
        return self.parts[-1]

    @property
    def schema(self) -> str | None:
        """The schema as written."""
        return self.parts[-2] if len(self.parts) > 1 else None

    @property
    def catalog(self) -> str | None:
        """The catalog as written."""
        return self.parts[-3] if len(self.parts) > 2 else None

    @property
    def text(self) -> str:
        """The name as written, without quotes."""
        return ".".join(self.parts)

    def without_catalog(self) -> TableName:
        """Schema and table alone."""
        return TableName(self.parts[-2:], self.keys[-2:])


def name_part_key(name: str, *, is_quoted: bool, dialect: str) -> str:
    """A part of a name, normalised for comparison: quotes preserve case, except where they do not matter."""
    if not is_quoted or dialect in _INSENSITIVE:
        return name.lower()
    if dialect in _UPPER:
        return name.lower() if name == name.upper() else name
    return name


def table_name(parts: Sequence[tuple[str, bool]], dialect: str) -> TableName:
    """Builds a name from its parts and whether each was quoted."""
    last = tuple(parts)[-3:]
    return TableName(
        tuple(name for name, _ in last),
        tuple(name_part_key(name, is_quoted=quoted, dialect=dialect) for name, quoted in last),
    )


def table_name_of(table: exp.Table, dialect: str) -> TableName:
    """The name of a table in a tree; one quoted string with dots, as BigQuery allows, counts as several parts."""
    parts: list[tuple[str, bool]] = []
    for part in table.parts:
        quoted = bool(part.args.get("quoted")) if isinstance(part, exp.Identifier) else False
        names = part.name.split(".") if dialect == "bigquery" else [part.name]
        parts.extend((name, quoted) for name in names)
    return table_name(parts, dialect)
