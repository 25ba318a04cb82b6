"""SQLMesh on the Spark of a benchmark, for the drivers that SQLMesh's own Python runs."""

from __future__ import annotations

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


def new_context(request: dict[str, Any]) -> Context:
    """A project of the request's models in its folder; the state is in DuckDB, and `landed` is there for sources."""
    folder = Path(request["folder"])
    (folder / "models").mkdir()
    for name, text in request["models"].items():
        (folder / "models" / f"{name}.sql").write_text(text)
    gateway = GatewayConfig(
        connection=SparkConnectionConfig(config=request["spark"], concurrent_tasks=request["tasks"]),
        state_connection=DuckDBConnectionConfig(database=str(folder / "state.duckdb")),
    )
    defaults = ModelDefaultsConfig(dialect="spark", start="2024-01-01", cron="@daily")
    context = Context(paths=str(folder), config=Config(gateways={"peer": gateway}, model_defaults=defaults))
    context.engine_adapter.execute("create schema if not exists landed")
    return context
