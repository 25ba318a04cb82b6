"""SQLMesh's side of `benchmarks.scd2`, run by SQLMesh's own Python: reads a request on stdin, writes answer.json to its folder."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from sqlmesh import Context
from sqlmesh.core.config import (
    Config,
    DuckDBConnectionConfig,
    GatewayConfig,
    ModelDefaultsConfig,
    SparkConnectionConfig,
)


def main() -> None:
    request = json.load(sys.stdin)
    folder = Path(request["folder"])
    (folder / "models").mkdir()
    (folder / "models" / "dim.sql").write_text(request["model"])
    gateway = GatewayConfig(
        connection=SparkConnectionConfig(config=request["spark"], concurrent_tasks=1),
        state_connection=DuckDBConnectionConfig(database=str(folder / "state.duckdb")),
    )
    defaults = ModelDefaultsConfig(dialect="spark", start="2024-01-01", cron="@daily")
    context = Context(paths=str(folder), config=Config(gateways={"peer": gateway}, model_defaults=defaults))
    adapter = context.engine_adapter
    adapter.execute("create schema if not exists landed")
    adapter.execute(request["sources"][0])
    context.plan(execution_time=request["days"][0], auto_apply=True, no_prompts=True, skip_tests=True)
    table = context.get_snapshot("benchmark.dim", raise_if_missing=True).table_name()
    for statement in request["history"]:
        adapter.execute(statement.format(table=table))
    runs = []
    for now, source in zip(request["days"][1:], request["sources"][1:], strict=True):
        adapter.execute(source)
        written = request["written"].format(table=table)
        before = len(adapter.fetchall(written))
        begun = time.perf_counter()
        status = context.run(execution_time=now, skip_janitor=True)
        seconds = time.perf_counter() - begun
        if not status.is_success:
            raise SystemExit(str(status))
        commits = adapter.fetchall(written)[before:]
        content = adapter.fetchall(request["content"].format(table=table))[0]
        runs.append({"seconds": seconds, "bytes": sum(int(size) for (size,) in commits), "content": list(content)})
    (folder / "answer.json").write_text(json.dumps(runs))


if __name__ == "__main__":
    main()
