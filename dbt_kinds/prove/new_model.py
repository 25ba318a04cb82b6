"""The model as a kind: its query as a table function of DuckDB, planned and written by the kind's own macros."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import duckdb

from dbt_kinds.prove.rendering import OLD_TABLE, Invocation, PlayedRenderer
from dbt_kinds.prove.translation import deletion_in_duckdb, read_query, written_for_duckdb
from dbt_kinds.simulation.macros import CompilerError, Macros
from dbt_kinds.simulation.nodes import node
from dbt_kinds.simulation.warehouse import Warehouse

NAME = "kinds_new"
NEW_TABLE = f"shop.{NAME}"
_FUNCTION = "kinds_query"
_VARIABLE = re.compile(r"\bkinds_(?:start|end|execution)_[a-z]+\b")
# what Spark has no name for is compared as text
_PLAIN = re.compile(
    r"INTEGER|BIGINT|VARCHAR|TIMESTAMP WITH TIME ZONE|DATE|TIMESTAMP|DOUBLE|BOOLEAN|DECIMAL\(.*\)|HUGEINT"
)


class StoppedError(Exception):
    """A run of the kind stops with a message."""


@dataclass
class NewModel:
    """A converted model: its text, its kind and the options of its meta and config, what its post-hook deletes, and the
    variables that its text still asks for.
    """

    text: str
    dialect: str
    kind: str
    options: dict[str, Any]
    renderer: PlayedRenderer
    warehouse: Warehouse
    lacking: frozenset[str] = frozenset()
    deletes: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)

    def prepare(self, moment: datetime) -> None:
        """Creates the function that holds the query, and the call that the kind takes for the model's query."""
        first = Invocation(moment, is_incremental=False, variables=self.variables)
        sql = self.renderer.rendered(self.text, first)
        query = written_for_duckdb(read_query(sql, self.dialect), self.dialect, self.lacking)
        variables = sorted(set(_VARIABLE.findall(query)))
        macros = Macros(
            variables={"kinds_execution_time": "2024-01-02T00:00:00"},
            node=node(NAME, self.kind, **self.options),
            is_sandboxed=False,
        )
        values = [getattr(macros, name.removeprefix("kinds_"))() for name in variables]
        self.define(query, variables)
        described = self._describe(values)
        if any(not _PLAIN.fullmatch(type_) for _, type_ in described):
            shown = ", ".join(
                f'"{name}"' if _PLAIN.fullmatch(type_) else f'cast("{name}" as varchar) as "{name}"'
                for name, type_ in described
            )
            self.define(f"select {shown} from ({query})", variables)
        self.sql = f"select * from {_FUNCTION}({', '.join(values)})"

    def define(self, query: str, variables: list[str]) -> None:
        """Creates the function."""
        self.warehouse.database.execute(f"create or replace macro {_FUNCTION}({', '.join(variables)}) as table {query}")

    def _describe(self, values: list[str]) -> list[tuple[str, str]]:
        found = self.warehouse.ask(f"describe select * from {_FUNCTION}({', '.join(values)})")
        return [(row[0], row[1]) for row in found.fetchall()]

    def forget(self) -> None:
        """Drops the table and what is recorded of it."""
        self.warehouse.forget()

    def run(self, moment: datetime, *, full_refresh: bool) -> None:
        """One run of dbt at a moment.

        Raises:
            StoppedError: it stops with a message.
        """
        at = {"kinds_execution_time": moment.strftime("%Y-%m-%dT%H:%M:%S")}
        try:
            self.warehouse.run(NAME, self.kind, dict(self.options), self.sql, at, full_refresh=full_refresh)
        except (CompilerError, duckdb.InvalidInputException) as error:
            raise StoppedError(" ".join(str(error).split())) from error
        for text in self.deletes:
            sql = self.renderer.rendered(text, Invocation(moment, is_incremental=False))
            deletion = deletion_in_duckdb(sql, self.dialect, self.lacking).replace(OLD_TABLE, NEW_TABLE)
            self.warehouse.database.execute(deletion)
