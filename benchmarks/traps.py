"""What becomes of the traps of each dialect on Spark: with declared types and without, in ANSI mode and without.

Run: `.venv/bin/python -m benchmarks.traps [DIALECT…]`. Every cell is counted; `silent` is a value that
differs and that no remark names, `fails` an error of Spark's that no remark names. Other cells than the files of traps
say are printed.
"""

from __future__ import annotations

import sys
from collections import Counter

from pyspark.sql import SparkSession

from dbt_kinds.local.java import use_java_17
from tests.traps import DIALECTS
from tests.traps.on_spark import Outcome, Runner, unexpected

OUTCOMES = ("same", "noted", "refused", "fails", "silent")
_SETTINGS = {
    "spark.master": "local[1]",
    "spark.log.level": "OFF",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def main(dialects: list[str]) -> None:
    """Prints a table with a line for each dialect, columns and mode, and what is not as its line says."""
    use_java_17()
    runner = Runner(SparkSession.builder.config(map=_SETTINGS).getOrCreate())
    print(f"{'':32}{'traps':>8}{''.join(f'{name:>9}' for name in OUTCOMES)}")
    for dialect in dialects or DIALECTS:
        outcomes = runner.outcomes(dialect)
        for columns in outcomes[0].cells:
            counts = Counter(outcome.cells[columns].outcome for outcome in outcomes)
            numbers = "".join(f"{counts[name]:>9}" for name in OUTCOMES)
            print(f"{dialect + ', ' + columns:32}{len(outcomes):>8}{numbers}", flush=True)
        for outcome in outcomes:
            _print_unexpected(outcome)


def _print_unexpected(outcome: Outcome) -> None:
    for columns, said, found in unexpected(outcome):
        print(f"  {outcome.trap.query}\n    {outcome.trap.values}\n    {columns}: {said}, but {found.outcome}")
        print(f"    {found.detail}\n    {found.text}")


if __name__ == "__main__":
    main(sys.argv[1:])
