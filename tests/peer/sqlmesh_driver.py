"""Runs sequences of steps through SQLMesh and tells what its tables hold after each. Run by SQLMesh's own Python.

Reads one JSON request on stdin, `{folder, spark, sequences}`, and writes one line of JSON for each sequence to a file in
that folder, since SQLMesh and Spark talk on stdout. `spark` holds the settings of a session, or is null for DuckDB.
A sequence has `name`, `models` and `steps`; a step has the `source` rows as they now are, `now`, whether the audit `broken`
fails, and a half-open window to `restate`, or null to run. The answer to a step is SQLMesh's error, or null, and the rows.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from sqlmesh import Context
from sqlmesh.core.config import (
    Config,
    DuckDBConnectionConfig,
    GatewayConfig,
    ModelDefaultsConfig,
    SparkConnectionConfig,
)

TYPES = "id int, region varchar, ts timestamp, n int"

# fails, if asked to, once the rows are written and before SQLMesh records them
AUDIT = "AUDIT (name connected);\nSELECT 1 AS one FROM landed.audit_switch WHERE is_broken\n"


class Peer:
    """One SQLMesh project, with a state of its own and a source that is replaced before every step."""

    def __init__(self, folder: Path, sequence: dict[str, Any], spark: dict[str, str] | None) -> None:
        self.folder = folder
        self.spark = spark
        self.models: list[dict[str, str]] = sequence["models"]
        # one metastore serves all sequences of a Spark session, so their schemas must not meet
        self.schema, self.landed = f"peer_{sequence['name']}", f"landed_{sequence['name']}"
        self.is_planned = False
        (folder / "models").mkdir(parents=True)
        (folder / "audits").mkdir()
        (folder / "audits" / "connected.sql").write_text(AUDIT.replace("landed", self.landed))
        for model in self.models:
            head = f"name {self.schema}.{model['name']}, kind {model['kind']}, audits (connected)"
            head += f", partitioned_by ({model['partitioned_by']})" if model["partitioned_by"] else ""
            head += ", table_format iceberg" if spark else ""
            query = model["query"].replace("{source}", f"{self.landed}.source_rows")
            (folder / "models" / f"{model['name']}.sql").write_text(f"MODEL ({head});\n{query}\n")

    def context(self) -> Context:
        """A new process would read the project and the state as anew as this does."""
        state = DuckDBConnectionConfig(database=str(self.folder / "state.duckdb"))
        connection: Any = DuckDBConnectionConfig(database=str(self.folder / "rows.duckdb"))
        if self.spark:
            connection = SparkConnectionConfig(config=self.spark, concurrent_tasks=1)
        gateway = GatewayConfig(connection=connection, state_connection=state)
        defaults = ModelDefaultsConfig(dialect="spark" if self.spark else "duckdb", start="2024-01-01", cron="@daily")
        return Context(paths=str(self.folder), config=Config(gateways={"peer": gateway}, model_defaults=defaults))

    def step(self, step: dict[str, Any]) -> dict[str, Any]:
        """What a step made of the tables."""
        context = self.context()
        self.land(context, step)
        error = None
        try:
            if step["restate"]:
                start, end = (date.fromisoformat(day) for day in step["restate"])
                self.plan(
                    context, step, restate_models=[f"{self.schema}.{model['name']}" for model in self.models],
                    start=str(start), end=str(end - timedelta(days=1)),
                )  # fmt: skip
            elif self.is_planned:
                status = context.run(execution_time=step["now"], skip_janitor=True)
                error = None if status.is_success else status.name
            else:
                self.plan(context, step)
        except Exception as failure:
            error = f"{type(failure).__name__}: {failure}"
        self.is_planned = True
        rows = {model["name"]: self.rows(context, model["name"]) for model in self.models}
        context.close()
        return {"error": error, "rows": rows}

    def plan(self, context: Context, step: dict[str, Any], **arguments: Any) -> None:
        context.plan(execution_time=step["now"], auto_apply=True, no_prompts=True, skip_tests=True, **arguments)

    def land(self, context: Context, step: dict[str, Any]) -> None:
        """Replaces the source and sets the switch of the audit."""
        using = " using iceberg" if self.spark else ""
        types = TYPES.replace("varchar", "string") if self.spark else TYPES
        execute = context.engine_adapter.execute
        execute(f"create schema if not exists {self.landed}")
        for table, columns, rows in (
            ("source_rows", types, step["source"]),
            ("audit_switch", "is_broken boolean", [[step["broken"]]]),
        ):
            execute(f"create table if not exists {self.landed}.{table} ({columns}){using}")
            execute(f"delete from {self.landed}.{table} where true")
            if rows:
                values = ", ".join(f"({', '.join(map(literal, row))})" for row in rows)
                execute(f"insert into {self.landed}.{table} values {values}")

    def rows(self, context: Context, model: str) -> list[list[Any]] | None:
        """A table's rows; None while it does not exist."""
        query = f"select id, region, cast(ts as {'string' if self.spark else 'varchar'}) as ts, n from {self.schema}.{model}"
        with suppress(Exception):
            return [list(row) for row in context.engine_adapter.fetchall(query)]
        return None


def literal(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    return f"timestamp '{value}'" if value.startswith("2024-") else f"'{value}'"


def main() -> None:
    request = json.load(sys.stdin)
    folder = Path(request["folder"])
    with (folder / "answers.jsonl").open("w") as answers:
        for sequence in request["sequences"]:
            peer = Peer(folder / sequence["name"], sequence, request["spark"])
            steps = [peer.step(step) for step in sequence["steps"]]
            answers.write(json.dumps({"name": sequence["name"], "steps": steps}, default=str) + "\n")
            answers.flush()


if __name__ == "__main__":
    main()
