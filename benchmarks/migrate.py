"""What migrating costs: a generated dbt project of many incremental models, in one process.

    python -m benchmarks.migrate [--models 1000]

The goal is 1,000 models in under 30 s on 2 cores. A second run, which changes nothing, is timed, too.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from time import perf_counter, process_time

from rich.console import Console
from rich.table import Table

from dbt_kinds.migrate.conversion import MigrateOptions
from dbt_kinds.migrate.project import migrate_project, write_migration
from tests.functional.flights import MACROS, MODELS


def main() -> None:
    """Generates the project, migrates it twice and prints seconds."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--models", type=int, default=1000)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = generate(Path(folder), given.models)
        table = Table("run", "seconds", "of CPU", "converted", "left", "files written", header_style="bold", box=None)
        for name in ("first", "again"):
            wall, cpu = perf_counter(), process_time()
            migration = migrate_project(root, MigrateOptions(accept_full_reads=True), dialect="spark")
            written = list(write_migration(root, migration))
            seconds = f"{perf_counter() - wall:.1f}", f"{process_time() - cpu:.1f}"
            assert migration.summary["incremental"] == given.models and not migration.has_failed
            counts = [str(migration.summary[key]) for key in ("converted", "left")]
            table.add_row(name, *seconds, *counts, str(len(written)))
        Console().print(table)


def generate(root: Path, models: int) -> Path:
    """A project of every pattern in turn; no two texts are the same."""
    (root / "models").mkdir()
    (root / "macros").mkdir()
    (root / "dbt_project.yml").write_text("name: shop\nversion: 1.0.0\nprofile: none\n")
    (root / "macros" / "since.sql").write_text(MACROS)
    patterns = list(MODELS.items())
    for number in range(models):
        name, text = patterns[number % len(patterns)]
        text = text.replace("'flights'", f"'flights_{number:04}'").replace("carrier", f"carrier_{number:04}")
        (root / "models" / f"{name}_{number:04}.sql").write_text(text)
    return root


if __name__ == "__main__":
    main()
