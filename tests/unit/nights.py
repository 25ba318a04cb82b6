"""Nights of many models in DuckDB: dbt processes whose threads take turns at any statement, and which die at any, or go on after one that failed.

A process goes through the models in the graph's order; whose turn it is after a statement is drawn. What is recorded is compared with what
the tables hold, and the order of events with what was promised.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import md5
from random import Random
from types import SimpleNamespace
from typing import Any

import duckdb

from tests.unit.duckdb_runs import DiedError, Warehouse
from tests.unit.macros import CompilerError, Macros, node

WINDOW = "day between /*kinds:start_date*/ date '2024-01-01' and /*kinds:end_date*/ date '2024-01-01'"
ADDS = "when matched then update set target.n = target.n + source.n"
RANGE, KEY = "incremental_by_time_range", "incremental_by_unique_key"


@dataclass(frozen=True)
class Model:
    """A model, what it reads, and whether its write may be repeated."""

    kind: str
    reads: str
    options: dict[str, Any] = field(default_factory=dict)
    is_repeatable: bool = True

    def sql(self) -> str:
        return f"select id, day, n from shop.{self.reads} where {WINDOW}"


MODELS = {
    "a": Model(RANGE, "src", {"time_column": "day"}),
    "key": Model(KEY, "src", {"unique_key": "id"}),
    "b": Model(RANGE, "a", {"time_column": "day"}),
    "rows": Model("incremental_unmanaged", "a", is_repeatable=False),
    "monthly": Model(RANGE, "a", {"time_column": "day", "cron": "@monthly"}),
    "whole": Model("full", "b"),
    "adding": Model(KEY, "b", {"unique_key": "id", "when_matched": ADDS}, is_repeatable=False),
    "c": Model(RANGE, "src", {"time_column": "day"}),
    "key_of_c": Model(KEY, "c", {"unique_key": "id"}),
}


def with_parents(names: Sequence[str]) -> list[str]:
    """Some models and all that they read, in the graph's order."""
    needed = set(names)
    for name in reversed(MODELS):
        if name in needed and MODELS[name].reads in MODELS:
            needed.add(MODELS[name].reads)
    return [name for name in MODELS if name in needed]


FAILED = "a statement failed"
WRITES = ("delete_range", "replace_range", "append", "merge_changes", "create_table")


class Invocation:
    """The id of a process's invocation, which changes while its macros stay."""

    def __init__(self) -> None:
        self.value = ""

    def __str__(self) -> str:
        return self.value

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other)

    def __hash__(self) -> int:
        return hash(self.value)


@dataclass(frozen=True)
class End:
    """What a process comes to at one of its statements: it dies, or the statement fails, which may have been done by then. A run that `fails_fast` begins nothing more."""

    at: int | None = None
    after_it: bool = False
    is_failure: bool = False
    fails_fast: bool = False


END = End()


class Turns:
    """Threads of which one runs at a time, and the drawn one goes on after a statement."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.gates: dict[int, threading.Semaphore] = {}
        self.ended = threading.Semaphore(0)

    def run(self, workers: list[Callable[[], None]]) -> None:
        failed: list[BaseException] = []

        def work(number: int, worker: Callable[[], None]) -> None:
            self.gates[number].acquire()
            _local.number = number
            try:
                worker()
            except BaseException as error:
                failed.append(error)
            del self.gates[number]
            self.draw() if self.gates else self.ended.release()

        threads = []
        for number, worker in enumerate(workers):
            self.gates[number] = threading.Semaphore(0)
            threads.append(threading.Thread(target=work, args=(number, worker), daemon=True))
        for thread in threads:
            thread.start()
        self.draw()
        self.ended.acquire()
        for error in failed:
            raise error

    def draw(self) -> int:
        number = self.random.choice(list(self.gates))
        self.gates[number].release()
        return number

    def switch(self) -> None:
        """Another thread's turn, or again that of the one that asks."""
        mine = self.gates[_local.number]
        self.draw()
        mine.acquire()


_local = threading.local()


class Process:
    """A dbt process that can be run again: its macros, its graph, and what its last run did."""

    def __init__(self, warehouse: Nights, *, shares_memory: bool = True) -> None:
        self.warehouse, self.name = warehouse, ""
        self.invocation, self.variables = Invocation(), dict[str, Any](kinds_execution_time=None)
        self.nodes = {
            f"model.shop.{name}": node(name, kind=model.kind, **{"start": "2024-01-01", "file_format": "iceberg", **model.options}) | {
                "raw_code": model.sql(), "package_name": "shop", "columns": {}, "resource_type": "model", "schema": "shop",
                "depends_on": {"nodes": [f"model.shop.{model.reads}"] if model.reads in MODELS else []},
            }
            for name, model in MODELS.items()
        }  # fmt: skip
        self.graph: dict[str, Any] = {"nodes": self.nodes}
        self.selected: list[str] = list(self.nodes)
        self.shares_memory = shares_memory
        self.macros = {name: self.macros_of(name) for name in MODELS}
        self.hook = self.macros_of("a", node={}, this=None, arguments={"which": "run"})
        self.dead, self.has_closed, self.has_opened, self.is_opening = False, False, False, False

    def macros_of(self, name: str, **of_dbt: Any) -> Macros:
        model = MODELS[name]
        of_dbt = {"node": self.nodes[f"model.shop.{name}"], **of_dbt}
        macros = self.warehouse.macros(
            name, model.kind, {}, model.sql(), self.variables, "", False,
            graph=self.graph if self.shares_memory else {"nodes": self.nodes}, dbt_version="1.11.0" if self.shares_memory else "2.0.0", invocation_id=self.invocation, selected_resources=self.selected,
            local_md5=lambda text: md5(str(text).encode()).hexdigest(), **of_dbt,
        )  # fmt: skip
        macros.replace(
            {
                "lease_holder": lambda: self.name,
                "is_embedded": lambda: True,
                "_is_gone": lambda holder: holder in self.warehouse.gone,
                "writes_spark_sql": lambda: True,
                "unknown_variables": lambda: [],
            }
        )
        return macros

    def begin(self, invocation: str, name: str, day: int, end: End, ahead: int | None, models: Sequence[str]) -> None:
        self.invocation.value, self.name = invocation, name
        self.selected[:] = [f"model.shop.{model}" for model in models]
        for key in [key for key in self.graph if key != "nodes"]:
            del self.graph[key]
        self.late: set[str] = set()
        self.waited_at: list[int] = []
        self.variables["kinds_claim_ahead"] = ahead
        self.variables["kinds_execution_time"] = f"2024-01-{day:02}T06:00:00"
        self.dead, self.has_closed, self.count, self.comes_to = False, False, 0, end
        self.has_opened, self.is_opening = False, False
        self.waiting, self.running, self.results = list(models), set[str](), dict[str, str]()
        self.written: set[str] = set()

    def memory(self, name: str) -> dict[str, Any]:
        """What its models remember of this run under a name."""
        return dict(self.graph.get(f"dbt_kinds {self.invocation}", {}).get(name, {}))

    def work(self) -> None:
        """One thread: takes what is ready until nothing is left. The first one begins the run for all."""
        _local.process = self
        if not self.is_opening:
            self.open()
        while self.is_opening and not self.has_opened:
            if self.dead or not self.waiting:
                return
            self.warehouse.turns.switch()
        while self.waiting or self.running:
            if self.comes_to.fails_fast and set(self.results.values()) - {"OK", "skipped"}:
                break
            name = next((name for name in self.waiting if self.is_ready(name)), None)
            if name is None:
                if not self.running:
                    break
                self.warehouse.turns.switch()
                continue
            self.waiting.remove(name)
            self.running.add(name)
            try:
                self.results[name] = self.load(name)
            except DiedError:
                self.dead = True
                return
            finally:
                self.running.discard(name)

    def open(self) -> None:
        """The package's on-run-start hook; dbt ends a run, without its other hook, in which it fails."""
        self.is_opening = True
        _local.model = None
        try:
            self.hook.open_run()
            self.has_opened = True
        except DiedError:
            self.dead = True
        except CompilerError as error:
            assert FAILED in str(error)
            self.results, self.waiting = dict.fromkeys(self.waiting, str(error)), []

    def is_ready(self, name: str) -> bool:
        reads = MODELS[name].reads
        return reads not in MODELS or reads in self.results

    def load(self, name: str) -> str:
        if self.results.get(MODELS[name].reads, "OK") not in ("OK",):
            return "skipped"
        _local.model = name
        try:
            self.macros[name].load_intervals()
        except (CompilerError, duckdb.Error) as error:
            return str(error)
        finally:
            _local.model = None
            if not self.dead:
                self.warehouse.writing.pop(name, None)
        if name in self.written and self.warehouse.days not in self.warehouse.recorded_days(name):
            self.late.add(name)
        return "OK"

    def end(self) -> None:
        """The package's on-run-end hook."""
        _local.process, _local.model = self, None
        results = [
            SimpleNamespace(
                node=SimpleNamespace(**self.nodes[f"model.shop.{name}"]), message=result,
                status="success" if result == "OK" else "skipped" if result == "skipped" else "error",
            )
            for name, result in self.results.items()
        ]  # fmt: skip
        try:
            self.hook.close_run(results)
            self.has_closed = True
        except DiedError:
            self.dead = True
        except CompilerError as error:
            assert FAILED in str(error)


@dataclass
class Nights(Warehouse):
    """A warehouse with a source that gains rows a day, and the processes that load them."""

    days: int = 0
    seconds: float = 0.0
    second: float = 0.01
    gone: set[str] = field(default_factory=set)
    began: int = 0
    broken: list[str] = field(default_factory=list)
    tonight: set[str] = field(default_factory=set)
    writing: dict[str, tuple[str, float]] = field(default_factory=dict)
    meanwhile: tuple[int, Callable[[], None]] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.database.execute("create table shop.src (id int, day date, n int)")
        self.turns = Turns(Random(0))
        self.processes = [Process(self), Process(self)]

    # --- what happens

    def gain(self) -> None:
        """One more day: three rows, of which two have keys of before."""
        self.days += 1
        for number in range(3):
            key = number if number < 2 else self.days + 10
            self.database.execute(
                f"insert into shop.src values ({key}, date '2024-01-{self.days:02}', {self.days * 10 + number})"
            )

    def night(
        self,
        random: Random,
        *,
        threads: int = 1,
        end: End = END,
        ahead: int | None = None,
        processes: Sequence[Process] = (),
        models: Sequence[str] = tuple(MODELS),
    ) -> Process:
        """`dbt run` of models on the morning after the last day; `end` is what the first process comes to, `ahead` for how many models one claims."""
        # the turns of what happens meanwhile are its own
        turns, self.turns = self.turns, Turns(random)
        running = processes or self.processes[:1]
        for number, process in enumerate(running):
            self.began += 1
            self.tonight.add(f"run-{self.began}")
            process.begin(
                f"run-{self.began}", f"process-{self.began}", self.days + 1, end if number == 0 else END, ahead, models
            )
        self.turns.run([process.work for process in running for _ in range(threads)])
        for process in running:
            if not process.dead and process.has_opened:
                self.turns.run([process.end])
            self.gone.add(process.name)
        self.turns = turns
        return running[0]

    # --- statements

    def at_statement(self) -> None:
        process: Process = _local.process
        self.turns.switch()
        if process.dead:
            raise DiedError
        process.count += 1
        if not process.comes_to.after_it:
            self.come_to_an_end(process)

    def come_to_an_end(self, process: Process) -> None:
        if process.count != process.comes_to.at:
            return
        if process.comes_to.is_failure:
            raise CompilerError(FAILED)
        process.dead = True
        raise DiedError

    def after_statement(self) -> None:
        process: Process = _local.process
        if process.memory("waiting"):
            process.waited_at.append(process.count)
        if self.meanwhile is not None and process.count == self.meanwhile[0]:
            happens, self.meanwhile = self.meanwhile[1], None
            happens()
        if process.comes_to.after_it:
            self.come_to_an_end(process)

    def do(self, name: str, sql: str) -> None:
        if not hasattr(_local, "process"):
            return super().do(name, sql)
        self.statements.append(name)
        events, _local.unwritten = getattr(_local, "unwritten", []), []
        self.at_statement()
        if name == "append_events":
            self.log += events
            self.end_writes(events)
        else:
            self.check_order(name)
            replaced = re.match(r"\s*insert into (\S+) replace where (.*)\n", sql)
            if replaced:
                # not in one commit: a death in between leaves a hole
                self.change("delete_range", f"delete from {replaced[1]} where {replaced[2]}")
                self.at_statement()
                sql = sql.replace(f" replace where {replaced[2]}", "", 1)
            self.change(name, re.sub(r"partitioned by \([^()]*(\([^()]*\))?[^()]*\)", "", sql))
        self.after_statement()
        return None

    def end_writes(self, events: list[dict[str, Any]]) -> None:
        """A lease that was given back says that nobody writes any more, also when its run dies right after."""
        for event in events:
            model = event["relation"].removeprefix("shop.")
            if event["event"] == "released" and self.writing.get(model, ("",))[0] == _local.process.name:
                del self.writing[model]

    def note(self, event: dict[str, Any], takes_commit: Any = None) -> list[str]:
        if not hasattr(_local, "unwritten"):
            _local.unwritten = []
        columns = {"event", "relation", "interval_start", "interval_end", "recorded_at", "execution_time", "invocation_id", "model", "kind",
                   "model_hash", "rows_written", "seconds", "snapshot_id", "started_at", "lease_seconds", "holder", "source", "message", "details"}  # fmt: skip
        kept = {key: value for key, value in event.items() if value is not None and key in columns}
        _local.unwritten.append(
            {key: str(value) if isinstance(value, Invocation) else value for key, value in kept.items()}
        )
        return []

    def query_rows(self, sql: str, by: str | None = None) -> list[dict[str, Any]]:
        self.at_statement()
        return super().query_rows(sql, by)

    def events_where(self, condition: str) -> list[dict[str, Any]]:
        self.at_statement()
        asked = re.findall(r"'([^']*)'", re.findall(r"relation in \((.*?)\)", condition)[0])
        rows = [dict(row) for row in self.log if row["relation"] in asked]
        return sorted(rows, key=lambda row: row["recorded_at"])

    def read_store(self) -> list[dict[str, Any]]:
        self.at_statement()
        return super().read_store()

    def moment(self) -> str:
        self.seconds += self.second
        return (datetime(2030, 1, 1) + timedelta(seconds=self.seconds)).strftime("%Y-%m-%dT%H:%M:%S.%f")

    def table_state(self, relation: Any, run_context: Any, name: str) -> int | None:
        return self.current_snapshot(relation, "iceberg")

    def macros(self, *args: Any, **kwargs: Any) -> Macros:
        macros = super().macros(*args, **kwargs)
        macros.replace(
            {
                "_events_where": lambda condition, questions=None, answers=None, by=None, is_checked=False: (
                    self.events_where(condition)
                ),
                "set_event_source": lambda operation: None,
            }
        )
        return macros

    # --- what was promised

    def check_order(self, name: str) -> None:
        """Before a write that may not be repeated, what it reads is in the store."""
        model = getattr(_local, "model", None)
        if model is None or name not in WRITES:
            return
        _local.process.written.add(model)
        self.check_claim(model)
        reads = MODELS[model].reads
        if MODELS[model].is_repeatable or reads not in MODELS:
            return
        if self.days not in self.recorded_days(reads):
            self.broken.append(f"{model} was written before {reads} was recorded")

    def check_claim(self, model: str) -> None:
        """A run that writes has an open claim, and no other that is alive writes the same table."""
        mine = [
            row
            for row in sorted(self.log, key=lambda row: row["recorded_at"])
            if row["relation"] == f"shop.{model}" and row["invocation_id"] == str(_local.process.invocation)
        ]
        last = [row["event"] for row in mine if row["event"] in ("claimed", "released")][-1:]
        if last != ["claimed"]:
            self.broken.append(f"{model} was written without a claim")
        writer, since = self.writing.setdefault(model, (_local.process.name, self.seconds))
        # not once its lease has expired
        if writer != _local.process.name and writer not in self.gone and self.seconds - since < 3600:
            self.broken.append(f"{model} was written by two runs")

    def recorded_days(self, name: str) -> set[int]:
        """The days that the store calls loaded."""
        days: set[int] = set()
        rows = [
            row for row in self.log if row["relation"] == f"shop.{name}" and row["event"] in ("loaded", "invalidated")
        ]
        for row in sorted(rows, key=lambda row: (row["recorded_at"], row["event"] == "invalidated")):
            start, end = (
                int(datetime.fromisoformat(row[f"interval_{side}"]).strftime("%j")) for side in ("start", "end")
            )
            days = days | set(range(start, end)) if row["event"] == "loaded" else days - set(range(start, end))
        return days

    def kept_claims(self, process: Process) -> list[str]:
        """What a run has not given back, though it came to its end."""
        last = {
            row["relation"]: row["event"]
            for row in sorted(self.log, key=lambda row: row["recorded_at"])
            if row["event"] in ("claimed", "released") and row["invocation_id"] == str(process.invocation)
        }
        return [relation for relation, event in last.items() if event == "claimed" and process.has_closed]

    def held(self, name: str) -> list[tuple[Any, ...]]:
        if name not in self.listed_tables(None):
            return []
        return sorted(self.database.execute(f"select id, day, n from shop.{name}").fetchall())

    def source(self) -> list[tuple[Any, ...]]:
        return sorted(self.database.execute("select id, day, n from shop.src").fetchall(), key=lambda row: row[1])

    def expected(self, name: str) -> list[tuple[Any, ...]]:
        """What a table holds once all is loaded."""
        model, found = MODELS[name], dict[int, tuple[Any, ...]]()
        if name == "monthly":
            return []
        if model.kind != KEY:
            return sorted(self.source())
        for key, day, n in self.source():
            if "when_matched" in model.options and key in found:
                found[key] = (key, found[key][1], found[key][2] + n)
            else:
                found[key] = (key, day, n)
        return sorted(found.values())

    def false_claims(self) -> list[str]:
        """Days that are recorded of a table by time though it does not hold their rows, and leases that ended without a record."""
        found = []
        for name, model in MODELS.items():
            if model.kind != RANGE and name != "rows":
                continue
            rows = self.held(name)
            for day in self.recorded_days(name) & set(range(1, self.days + 1)):
                of_day = [row for row in rows if row[1].day == day]
                if of_day != sorted(row for row in self.source() if row[1].day == day):
                    found.append(f"{name} holds {of_day} of day {day}")
        if self.days > 2:
            # a model with nothing to do is never claimed
            claimed = [row for row in self.log if row["event"] == "claimed" and row["invocation_id"] in self.tonight]
            found += ["monthly was claimed" for row in claimed if row["relation"] == "shop.monthly"]
        for number, row in enumerate(self.log):
            if row["event"] == "released" and row.get("source") == "run":
                mine = [
                    other for other in self.log[:number]
                    if (other["relation"], other["invocation_id"]) == (row["relation"], row["invocation_id"])
                ]  # fmt: skip
                had_work = any(other["event"] == "claimed" and other.get("interval_start") for other in mine)
                # it may have found that another run had done it
                others = {
                    other["event"]
                    for other in self.log[:number]
                    if other["relation"] == row["relation"] and other["invocation_id"] in self.tonight
                }
                if had_work and not {"loaded", "failed", "settled"} & ({other["event"] for other in mine} | others):
                    found.append(f"{row['relation']} was released without a record")
        return found

    # --- back to the beginning

    def keep(self) -> dict[str, Any]:
        tables = list(self.listed_tables(None))
        for name in tables:
            self.database.execute(f"create or replace table main.{name} as select * from shop.{name}")
        return {
            "tables": tables,
            "log": list(self.log),
            "days": self.days,
            "formats": dict(self.formats),
            "seconds": self.seconds,
        }

    def restore(self, kept: dict[str, Any]) -> None:
        for name in self.database.execute(
            "select table_name from duckdb_tables() where database_name = current_database() and schema_name = 'shop'"
        ).fetchall():
            self.database.execute(f"drop table shop.{name[0]}")
        for name in kept["tables"]:
            self.database.execute(f"create table shop.{name} as select * from main.{name}")
        self.log, self.days, self.seconds = list(kept["log"]), kept["days"], kept["seconds"]
        self.formats = dict(kept["formats"])
        self.snapshots, self.commits, self.appended, self.created = {}, {}, {}, {}
        self.said.clear()
        self.statements, self.broken, self.gone, self.tonight = [], [], set(), set()
        self.writing = {}
