"""What compiling costs: a generated SQLMesh project of many models, in one process.

    python -m benchmarks.compile [--models 1000] [--profile]

The goal is 1,000 models in under 20 s on 2 cores. A second run, which changes nothing, is timed, too.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import tempfile
from pathlib import Path
from time import perf_counter, process_time

from rich.console import Console
from rich.table import Table

from dbt_kinds.compile.convert import compile_project
from dbt_kinds.compile.request import CompileRequest

KINDS = (
    "INCREMENTAL_BY_TIME_RANGE (time_column order_date, lookback 2)",
    "INCREMENTAL_BY_UNIQUE_KEY (unique_key (customer_id, order_date))",
    "FULL",
    "VIEW",
    "SCD_TYPE_2_BY_COLUMN (unique_key customer_id, columns [status, amount])",
)
DIALECTS = ("snowflake", "bigquery", "duckdb", "spark", "postgres")


def main() -> None:
    """Generates the project, compiles it twice and prints seconds."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--models", type=int, default=1000)
    arguments.add_argument("--profile", action="store_true", help="print where the time goes")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = generate(Path(folder) / "shop", given.models)
        request = CompileRequest(source, Path(folder) / "out")
        table = Table("run", "seconds", "of CPU", "models converted", "files written", header_style="bold", box=None)
        profile = cProfile.Profile() if given.profile else None
        for name in ("first", "again"):
            wall, cpu = perf_counter(), process_time()
            if profile is not None and name == "first":
                report = profile.runcall(compile_project, request)
            else:
                report = compile_project(request)
            seconds = f"{perf_counter() - wall:.1f}", f"{process_time() - cpu:.1f}"
            converted = sum(entry.status != "refused" and entry.kind != "EXTERNAL" for entry in report.entries)
            assert converted == given.models, [note for note in report.all_notes() if note.severity == "refused"][:3]
            table.add_row(name, *seconds, str(converted), str(len(report.changes.written)))
        Console().print(table)
        if profile is not None:
            pstats.Stats(profile).sort_stats("cumulative").print_stats(45)


def generate(root: Path, models: int) -> Path:
    """A project of models in five kinds and five dialects, each reading an earlier one and a source."""
    (root / "models").mkdir(parents=True)
    (root / "config.yaml").write_text(
        "model_defaults:\n  dialect: duckdb\n  start: 2024-01-01\nvariables:\n  region: north\n"
    )
    (root / "external_models.yaml").write_text("- name: raw.customers\n  columns: {customer_id: bigint, name: text}\n")
    for number in range(models):
        (root / "models" / f"model_{number:04}.sql").write_text(model(number))
    return root


def model(number: int) -> str:
    """One model of about 30 lines: two CTEs, a join, a window function, a macro, audits."""
    kind, dialect = KINDS[number % len(KINDS)], DIALECTS[number // 7 % len(DIALECTS)]
    parent = f"shop.model_{number - 1 - number % 3:04}" if number > 3 else "raw.orders"
    has_window = kind.startswith(("INCREMENTAL", "SCD"))
    window = "BETWEEN @start_date AND @end_date" if has_window else "IS NOT NULL"
    return f"""\
MODEL (
  name shop.model_{number:04},
  kind {kind},
  dialect {dialect},
  cron '@daily',
  grain customer_id,
  description 'Generated model {number}',
  audits (
    not_null(columns := (customer_id, order_date)),
    number_of_rows(threshold := 10)
  )
);

WITH orders AS (
  SELECT
    o.customer_id,
    o.order_date, -- the day it was placed
    LOWER(o.status) AS status,
    CAST(o.amount AS DECIMAL(10, 2)) AS amount
  FROM {parent} AS o
  WHERE o.order_date {window}
),

latest AS (
  SELECT
    customer_id,
    order_date,
    status,
    amount,
    ROW_NUMBER() OVER (PARTITION BY customer_id, order_date ORDER BY amount DESC) AS place
  FROM orders
)

SELECT
  l.customer_id,
  l.order_date,
  l.status,
  l.amount,
  c.name AS customer_name,
  @IF(@region = 'north', COALESCE(l.amount, 0) * 2, l.amount) AS weighted,
  CASE WHEN l.amount > 100 THEN 'large' WHEN l.amount > 10 THEN 'medium' ELSE 'small' END AS size
FROM latest AS l
LEFT JOIN raw.customers AS c
  ON c.customer_id = l.customer_id
WHERE l.place = 1
"""


if __name__ == "__main__":
    main()
