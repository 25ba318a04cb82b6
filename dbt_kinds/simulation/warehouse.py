"""Runs of a model, as `dbt run` would do them: the macros of its kind, over tables in DuckDB and a log in memory.

What Spark says of tables, the store's log and dbt's own macros are stood in for here; so these runs show what the
macros do, and tests/functional that Spark does it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from dbt_kinds.simulation.log import Log
from dbt_kinds.simulation.macros import Macros, raise_compiler_error, variable_of
from dbt_kinds.simulation.nodes import node
from dbt_kinds.simulation.tables import Relation, Tables

_ASKED_OF_TABLES = (
    "listed_tables",
    "describe_table",
    "current_snapshot",
    "table_state",
    "commit_of",
    "has_snapshot",
    "query_rows",
    "snapshots_since",
    "is_newer_than",
)
# what dbt writes or prints beside the rows of a model
_SILENT = (
    "run_hooks",
    "apply_grants",
    "persist_docs",
    "persist_constraints",
    "should_revoke",
    "noop_statement",
    "options_clause",
    "clustered_cols",
    "location_clause",
    "comment_clause",
    "tblproperties_clause",
)


@dataclass
class Warehouse(Tables, Log):
    """Tables, the log of what was loaded, and what the last run did.

    Attributes:
        statements: the names of the statements of the last run that changed something.
        said: what was logged and warned of.
        documented: the columns that the model's properties have.
        arguments: those of the command, as dbt's `invocation_args_dict` has them.
        keeps_macros: whether one set of macros, without dbt's sandbox, serves all runs, which is faster; `kept` is that
            set.
    """

    statements: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    documented: dict[str, Any] = field(default_factory=dict)
    arguments: dict[str, Any] = field(default_factory=dict)
    keeps_macros: bool = False
    kept: Macros | None = None

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
            self.end_failed_run(macros, name, invocation, error)
            raise

    def end_failed_run(self, macros: Macros, name: str, invocation: str, error: Exception) -> None:
        """The package's on-run-end hook."""
        macros.end_leases([])

    def do(self, name: str, sql: str) -> None:
        """A statement that changes something."""
        self.statements.append(name)
        self.change(name, sql)

    def change(self, name: str, sql: str) -> None:
        """Executes a named statement on the log or the tables."""
        if name == "append_events":
            self.append()
        else:
            super().change(name, sql)

    def forget(self) -> None:
        """Drops the tables of the schema that models are in, and forgets what was loaded."""
        self.database.execute("drop schema shop cascade")
        self.database.execute("create schema shop")
        for memory in (self.formats, self.partitioning, self.snapshots, self.commits, self.appended, self.created):
            memory.clear()
        self.log, self.unwritten, self.said = [], [], []

    def say(self, text: str) -> str:
        """Something logged."""
        self.said.append(text)
        return ""

    def macros(
        self,
        name: str,
        kind: str,
        options: dict[str, Any],
        sql: str,
        variables: dict[str, Any],
        invocation: str,
        full_refresh: bool,
        **of_dbt: Any,
    ) -> Macros:
        """The macros as an invocation of dbt on that model sees them; `of_dbt` is what its context has instead."""
        model = node(name, kind=kind, **options) | {
            "raw_code": sql,
            "package_name": "shop",
            "depends_on": {"nodes": []},
            "columns": self.documented,
            "resource_type": "model",
            "schema": "shop",
        }
        of_run: dict[str, Any] = {
            "this": Relation(name),
            "compiled_code": sql,
            "invocation_id": invocation,
            "graph": {"nodes": {model["unique_id"]: model}},
            "selected_resources": [model["unique_id"]],
            "should_full_refresh": lambda: full_refresh,
        }
        if self.kept is not None:
            self.kept.change_context(
                **of_run, model=model, var=variable_of(variables), invocation_args_dict=self.arguments
            )
            return self.kept
        given = {"variables": variables, "arguments": self.arguments, "node": model, **of_run, **self._of_dbt()}
        macros = Macros(is_sandboxed=not self.keeps_macros, **{**given, **of_dbt})
        macros.replace({name: getattr(self, name) for name in _ASKED_OF_TABLES} | self._of_store())
        self.kept = macros if self.keeps_macros else None
        return macros

    def _of_dbt(self) -> dict[str, Any]:
        """What the macros find in dbt's context that is the same for each model."""

        def statement(name: str, caller: Any = None, **_: Any) -> str:
            self.do(name, str(caller()))
            return ""

        config = {"contract": SimpleNamespace(enforced=False)}
        return {
            "run_query": self.run_query,
            "statement": statement,
            "exceptions": SimpleNamespace(raise_compiler_error=raise_compiler_error, warn=self.said.append),
            "log": lambda text, info=False: self.say(text),
            "print": self.say,
            "config": SimpleNamespace(
                get=lambda key, default=None: config.get(key, default), persist_column_docs=lambda: False
            ),
            "pre_hooks": [],
            "post_hooks": [],
            "load_cached_relation": lambda relation: None,
            "target": {"schema": "shop", "threads": 4},
            "api": SimpleNamespace(Relation=SimpleNamespace(create=lambda identifier, **_: Relation(identifier))),
            **dict.fromkeys(_SILENT, _quiet),
        }

    def _of_store(self) -> dict[str, Any]:
        """What stands in for the macros that ask the store, or for who runs."""
        return {
            "event_values": self.note,
            "store_table": lambda: "store",
            "store_key": lambda: "store",
            "find_store": lambda refresh=False: {"file_format": "hive"},
            "lease_holder": lambda: None,
            "is_embedded": lambda: False,
            "spark_application": lambda: "app",
            "read_store": lambda asked, others=False: self.read_store(),
            "next_moment": self.moment,
            "_events_where": lambda condition, questions=None, answers=None, by=None, is_checked=False: list(self.log),
        }


def _quiet(*_: Any, **given: Any) -> str:
    if "caller" in given:
        given["caller"]()
    return ""
