"""What checking costs: the manifest of a dbt project of many models, generated, read and classified in one process.

    python -m benchmarks.check [--models 1000] [--profile]

The goal is 1,000 models in under 30 s on 2 cores.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from rich.console import Console
from rich.table import Table

from dbt_kinds.check.compiled_project import read_compiled_project
from dbt_kinds.check.findings import check_project

COLUMNS = {"event_date": "date", "event_ts": "timestamp", "id": "int", "country": "string", "amount": "double"}
# of 10 to 60 lines, and of what people write: each reads two relations, and is admitted or refused for its own reason
SHAPES = (
    "select event_date, event_ts, id, country, amount from {a} where amount > {n}",
    """\
with sessions as (
    select
        event_date, event_ts, id, country, amount,
        lag(event_ts) over (
            partition by id order by event_ts range between interval '30 minutes' preceding and current row
        ) as before
    from {a}
)

select
    event_date, event_ts, id, country,
    case when before is null then 1 else 0 end as is_new,
    sum(amount) over (
        partition by country order by event_ts range between interval '6 hours' preceding and current row
    ) as amount
from sessions""",
    """\
with days as (
    select event_date, id, country, sum(amount) as amount, max(event_ts) as event_ts from {a} group by event_date, id, country
),

ranked as (
    select *, row_number() over (partition by event_date, country order by amount desc, id) as place from days
)

select r.event_date, r.event_ts, r.id, r.country, r.amount + coalesce(d.amount, 0) as amount
from ranked as r
left join days as d on d.id = r.id and d.event_date = r.event_date - interval '1 day'
where r.place <= {n}""",
    """\
select a.event_date, a.event_ts, a.id, a.country, b.amount
from {a} as a
join {b} as b on b.id = a.id and b.event_date between a.event_date - interval '{n} days' and a.event_date
join lookups.countries as c on c.country = a.country
where c.amount > 0
union all
select event_date, event_ts, id, country, amount from {b} where country is null""",
    """\
select event_date, max(event_ts) as event_ts, id, max(country) as country, count(*) as amount
from (select *, dense_rank() over (order by amount) as place from {a}) as q
where place < {n}
group by event_date, id
having count(*) > 1""",
)
CASES = "\n".join(f"        when country = 'c{number}' and amount > {number} then {number}" for number in range(40))
WIDE = f"select event_date, event_ts, id, country,\n    case\n{CASES}\n    end as amount\nfrom {{a}} where id <> {{n}}"


def main() -> None:
    """Generates the manifest, checks it and prints seconds."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--models", type=int, default=1000)
    arguments.add_argument("--profile", action="store_true", help="print where the time goes")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder), given.models)
        profile = cProfile.Profile() if given.profile else None
        wall, cpu = perf_counter(), process_time()
        verdicts = profile.runcall(check, Path(folder)) if profile is not None else check(Path(folder))
        seconds = f"{perf_counter() - wall:.1f}", f"{process_time() - cpu:.1f}"
    assert sum(verdicts.values()) == given.models
    table = Table("models", "seconds", "of CPU", "admitted", "refused", header_style="bold", box=None)
    table.add_row(str(given.models), *seconds, str(verdicts["admitted"]), str(verdicts["refused"]))
    Console().print(table)
    if profile is not None:
        pstats.Stats(profile).sort_stats("cumulative").print_stats(45)


def check(folder: Path) -> Counter[str]:
    """How many models are admitted and refused."""
    return Counter(one.told["incremental"]["verdict"] for one in check_project(read_compiled_project(folder)))


def generate(root: Path, models: int) -> None:
    """A manifest in which every model reads two earlier ones."""
    nodes = [model(number) for number in range(models)]
    source = relation("source", "raw", "events", {"meta": {"time_column": "event_date"}}) | {"source_name": "raw"}
    lookup = relation("source", "lookups", "countries", {}) | {"source_name": "lookups"}
    manifest = {
        "nodes": {f"model.shop.{node['name']}": node for node in nodes},
        "sources": {"source.shop.raw.events": source, "source.shop.lookups.countries": lookup},
    }
    (root / "target").mkdir()
    (root / "target" / "manifest.json").write_text(json.dumps(manifest))


def relation(resource_type: str, schema: str, name: str, config: Mapping[str, Any]) -> dict[str, Any]:
    columns = {column: {"name": column, "data_type": kind} for column, kind in COLUMNS.items()}
    named = {"resource_type": resource_type, "name": name, "relation_name": f"`{schema}`.`{name}`"}
    return {**named, "config": dict(config), "columns": columns}


def model(number: int) -> dict[str, Any]:
    shapes = (*SHAPES, WIDE)
    parents = [f"model_{number - step:04}" for step in (1 + number % 3, 4) if number > 4]
    relations = [f"`shop`.`{parent}`" for parent in parents] or ["`raw`.`events`"] * 2
    sql = shapes[number % len(shapes)].format(a=relations[0], b=relations[1], n=1 + number % 9)
    config = {"materialized": "incremental_by_time_range", "meta": {"time_column": "event_date"}}
    return relation("model", "shop", f"model_{number:04}", config) | {
        "original_file_path": f"models/model_{number:04}.sql",
        "depends_on": {"nodes": [f"model.shop.{parent}" for parent in parents]},
        "raw_code": sql,
        "compiled_code": sql,
    }


if __name__ == "__main__":
    main()
