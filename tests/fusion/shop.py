"""A shop that has every kind, the histories and what reads another model; with tests of data, unit tests and operations."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from typing import Any

from tests.functional.every_kind import BY_DAY, EveryKind
from tests.functional.thrift import ask
from tests.fusion.project import TwoEngineProject
from tests.sweep import is_sweep

FORMATS = ["iceberg", *(["parquet"] if is_sweep() else [])]
# what does not differ from run to run, nor with the schema
RECORDED = "event, interval_start, interval_end, execution_time, model, kind, rows_written, source, regexp_replace(details, 'stage_[0-9a-f]+', 'stage')"

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
        rows:
          - {id: 1, region: north, ts: 2024-01-01 06:00:00, n: 1}
          - {id: 2, region: south, ts: 2024-01-02 06:00:00, n: 2}
    overrides: {vars: {kinds_execution_time: '2024-01-03'}}
    expect: {rows: [{id: 2, n: 20}]}
"""


class Shop(EveryKind):
    """Every kind on each format, a lookback, a reader, two histories; what an oracle knows is in EveryKind."""

    def __init__(self, project: TwoEngineProject) -> None:
        self.twins = project
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

    def tables(self) -> dict[str, Counter[tuple[Any, ...]]]:
        """What every table of the project holds, but for the store."""
        names = [row[1] for row in self.sql("show tables in {schema}")]
        kept = [name for name in sorted(names) if not name.startswith("dbt_kinds_intervals") and name != "source_rows"]
        # a session that is new has nothing in its caches
        with closing(self.twins.server.connect()) as connection:
            return {name: Counter(ask(connection, f"select * from {self.twins.schema}.{name}")) for name in kept}

    def record(self) -> list[tuple[Any, ...]]:
        """What the store says, but for what differs between any two runs."""
        return self.twins.rows(
            f"select {RECORDED}, substring_index(relation, '.', -1), model_hash is null "
            "from {schema}.dbt_kinds_intervals where event <> 'claimed'"
        )

    def hashes(self) -> dict[str, set[str]]:
        """The hashes that each model's loads carry."""
        found: dict[str, set[str]] = {}
        for relation, model_hash in self.sql(
            "select distinct relation, model_hash from {schema}.dbt_kinds_intervals where event = 'loaded' and model_hash is not null"
        ):
            found.setdefault(relation, set()).add(model_hash)
        return found
