"""What `dbt-kinds check` finds in a compiled dbt project: manifest -> findings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from dbt_kinds.cli import main

LAG = "lag(id) over (partition by id order by event_ts range between interval '30 minutes' preceding and current row)"
TIME_RANGE = {
    "materialized": "incremental_by_time_range",
    "event_time": "event_ts",
    "meta": {"time_column": "event_date"},
}
SOURCE = {
    "resource_type": "source",
    "source_name": "raw",
    "name": "ev",
    "relation_name": "`raw`.`ev`",
    "config": {"event_time": "event_ts", "meta": {"time_column": "event_date"}},
    "columns": {
        name: {"name": name, "data_type": kind}
        for name, kind in (("event_date", "date"), ("event_ts", "timestamp"), ("id", "int"))
    },
}


def model(name: str, sql: str | None, *parents: str, raw: str | None = None, **config: Any) -> dict[str, Any]:
    return {
        "resource_type": "model",
        "name": name,
        "original_file_path": f"models/{name}.sql",
        "relation_name": f"`shop`.`{name}`",
        "config": config or TIME_RANGE,
        "columns": {},
        "depends_on": {"nodes": [f"model.shop.{parent}" for parent in parents]},
        "raw_code": raw if raw is not None else sql,
        "compiled_code": sql,
    }


def check(folder: Path, *arguments: str, models: list[dict[str, Any]]) -> Result:
    manifest = {
        "nodes": {f"model.shop.{node['name']}": node for node in models},
        "sources": {"source.shop.raw.ev": SOURCE},
    }
    (folder / "target").mkdir(exist_ok=True)
    (folder / "target/manifest.json").write_text(json.dumps(manifest))
    return CliRunner().invoke(main, ["check", str(folder), *arguments])


def told(folder: Path, *models: dict[str, Any]) -> dict[str, Any]:
    return dict(json.loads(check(folder, "--json", models=list(models)).stdout)["models"])


def test_an_admitted_model_tells_its_class_and_what_it_reads(tmp_path: Path) -> None:
    parsed = model("z_parsed", "\ufeffselect event_date, event_ts, id from raw.ev; -- the end")
    sessions = model("sessions", f"select event_date, event_ts, {LAG} as before from `shop`.`z_parsed`", "z_parsed")
    found = told(tmp_path, sessions, parsed)
    assert list(found) == ["z_parsed", "sessions"]
    assert found["z_parsed"]["incremental"]["batch_safety"] == "fully_batch_safe"
    assert found["sessions"]["incremental"]["source_bounds"] == {
        "z_parsed": {"type": "bounded", "partition_col": "event_date", "before": "PT30M", "after": "PT0S"}
    }
    assert check(tmp_path, models=[sessions, parsed]).exit_code == 0


def test_a_refused_model_is_found_at_its_line_in_the_authors_file(tmp_path: Path) -> None:
    raw = "{{ config(materialized='incremental_by_time_range') }}\n\n-- why\nselect event_date, event_ts\nfrom {{ source('raw', 'ev') }}\nlimit 3\n"
    wrong = model("wrong", "-- why\nselect event_date, event_ts\nfrom `raw`.`ev`\nlimit 3", raw=raw)
    answer = check(tmp_path, "--annotations", models=[wrong])
    assert answer.exit_code == 1
    assert answer.stdout.startswith("::error file=models/wrong.sql,line=6,title=limit::LIMIT picks other rows")
    assert check(tmp_path, models=[wrong]).exit_code == 1


def test_an_override_in_meta_lifts_its_check_and_an_unknown_one_is_an_error(tmp_path: Path) -> None:
    sql = "select event_date, event_ts from raw.ev limit 3"
    for override, exit_code in (("allow_limit", 0), ("allow_limits", 1)):
        config: dict[str, Any] = {
            **TIME_RANGE,
            "meta": {"time_column": "event_date", "safety_overrides": {override: True}},
        }
        assert check(tmp_path, models=[model("m", sql, **config)]).exit_code == exit_code


def test_a_read_that_is_too_narrow_is_a_warning(tmp_path: Path) -> None:
    sql = f"select event_date, event_ts, {LAG} as b from raw.ev where event_date >= /*kinds:start_ds*/ '2024-01-14'"
    answer = check(tmp_path, "--annotations", models=[model("m", sql)])
    assert answer.exit_code == 0
    assert answer.stdout.startswith("::warning file=models/m.sql,line=1,title=narrow_read::")


def test_a_cumulative_aggregate_is_checked_and_other_models_are_not(tmp_path: Path) -> None:
    total = model("total", "select id, avg(id) as a from raw.ev group by id", materialized="cumulative_aggregate")
    view = model("v", "select * from raw.ev limit 3", materialized="view")
    found = told(tmp_path, total, view)
    assert list(found) == ["total"]
    assert [error["code"] for error in found["total"]["errors"]] == ["CumulativeUnknownAggregator"]


@pytest.mark.parametrize("models", [[model("m", None)], None])
def test_what_dbt_has_not_compiled_is_said_with_exit_code_2(
    tmp_path: Path, models: list[dict[str, Any]] | None
) -> None:
    arguments = ["check", str(tmp_path)]
    answer = CliRunner().invoke(main, arguments) if models is None else check(tmp_path, models=models)
    assert answer.exit_code == 2
    assert "run dbt compile" in answer.output


def scheduled(name: str, sql: str, *parents: str, **meta: Any) -> dict[str, Any]:
    """A model with settings of when it is due, over a time column that is a timestamp."""
    time = {"time_column": "event_ts", **meta}
    return model(name, sql, *parents, materialized="incremental_by_time_range", event_time="event_ts", meta=time)


BY_YEAR = "select date_trunc('year', event_ts) as event_ts, count(*) as n from raw.ev group by 1"


@pytest.mark.parametrize(
    ("settings", "granularity"),
    [
        ({"cron": "0 0 1 */3 *"}, "quarter"),
        ({"cron": "@quarterly"}, "quarter"),
        ({"cron": "30 2 1-7 * 1"}, "day"),
        ({"cron": "0 0 1,15 * *"}, "day"),
        ({"cron": "@Monthly"}, "month"),
        ({"cron": "*/30 * * * *"}, "half_hour"),
        ({"interval_unit": "6 hours"}, "6 hours"),
        ({"interval_unit": "2 Weeks", "week_start": "Sunday"}, "2 weeks"),
        ({"interval_unit": "30 minutes"}, "half_hour"),
    ],
)
def test_a_models_interval_is_the_one_that_its_run_plans_with(
    tmp_path: Path, settings: dict[str, str], granularity: str
) -> None:
    found = told(tmp_path, scheduled("m", "select event_ts, id from raw.ev", **settings))["m"]
    assert found["incremental"]["granularity"] == granularity
    assert found["incremental"]["verdict"] == "admitted"


@pytest.mark.parametrize(
    ("cron", "exit_code"), [("@yearly", 0), ("0 0 1 1 *", 0), ("0 0 1 */3 *", 1), ("@quarterly", 1), ("@monthly", 1)]
)
def test_years_of_a_model_that_loads_quarters_are_refused(tmp_path: Path, cron: str, exit_code: int) -> None:
    answer = check(tmp_path, "--annotations", models=[scheduled("by_year", BY_YEAR, cron=cron)])
    assert answer.exit_code == exit_code
    assert ("title=granularity_too_fine" in answer.stdout) == bool(exit_code)


def test_an_edge_inside_a_day_cuts_a_date(tmp_path: Path) -> None:
    config: dict[str, Any] = {**TIME_RANGE, "meta": {"time_column": "event_date", "interval_unit": "36 hours"}}
    found = told(tmp_path, model("m", "select event_date, event_ts from raw.ev", **config))
    assert [finding["code"] for finding in found["m"]["incremental"]["findings"]] == ["granularity_too_fine"]


def test_a_frame_adds_to_the_units_that_an_interval_consists_of(tmp_path: Path) -> None:
    parent = scheduled("z", "select event_ts, id from raw.ev", interval_unit="6 hours")
    reader = scheduled("m", f"select event_ts, {LAG} as b from `shop`.`z`", "z", interval_unit="half_hour")
    found = told(tmp_path, parent, reader)["m"]["incremental"]
    assert found["source_bounds"]["z"]["before"] == "PT30M"
    # seven days of half hours
    assert found["batch_size"] == 7 * 48


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"interval_unit": "fortnight"}, "interval_unit 'fortnight' is not a unit; write year, quarter, month, week"),
        ({"cron": "0 0 ? * *"}, "cron '0 0 ? * *' cannot be read: '?' is no day of month"),
        ({"cron": "* * * * *"}, "cron '* * * * *' fires more often than every five minutes"),
        ({"week_start": "friday"}, "week_start 'friday' is neither monday nor sunday"),
    ],
)
def test_what_a_run_would_refuse_is_found_at_the_model_and_at_its_readers(
    tmp_path: Path, settings: dict[str, str], why: str
) -> None:
    wrong = scheduled("z", "select event_ts, id from raw.ev", **settings)
    reader = scheduled("m", "select event_ts, id from `shop`.`z`", "z")
    answer = check(tmp_path, "--json", models=[wrong, reader])
    assert answer.exit_code == 1
    found = json.loads(answer.stdout)["models"]
    assert [error["code"] for name in ("z", "m") for error in found[name]["errors"]] == ["UnreadableSchedule"] * 2
    assert found["z"]["errors"][0]["message"].startswith(why)
    assert found["m"]["errors"][0]["message"].startswith(f"it reads z, and nothing follows from its time: {why}")
