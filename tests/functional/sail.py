"""Projects whose tables are Delta, on Sail: an engine in Rust, from a wheel, that speaks Spark Connect. In a venv of its own, because its client is PySpark 4."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

from tests.functional.elsewhere import ProjectElsewhere, process_elsewhere

PACKAGES = ["pysail==0.7.2", "pyspark-client==4.2.0", "pandas<3", "dbt-core>=1.11,<1.12", "dbt-spark>=1.10,<1.12"]
TARGET = {"type": "spark", "method": "session", "host": "NA", "threads": 1}


class SailProject(ProjectElsewhere):
    """A project whose dbt and whose SQL run on Sail."""

    def __init__(self, folder: Path, connection: Connection, schema: str) -> None:
        super().__init__(folder, connection, TARGET, schema)
        self.settings["vars"] = {"kinds_store_format": "delta"}
        # (pattern, whether it is done): the statement at which dbt loses its connection
        self.breaks_at: tuple[str, bool] | None = None


@contextmanager
def sail(folder: Path) -> Iterator[Connection]:
    """Installs Sail into a folder and starts it; what the connection is for, SailProject knows."""
    with process_elsewhere(folder, PACKAGES, "tests.functional.sail_process", str(folder / "warehouse")) as connection:
        yield connection
