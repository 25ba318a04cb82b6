"""Whole runs of models without Spark: the macros as dbt would call them, their statements run by DuckDB.

sqlglot translates queries and merges. What Spark says of tables, the store's log and dbt's own macros are stood in for here; so these
runs show what the macros do, and tests/functional that Spark does it.
"""

from __future__ import annotations

import contextlib
import functools
import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import sqlglot

from tests.unit.databases import database_like_spark
from tests.unit.macros import Macros, node

SPARK_TYPES = {
    "INTEGER": "int", "BIGINT": "bigint", "VARCHAR": "string", "TIMESTAMP WITH TIME ZONE": "timestamp", "DATE": "date",
    "TIMESTAMP": "timestamp_ntz", "DOUBLE": "double", "BOOLEAN": "boolean", "DECIMAL": "decimal",
    # what DuckDB makes of a sum of whole numbers
    "HUGEINT": "bigint",
}  # fmt: skip


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


class DiedError(Exception):
    """What a run that is killed at a statement is left with."""


@functools.lru_cache(maxsize=10_000)
def _in_duckdb(text: str) -> str:
    # sqlglot writes a sum, which is NULL of no rows
    text = re.sub(r"\bcount_if\((\w+)\)", r"count(if(\1, 1, null))", text)
    text = text.replace("struct(__kinds_staged.*)", "__kinds_staged")
    # and a timestamp for a date
    text = text.replace("date_from_unix_date(", "date_of_days(")
    return sqlglot.transpile(text, read="spark", write="duckdb")[0]


@dataclass
class Warehouse:
    """Tables in DuckDB, their formats and snapshots, and the store's log."""

    formats: dict[str, str] = field(default_factory=dict)
    log: list[dict[str, Any]] = field(default_factory=list)
    snapshots: dict[str, list[str]] = field(default_factory=dict)
    statements: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    dies_at: int | None = None
    dies_after_it: bool = False
    runs: int = 0
    unwritten: list[dict[str, Any]] = field(default_factory=list)
    commits: dict[str, list[int]] = field(default_factory=dict)
    appended: dict[int, int] = field(default_factory=dict)
    created: dict[str, int] = field(default_factory=dict)
    documented: dict[str, Any] = field(default_factory=dict)
    arguments: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.database = database_like_spark()
        self.database.execute("create schema shop")

    # --- what Spark does

    def ask(self, sql: str) -> Any:
        text = re.sub(r"(\S+) version as of (\d+)", lambda found: self.snapshot_name(found[1], found[2]), sql)
        return self.database.execute(_in_duckdb(text))

    def do(self, name: str, sql: str) -> None:
        """A statement that changes something; the one that the run dies at is done or not done."""
        self.statements.append(name)
        is_last = self.dies_at is not None and len(self.statements) >= self.dies_at
        if is_last and name == "overwrite_table":
            # what a job leaves that dies while it replaces files
            self.ask(f"delete from {sql.split()[3]}")
        elif not is_last or self.dies_after_it:
            self.change(name, sql)
        if is_last:
            raise DiedError(name)

    def change(self, name: str, sql: str) -> None:
        if name == "refresh_table":
            return
        if name == "overwrite_table":
            _, _, _, table, query = sql.split(maxsplit=4)
            self.replace(table, query)
            return
        if name == "append_events":
            self.log += self.unwritten
            self.unwritten = []
            return
        if name == "create_table":
            self.formats[sql.split(" table ")[1].split()[0]] = re.findall(r"\nusing (\w+)", sql)[0]
        sql = re.sub(r"\busing (parquet|iceberg)\b", "", sql).replace(" purge", "")
        sql = re.sub(r"add columns \((.*)\)", r"add column \1", sql)
        found = re.match(r"\s*insert into (\S+) replace where true\s(.*)", sql, re.DOTALL)
        if found:
            self.replace(found[1], found[2])
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

    def replace(self, table: str, sql: str) -> None:
        self.ask(f"create or replace temporary table replacement as {sql}")
        self.ask(f"delete from {table}")
        self.ask(f"insert into {table} select * from replacement")

    def snapshot_name(self, table: str, snapshot_id: Any) -> str:
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
        return {"columns": columns, "partitioning": [], "file_format": file_format, "is_view": False, "location": None}

    def columns_of(self, sql: str) -> list[dict[str, str]]:
        return [
            {"name": row[0], "type": re.sub(r"^[A-Z ]+", lambda name: SPARK_TYPES[name[0].strip()], row[1])}
            for row in self.ask(f"describe {sql}").fetchall()
        ]

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

    def say(self, text: str) -> str:
        self.said.append(text)
        return ""

    # --- a run

    def run(
        self,
        name: str,
        kind: str,
        options: dict[str, Any],
        sql: str,
        variables: dict[str, Any],
        *,
        full_refresh: bool = False,
    ) -> None:
        """What `dbt run` does with one model; raises what it fails with."""
        self.statements = []
        invocation = f"invocation-{len(self.log)}"
        macros = self.macros(name, kind, options, sql, variables, invocation, full_refresh)
        try:
            macros.load_intervals()
        except Exception as error:
            if not isinstance(error, DiedError):
                # the package's on-run-end hook
                with contextlib.suppress(DiedError):
                    self.dies_at = None
                    macros.release_leases([])
            else:
                # a session that is gone holds nothing
                self.unwritten = []
                released = {"event": "released", "relation": f"shop.{name}", "invocation_id": invocation}
                self.log.append({**released, "recorded_at": self.moment()})
            raise
        finally:
            self.dies_at = None

    def moment(self) -> str:
        return (datetime(2030, 1, 1) + timedelta(seconds=len(self.log) + len(self.unwritten))).strftime(
            "%Y-%m-%dT%H:%M:%S.%f"
        )

    def note(self, event: dict[str, Any], takes_commit: bool = False) -> list[str]:
        """An event on its way into the log, and the values that it has in the statement."""
        self.unwritten.append({key: value for key, value in event.items() if value is not None})
        return []

    def read_store(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for relation in {row["relation"] for row in self.log}:
            rows = [row for row in self.log if row["relation"] == relation]
            # what lines leave out is asked for in few rows only, so that all are given as rows
            blank = {"started_at": "", "execution_time": "", "model_hash": ""}
            found.append({"relation": relation, "lines": "", "rows": [{**blank, **row} for row in rows]})
        return found

    def macros(
        self,
        name: str,
        kind: str,
        options: dict[str, Any],
        sql: str,
        variables: dict[str, Any],
        invocation: str,
        full_refresh: bool,
    ) -> Macros:
        model = node(name, kind=kind, **options) | {
            "raw_code": sql, "package_name": "shop", "depends_on": {"nodes": []}, "columns": self.documented, "resource_type": "model", "schema": "shop",
        }  # fmt: skip

        def statement(name: str, caller: Any = None, **_: Any) -> str:
            text = str(caller())
            self.do(name, text)
            return ""

        def quiet(*_: Any, **given: Any) -> str:
            if "caller" in given:
                given["caller"]()
            return ""

        raise_warning = SimpleNamespace(raise_compiler_error=_raise, warn=self.said.append)
        macros = Macros(
            variables=variables, arguments=self.arguments, node=model, this=Relation(name), run_query=self.run_query, statement=statement,
            compiled_code=sql, invocation_id=invocation, exceptions=raise_warning,
            log=lambda text, info=False: self.say(text),
            config=SimpleNamespace(
                get=lambda key, default=None: {"contract": SimpleNamespace(enforced=False)}.get(key, default), persist_column_docs=lambda: False,
            ),
            run_hooks=quiet, pre_hooks=[], post_hooks=[], apply_grants=quiet, persist_docs=quiet, should_revoke=quiet,
            noop_statement=quiet, should_full_refresh=lambda: full_refresh, load_cached_relation=lambda relation: None,
            target={"schema": "shop"}, graph={"nodes": {model["unique_id"]: model}}, print=self.say,
            api=SimpleNamespace(Relation=SimpleNamespace(create=lambda identifier, **_: Relation(identifier))), selected_resources=[f"model.shop.{name}"],
            options_clause=quiet, clustered_cols=quiet, location_clause=quiet, comment_clause=quiet, tblproperties_clause=quiet,
        )  # fmt: skip
        instead: dict[str, Any] = {
            name: getattr(self, name)
            for name in (
                *("listed_tables", "describe_table", "current_snapshot", "table_state", "commit_of"),
                *("has_snapshot", "query_rows", "snapshots_since", "is_newer_than"),
            )
        }
        instead |= {
            "event_values": self.note, "store_table": lambda: "store", "store_key": lambda: "store",
            "find_store": lambda refresh=False: {"file_format": "hive"}, "lease_holder": lambda: None, "spark_application": lambda: "app",
            "read_store": lambda asked, others=False: self.read_store(), "next_moment": self.moment,
            "_events_where": lambda condition, questions=None, answers=None, by=None, is_checked=False: list(self.log),
        }  # fmt: skip
        macros._functions.update(instead)
        return macros


def as_json(value: Any) -> Any:
    return value if isinstance(value, (bool, int, float, list)) else str(value)


def _raise(message: str) -> None:
    from tests.unit.macros import CompilerError

    raise CompilerError(message)
