"""Models of kinds that go by what changed, over a source in DuckDB that gains a row and an unreadable line a day."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from tests.unit.duckdb_runs import Relation, Warehouse
from tests.unit.macros import Macros

SINCE = "select id, v from shop.src where id > /*kinds:last_value*/('0')"
CURSOR: dict[str, Any] = {"capture": "cursor", "cursor": "id", "cursor_initial": "0"}
COLUMNS = [{"name": "id", "data_type": "int", "not_null": True}, {"name": "v", "data_type": "int"}]
EVENTS: dict[str, Any] = {"columns": COLUMNS, "disable_restatement": False}

GAINED = "select id, v from /*kinds:changes_of shop.src*/ (select * from shop.src) as s"
ADDING = "when matched then update set target.v = target.v + source.v"

# of each: its kind, its options, its query
MODELS: dict[str, tuple[str, dict[str, Any], str]] = {
    "append": ("append", CURSOR, SINCE),
    "gained": ("append", {"capture": "snapshot"}, GAINED),
    "keys": ("incremental_by_unique_key", {"unique_key": "id", "capture": "snapshot"}, GAINED),
    "adds": ("incremental_by_unique_key", {"unique_key": "id", "capture": "snapshot", "when_matched": ADDING}, GAINED),
    "tracked": ("tracked", {"group_key": ["id"]}, "select id, v from shop.src"),
    "by_run": (
        "scd_type_2_by_column", {"unique_key": "id", "validity": "run_sequence", "columns": "*", "invalidate_hard_deletes": True},
        "select id, v from shop.src",
    ),
    "full": ("full", {}, "select id, v from shop.src"),
    "files": ("events", {**EVENTS, "landing": {"path": "/landing"}}, ""),
    "rows": ("events", {**EVENTS, "landing": {"table": "shop.inbox"}}, ""),
}  # fmt: skip


@dataclass
class Changing(Warehouse):
    """A warehouse with that source, as a table `src`, as files of lines and as a table to land in."""

    days: int = 0
    of: str = "append"
    file_format: str = "iceberg"
    given: dict[str, Any] = field(default_factory=dict)
    query: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for statement in (
            "create table shop.src (id int, v int)",
            "create table shop.inbox (id int, v int)",
            "create table shop.landed (name varchar, length bigint)",
            "create table shop.lines (name varchar, id int, v int)",
            "create table shop.dbt_kinds_ingested (relation varchar, claim varchar, file varchar, length bigint, is_whole boolean, taken_at varchar, invocation_id varchar)",
        ):
            self.database.execute(statement)
        self.formats["shop.inbox"] = "iceberg"

    def gain(self) -> None:
        """What one more day brings: a row, and a line without an id."""
        self.days += 1
        day = self.days
        self.database.execute(f"insert into shop.src values ({day}, {day * 10})")
        self.database.execute(f"insert into shop.inbox values ({day}, {day * 10}), (null, {day * 10 + 1})")
        self.database.execute(f"insert into shop.landed values ('day_{day}', 20)")
        self.database.execute(f"insert into shop.lines values ('day_{day}', {day}, {day * 10}), ('day_{day}', null, {day * 10 + 1})")  # fmt: skip

    def model(self) -> tuple[str, dict[str, Any], str]:
        """Its kind, its options, its query."""
        kind, options, sql = MODELS[self.of]
        return kind, {**options, "file_format": self.file_format, **self.given}, self.query or sql

    def build(self, day: int, *, full_refresh: bool = False) -> None:
        """`dbt run` in the morning of a day."""
        at = {"kinds_execution_time": f"2024-01-{day:02}T06:00:00"}
        self.run("t", *self.model(), at, full_refresh=full_refresh)

    def operate(self, operation: str, **arguments: str) -> None:
        """`dbt run-operation`."""
        macros = self.macros("t", *self.model(), {}, f"operation-{len(self.log)}", False)
        getattr(macros, operation)(select="t", **arguments)

    def gain_and_build(self, day: int, *, full_refresh: bool = False) -> None:
        self.gain()
        self.build(day, full_refresh=full_refresh)

    def held(self) -> list[tuple[int, int]]:
        """The table's rows."""
        return sorted(self.database.execute("select id, v from shop.t").fetchall())

    def expected(self) -> list[tuple[int, int]]:
        return sorted(self.database.execute("select id, v from shop.src").fetchall())

    def rejected(self) -> list[int]:
        """What could not be loaded, of kinds that keep it."""
        is_kept = "t__rejected" in self.listed_tables(None)
        rows = self.database.execute("select cast(text as int) from shop.t__rejected").fetchall() if is_kept else []
        return sorted(value for (value,) in rows)

    def to_reject(self) -> list[int]:
        table = {"files": "lines", "rows": "inbox"}.get(self.of)
        rows = self.database.execute(f"select v from shop.{table} where id is null").fetchall() if table else []
        return sorted(value for (value,) in rows)

    # --- what stands in for files, and for what only Spark can do

    def ask(self, sql: str) -> Any:
        sql = re.sub(
            r"_metadata.file_name as name, \S+\(\S+ '\+', '%2B'\)\) as shown,\s+_metadata.file_size as length\s+from binaryFile\S+ where .*", "name, name as shown, length from shop.landed", sql
        )  # fmt: skip
        sql = re.sub(
            r"_metadata.file_name as file, value as text, [^()]*\(\) as place\s+from text\S+\s+where _metadata.file_name (in \(.*\))",
            r"name as file, v as text, 0 as block, rowid as place from shop.lines where name \1", sql,
        )  # fmt: skip
        return super().ask(sql)

    def change(self, name: str, sql: str) -> None:
        sql = sql.replace("partitioned by (claim)", "").replace("create table if not exists", "create table")
        if name == "create_rejects":
            name = "create_table"
        elif name == "keep_rejects":
            table, claim, query = re.findall(r"insert overwrite table (\S+) partition \(claim = (\S+)\)(.*)", sql, re.DOTALL)[0]  # fmt: skip
            self.ask(f"delete from {table} where claim = {claim}")
            sql = f"insert into {table} select *, {claim} from ({query})"
        super().change(name, sql)

    def iceberg_snapshots(self, relation: Any) -> dict[int, dict[str, Any]]:
        return {int(number): {} for number in self.snapshots.get(str(relation), [])}

    def event_lines(self, options: Any, files: list[str], claim_id: str) -> str:
        names = ", ".join(f"'{name}'" for name in files)
        return self.as_lines(f"(select * from shop.lines where name in ({names}))", "name")

    def as_lines(self, rows: str, file: str) -> str:
        return f"""select id, v, {file} as _kinds_file, if(id is null, v, null) as _kinds_text,
            if(id is null, 'id is missing or null', null) as _kinds_reason from {rows} as landed"""

    def version(self, node: dict[str, Any]) -> str:
        return f"iceberg {self.current_snapshot(Relation(node['identifier']), 'iceberg')}"

    def sequence(self, relation: Any, run_context: Any) -> int:
        return self.runs + 1

    def macros(self, *args: Any, **kwargs: Any) -> Macros:
        macros = super().macros(*args, **kwargs)
        macros._functions.update(
            iceberg_snapshots=self.iceberg_snapshots, event_lines=self.event_lines, run_sequence=self.sequence, prepare_ledger=lambda: None,
            has_ledger=lambda: True, ledger_table=lambda: Relation("dbt_kinds_ingested"),
            relation_of_node=lambda node: Relation(node["identifier"]), tables_read=lambda node, sql: {"shop.src": {"identifier": "src"}},
            table_version=self.version, table_versions=lambda node, nodes, sql: {"shop.src": self.version({"identifier": "src"})},
            gained_lines=lambda options, plan: self.as_lines(macros._rows_to_take(options, plan["change_sets"]), "'shop.inbox'"),
        )  # fmt: skip
        return macros
