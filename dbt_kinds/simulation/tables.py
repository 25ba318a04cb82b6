"""Tables in DuckDB that the macros take for Spark's: their formats, their snapshots, and what they ask about them.

A method that has the name of a macro takes its place and its arguments.
"""

# ruff: noqa: D102, D105 (as above)
from __future__ import annotations

import re
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from dbt_kinds.simulation.databases import database_like_spark
from dbt_kinds.simulation.statements import in_duckdb, spark_type


@dataclass(frozen=True)
class Relation:
    """As much of dbt's relation as the macros ask for."""

    identifier: str
    schema: str = "shop"
    database: str | None = None

    def incorporate(self, path: dict[str, str] | None = None, **_: Any) -> Relation:
        return Relation((path or {}).get("identifier", self.identifier), self.schema)

    def without_identifier(self) -> str:
        return self.schema

    def __str__(self) -> str:
        return f"{self.schema}.{self.identifier}"


@dataclass
class Tables:
    """The tables of one database.

    Attributes:
        formats: the file format of each table.
        partitioning: the columns, or functions of columns, by which each is partitioned.
        snapshots: the snapshots that were taken of each.
        runs: how many writes and snapshots there were; each has its number.
        commits: the numbers of the merges and inserts into each.
        appended: how many rows each insert appended.
        created: the number of the write that created each.
    """

    formats: dict[str, str] = field(default_factory=dict)
    partitioning: dict[str, list[str]] = field(default_factory=dict)
    snapshots: dict[str, list[str]] = field(default_factory=dict)
    runs: int = 0
    commits: dict[str, list[int]] = field(default_factory=dict)
    appended: dict[int, int] = field(default_factory=dict)
    created: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.database = database_like_spark()
        self.database.execute("create schema shop")

    def ask(self, sql: str) -> Any:
        """What DuckDB answers to a statement of Spark's."""
        text = re.sub(r"(\S+) version as of (\d+)", lambda found: self.snapshot_name(found[1], found[2]), sql)
        return self.database.execute(in_duckdb(text))

    def change(self, name: str, sql: str) -> None:
        """Executes a named statement that changes something."""
        if name == "refresh_table":
            return
        if name == "overwrite_table":
            _, _, _, table, query = sql.split(maxsplit=4)
            self.replace(table, query)
            return
        if name in ("replace_partitions", "overwrite_partitions"):
            table, query = sql.split("\n", maxsplit=1)
            self.replace_partitions(table.split()[-1], query)
            return
        if name == "create_table":
            table = sql.split(" table ")[1].split()[0]
            self.formats[table] = re.findall(r"\nusing (\w+)", sql)[0]
            partitioned = re.search(r"\npartitioned by \((.*)\)", sql)
            self.partitioning[table] = partitioned[1].split(", ") if partitioned is not None else []
            sql = sql.replace(partitioned[0], "") if partitioned is not None else sql
        sql = re.sub(r"\busing (parquet|iceberg)\b", "", sql).replace(" purge", "")
        sql = re.sub(r"add columns \((.*)\)", r"add column \1", sql)
        found = re.match(r"\s*insert into (\S+) replace where (.*?)\n(.*)", sql, re.DOTALL)
        if found:
            self.replace(found[1], found[3], found[2])
            return
        added = self.ask(sql).fetchone()
        words = sql.split()
        if words[0] in ("merge", "insert"):
            self.runs += 1
            self.commits.setdefault(words[2], []).append(self.runs)
            self.appended.update({self.runs: added[0]} if words[0] == "insert" else {})
        elif name == "create_table":
            self.runs += 1
            self.created[sql.split(" table ")[1].split()[0]] = self.runs

    def replace(self, table: str, sql: str, condition: str = "true") -> None:
        """Replaces the rows of a table for which a condition holds by those of a query, which may read it."""
        self.ask(f"create or replace temporary table replacement as {sql}")
        self.ask(f"delete from {table} where {condition}")
        self.ask(f"insert into {table} select * from replacement")

    def replace_partitions(self, table: str, sql: str) -> None:
        """Replaces the partitions of a table that a query has rows of."""
        fields = [
            re.sub(r"(day|hour|month|year)s\((.+)\)", r"date_trunc('\1', \2)", one) for one in self.partitioning[table]
        ]
        listed = ", ".join(f"{field} as part_{number}" for number, field in enumerate(fields))
        same = " and ".join(f"parts.part_{number} <=> {field}" for number, field in enumerate(fields))
        self.ask(f"create or replace temporary table replacement as {sql}")
        self.ask(f"create or replace temporary table parts as select distinct {listed} from replacement")
        self.ask(f"delete from {table} where exists (select 1 from parts where {same})")
        self.ask(f"insert into {table} select * from replacement")

    @staticmethod
    def snapshot_name(table: str, snapshot_id: Any) -> str:
        """The table with a table's rows as of a snapshot."""
        return f"{table}__snapshot_{snapshot_id}"

    def create_table(self, table: str, file_format: str, sql: str) -> None:
        """A table that no run made."""
        self.ask(f"create table {table} as {sql}")
        self.formats[table] = file_format

    # --- what stands in for macros that ask Spark about tables

    def listed_tables(self, relation: Any, refresh: bool = False) -> dict[str, str]:
        names = self.database.execute(
            "select table_name from duckdb_tables() where database_name = current_database()"
        ).fetchall()
        return {name: "table" for (name,) in names if "__snapshot_" not in name}

    def describe_table(self, relation: Any) -> dict[str, Any]:
        columns = self.columns_of(f"select * from {relation}")
        file_format = self.formats.get(str(relation), "parquet")
        partitioning = self.partitioning.get(str(relation), [])
        return {
            "columns": columns,
            "partitioning": partitioning,
            "file_format": file_format,
            "is_view": False,
            "location": None,
        }

    def columns_of(self, sql: str) -> list[dict[str, str]]:
        """The columns of a query, as Spark describes them."""
        return [{"name": row[0], "type": spark_type(row[1])} for row in self.ask(f"describe {sql}").fetchall()]

    def current_snapshot(self, relation: Any, file_format: str) -> int | None:
        if file_format != "iceberg":
            return None
        self.runs += 1
        self.ask(f"create table {self.snapshot_name(str(relation), self.runs)} as select * from {relation}")
        self.snapshots.setdefault(str(relation), []).append(str(self.runs))
        return self.runs

    def table_state(self, relation: Any, run_context: Any, name: str) -> int | None:
        if name == "newest_file":
            # rows that come later have greater numbers, as files have later times
            return int(self.ask(f"select coalesce(max(rowid), -1) from {relation}").fetchone()[0])
        return self.current_snapshot(relation, self.formats.get(str(relation), "parquet"))

    def is_newer_than(self, newest: int | None) -> str:
        return "true" if newest is None else f"rowid > {newest}"

    def commit_of(self, relation: Any, file_format: str, before: Any = None) -> dict[str, Any]:
        return {"snapshot_id": self.current_snapshot(relation, file_format), "rows_written": 0}

    def has_snapshot(self, relation: Any, file_format: str, snapshot_id: Any) -> bool:
        return str(snapshot_id) in self.snapshots.get(str(relation), [])

    def snapshots_since(self, relation: Any, file_format: str, since: int | None) -> list[dict[str, Any]] | None:
        if since is not None and since < self.created.get(str(relation), 0):
            return None
        return [
            {
                "snapshot_id": at, "operation": "append" if at in self.appended else "overwrite", "application": "app",
                "rows_written": self.appended.get(at, 0),
            }
            for at in self.commits.get(str(relation), []) if since is None or at > since
        ]  # fmt: skip

    def query_rows(self, sql: str, by: str | None = None) -> list[dict[str, Any]]:
        found = self.ask(sql)
        names = [column[0] for column in found.description]
        rows = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
        return [{name: as_json(value) for name, value in row.items() if value is not None} for row in rows]

    def run_query(self, sql: str) -> Any:
        if sql.startswith("set "):
            return SimpleNamespace(rows=[("setting", "dynamic")])
        if sql.startswith("explain"):
            # DuckDB's plan does not show what a bound is compared with
            return SimpleNamespace(rows=[("",)])
        if sql.startswith("describe query"):
            columns = self.columns_of(sql.removeprefix("describe query"))
            return SimpleNamespace(rows=[(column["name"], column["type"]) for column in columns])
        return SimpleNamespace(rows=self.ask(sql).fetchall())


def as_json(value: Any) -> Any:
    """A value as it is after Spark's to_json."""
    return value if isinstance(value, (bool, int, float, list)) else str(value)
