"""A shop that has every kind, the histories, what asks for changes and what reads another model; with tests of data, unit tests and operations."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import closing
from typing import Any

from tests.functional.every_kind import BY_DAY, EveryKind
from tests.functional.thrift import ask
from tests.fusion.project import TwoEngineProject
from tests.sweep import is_sweep

FORMATS = ["iceberg", *(["parquet"] if is_sweep() else [])]
# what differs from run to run, and with the schema; what an upsert took is measured
DIFFERS = "stage_[0-9a-f]+|[0-9a-f]{15,}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|on_(core|fusion)|[0-9-]{10}T[0-9:.]+"
DIFFERS += '|"upsert": [{][^{}]*([{][^{}]*[}][^{}]*)*[}]'
RECORDED = f"event, interval_start, interval_end, execution_time, model, kind, rows_written, source, regexp_replace(details, '{DIFFERS}', '…')"

# and of tables that say when, by whom or from where their rows came
KEPT = {
    "dbt_kinds_ingested": "substring_index(file, '/', -1), length, is_whole",
    "dbt_kinds_outbox": "substring_index(relation, '.', -1), event, type, `key`, `row`, status, attempts",
    "clicks__rejected": "substring_index(file, '/', -1), line, text, reason",
}

PROPERTIES = """
models:
  - name: looked_back
    data_tests:
      - dbt_kinds.unique_combination_of_columns: {arguments: {columns: [id, ts]}}
      - dbt_kinds.number_of_rows: {arguments: {threshold: 2}}
    columns:
      - name: id
        data_tests:
          - not_null
          - dbt_kinds.accepted_range: {arguments: {min_v: 1, max_v: 100}}
          - dbt_kinds.accepted_range: {name: fails_for_two, arguments: {max_v: 1}, config: {severity: warn}}
  - name: states
    data_tests:
      - dbt_kinds.scd2_no_overlap: {arguments: {unique_key: id}}
      - dbt_kinds.scd2_one_current_row: {arguments: {unique_key: id}}
unit_tests:
  - name: the_last_whole_day_is_followed
    model: follower
    given:
      - input: ref('looked_back')
        format: sql
        rows: |
          select 1 as id, timestamp '2024-01-01 06:00:00' as ts, 1 as n
          union all select 2, timestamp '2024-01-02 06:00:00', 2
    overrides: {vars: {kinds_execution_time: '2024-01-03'}}
    expect: {rows: [{id: 2, n: 20}]}
"""


SOURCES = 'sources: [{name: shop, schema: "{{ target.schema }}", tables: [{name: gained}]}]'
COLUMNS = [{"name": "id", "data_type": "int", "not_null": True}, {"name": "region", "data_type": "string"}]


class Shop(EveryKind):
    """Every kind on each format, a lookback, a reader, histories, changes of a table with a sink, events that land in a
    folder; what an oracle knows is in EveryKind."""

    def __init__(self, project: TwoEngineProject) -> None:
        self.twins = project
        self.gained: list[tuple[int, str, int]] = []
        project.sql("create schema {schema}")
        super().__init__(project, FORMATS, project.sql)
        iceberg = "file_format='iceberg'"
        source = "select id, region, ts, n from {{ target.schema }}.source_rows"
        project.kind("looked_back", f"{source} {BY_DAY}", config=iceberg, lookback=1, batch_size=1)
        reader = "select id, ts, n * 10 as n from {{ ref('looked_back') }} " + BY_DAY
        project.kind("follower", reader, config=iceberg)
        newest = f"select id, max_by(region, ts) as region, max(ts) as updated_at from ({source}) group by id"
        project.kind("states", newest, kind="scd_type_2_by_time", config=iceberg, unique_key="id", start=None)
        project.kind(
            "regions", newest, kind="scd_type_2_by_column", config="file_format='parquet'", unique_key="id",
            columns=["region"], start=None,
        )  # fmt: skip
        (project.folder / "models" / "properties.yml").write_text(PROPERTIES)
        project.sql("create table {schema}.gained (id int, region string, n int) using iceberg")
        (project.folder / "models" / "sources.yml").write_text(SOURCES)
        (project.folder / "landing").mkdir()
        gained = "select id, region, n from {{ dbt_kinds.changes_of(source('shop', 'gained')) }} as g"
        project.kind(
            "appended", gained, kind="append", config=iceberg, capture="snapshot", sink={"function": "crm"}, start=None
        )
        totals = "select region, id, n from {{ target.schema }}.source_rows"
        project.kind("baskets", totals, kind="tracked", config=iceberg, group_key=["region"], start=None)
        landing = {"path": str(project.folder / "landing")}
        project.kind("clicks", "", kind="events", config=iceberg, columns=COLUMNS, landing=landing, start=None)
        project.kind(
            "numbered", f"select id, max_by(region, ts) as region from ({source}) group by id", kind="scd_type_2_by_column",
            config=iceberg, unique_key="id", columns="*", validity="run_sequence", start=None,
        )  # fmt: skip

    def arrive(self, day: int) -> None:
        """A day's rows come to the source, to the table that is asked for changes, and as events; one event is none."""
        super().arrive(day)
        rows = [(id_, region, n) for id_, region, d, n in self.source if d == day]
        self.gained += rows
        self.sql(f"insert into {{schema}}.gained values {', '.join(map(str, rows))}")
        events = [json.dumps({"id": id_, "region": region}) for id_, region, _ in rows] + ['{"region": "nowhere"}']
        (self.twins.folder / "landing" / f"day{day}.json").write_text("\n".join(events) + "\n")

    def has_each_once(self) -> bool:
        """Whether what the table gained, and each event, is in the tables of the kinds that append them once."""
        appended = self.sql("select id, region, n from {schema}.appended")
        clicks = self.sql("select id, region from {schema}.clicks")
        return sorted(appended) == sorted(self.gained) and sorted(clicks) == sorted(row[:2] for row in self.gained)

    def tables(self) -> dict[str, Counter[tuple[Any, ...]]]:
        """What every table of the project holds, but for the store."""
        names = [row[1] for row in self.sql("show tables in {schema}")]
        kept = [name for name in sorted(names) if name not in ("dbt_kinds_intervals", "source_rows")]
        # a session that is new has nothing in its caches
        with closing(self.twins.server.connect()) as connection:
            return {
                name: Counter(ask(connection, f"select {KEPT.get(name, '*')} from {self.twins.schema}.{name}"))
                for name in kept
            }

    def record(self) -> list[tuple[Any, ...]]:
        """What the store says, but for what differs between any two runs."""
        return self.twins.rows(
            f"select distinct {RECORDED}, substring_index(relation, '.', -1), model_hash is null "
            "from {schema}.dbt_kinds_intervals where event <> 'claimed' and source <> 'ahead'"
        )

    def hashes(self) -> dict[str, set[str]]:
        """The hashes that each model's loads carry."""
        found: dict[str, set[str]] = {}
        for relation, model_hash in self.sql(
            "select distinct relation, model_hash from {schema}.dbt_kinds_intervals where event = 'loaded' and model_hash is not null"
        ):
            found.setdefault(relation, set()).add(model_hash)
        return found
