"""Runs a project of SQLMesh through days of changing sources and tells what its tables hold. Run by SQLMesh's own Python.

Reads one JSON request on stdin, `{project, folder, spark, left_out, types, days, tables}`, and writes the answer to
`answer.json` in that folder, since SQLMesh and Spark talk on stdout. `spark` holds the settings of a session, or is null
for DuckDB; `left_out` names files of the project that the engine cannot run. A day has `now` and the rows `landed` in every
source as `values` takes them. The answer is a list of days: SQLMesh's error, or null, and the rows of every table as texts.
"""

from __future__ import annotations

import json
import shutil
import sys
from contextlib import suppress
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
from sqlmesh.utils.yaml import load as load_yaml


def main() -> None:
    # the models.py beside this file would stand for the project's folder
    sys.path.remove(str(Path(__file__).parent))
    request = json.load(sys.stdin)
    folder = Path(request["folder"])
    project = folder / "project"
    shutil.copytree(request["project"], project)
    for file in request["left_out"]:
        (project / file).unlink()
    answer = []
    for number, day in enumerate(request["days"]):
        # a new process would read the project and the state as anew as this does
        context = Context(paths=str(project), config=config(project, folder, request["spark"]))
        land(context, request["types"], day["landed"], is_spark=bool(request["spark"]))
        error = None
        try:
            if number == 0:
                context.plan(execution_time=day["now"], auto_apply=True, no_prompts=True)
            else:
                status = context.run(execution_time=day["now"], skip_janitor=True)
                error = None if status.is_success else status.name
        except Exception as failure:
            error = f"{type(failure).__name__}: {failure}"
        answer.append({"error": error, "rows": {table: rows(context, table) for table in request["tables"]}})
        context.close()
    (folder / "answer.json").write_text(json.dumps(answer))


def config(project: Path, folder: Path, spark: dict[str, str] | None) -> Config:
    """The project's own configuration, but for where it runs."""
    written = load_yaml(project / "config.yaml")
    connection: Any = DuckDBConnectionConfig(database=str(folder / "rows.duckdb"))
    if spark:
        connection = SparkConnectionConfig(config=spark, concurrent_tasks=1)
    state = DuckDBConnectionConfig(database=str(folder / "state.duckdb"))
    defaults = dict(written["model_defaults"])
    if not spark:
        # DuckDB has no such tables
        del defaults["table_format"]
    return Config(
        gateways={"peer": GatewayConfig(connection=connection, state_connection=state)},
        model_defaults=ModelDefaultsConfig(**defaults),
        variables=written["variables"],
    )


def land(context: Context, types: dict[str, str], landed: dict[str, str], *, is_spark: bool) -> None:
    """The sources as they are on a day."""
    execute = context.engine_adapter.execute
    execute("create schema if not exists landing")
    for table, values in landed.items():
        execute(f"create table if not exists landing.{table} ({types[table]}){' using iceberg' if is_spark else ''}")
        execute(f"delete from landing.{table} where true")
        execute(f"insert into landing.{table} values {values}")


def rows(context: Context, table: str) -> list[list[str | None]] | None:
    """A table's rows as texts; None while it does not exist."""
    with suppress(Exception):
        adapter = context.engine_adapter
        columns = ", ".join(f"cast({column} as string)" for column in adapter.columns(table))
        return [list(row) for row in adapter.fetchall(f"select {columns} from {table}")]
    return None


if __name__ == "__main__":
    main()
