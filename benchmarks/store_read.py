"""What one read of the interval store costs, with 1,000 models and 100,000 events: as runs leave it, and compacted.

Every append to a Hive text store is a file of its own, up to what a compaction leaves. The read is the package's own macro;
beside it the same question is put to Spark about the table instead of its folder.

    python -m benchmarks.store_read [--models 1000] [--loads 100] [--files 1 100 1000] [--rounds 3] [--reads-only]
"""

from __future__ import annotations

import argparse
import json
from statistics import median
from time import perf_counter

from rich.console import Console
from rich.table import Table

from benchmarks.session import benchmark_project
from benchmarks.stored_events import append_loads
from tests.functional.project import Project

QUERY = "select cast(1 as int) as id, timestamp '2024-01-01 00:00:00+00:00' as ts"
# the read, alone, as often as asked: what it leaves is forgotten before each
TIME_READS = """
{% macro time_reads(rounds) %}
  {% set seconds = [] %}
  {% for round in range(rounds) %}
    {% for name in ['logs', 'store', 'relations_read'] %}{% do dbt_kinds.run_memory(name).clear() %}{% endfor %}
    {% set began = modules.datetime.datetime.now() %}
    {% do dbt_kinds.events_of('nobody') %}
    {% do seconds.append((modules.datetime.datetime.now() - began).total_seconds()) %}
  {% endfor %}
  {% do log(tojson({'operation': 'time_reads', 'seconds': seconds, 'relations': dbt_kinds.run_memory('logs') | length}), info=true) %}
{% endmacro %}
"""


def main() -> None:
    """Runs the comparison and prints seconds."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--models", type=int, default=1000)
    arguments.add_argument("--loads", type=int, default=100)
    arguments.add_argument("--files", type=int, nargs="*", default=[1, 100, 1000])
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument(
        "--reads-only", action="store_true", help="leave out the compaction, which takes minutes for a million events"
    )
    given = arguments.parse_args()

    table = Table(
        "store", "files", "events", "read, s", "plain select of the table, s", title="One read of the interval store"
    )
    with benchmark_project() as project:
        (project.folder / "macros" / "time_reads.sql").write_text(TIME_READS)
        project.kind("model_0", QUERY, config="file_format='iceberg'", start="2024-01-01")
        for store_format, all_files in (("hive", given.files), ("iceberg", given.files[:1])):
            for files in all_files:
                project.use_schema(f"{store_format}_{files}")
                project.settings["vars"] = {"kinds_store_format": store_format}
                project.run(now="2024-01-02")
                append_loads(project, given.models, given.loads, hours=1, files=files)
                table.add_row(store_format, *measured(project, files, given.rounds))
        compacted = "" if given.reads_only else compact(project, table, given)
    Console(width=120).print(table)
    Console().print(compacted)


def compact(project: Project, table: Table, given: argparse.Namespace) -> str:
    """Compacts the fullest store, adds what a read costs then, and says what the compaction did."""
    project.use_schema(f"hive_{given.files[-1]}")
    project.settings["vars"] = {"kinds_store_format": "hive"}
    # a compaction merges what the models of its project recorded
    for number in range(given.models):
        project.kind(f"model_{number}", QUERY, config="file_format='iceberg'", start="2024-01-01")
    began = perf_counter()
    told = project.operation("compact_store", keep_days=0)
    seconds = perf_counter() - began
    files = len(project.sql("select distinct input_file_name() from {schema}.dbt_kinds_intervals"))
    table.add_row("hive, compacted", *measured(project, files, given.rounds))
    return f"compact_store: {told['events_before']:,} events became {told['events_after']:,} in {seconds:.0f} s"


def measured(project: Project, files: int, rounds: int) -> list[str]:
    """Files, events, seconds of a read by the package and by a plain select."""
    run = project.dbt("run-operation", "time_reads", "--args", json.dumps({"rounds": rounds + 1}))
    lines = [json.loads(line) for line in run.log if "time_reads" in line]
    if not run.success or not lines:
        raise SystemExit(run.errors)
    plain = []
    for _ in range(rounds + 1):
        began = perf_counter()
        project.sql(
            "select relation, concat_ws(char(10), collect_list(concat_ws(' ', event, interval_start, interval_end, recorded_at))) "
            "from {schema}.dbt_kinds_intervals group by relation"
        )
        plain.append(perf_counter() - began)
    events = int(project.sql("select count(*) from {schema}.dbt_kinds_intervals")[0][0])
    return [
        f"{files:,}", f"{events:,}", f"{median(lines[-1]['seconds'][1:]):.2f}", f"{median(plain[1:]):.2f}",
    ]  # fmt: skip


if __name__ == "__main__":
    main()
