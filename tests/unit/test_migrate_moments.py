"""Bounds that a template computes from the time of a run, or from a variable."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.migrating import migrated, one

CONFIG = "{{ config(materialized='incremental', incremental_strategy='merge', unique_key='id') }}\n"
SELECT = "select id, sold_at, sold_on\nfrom {{ ref('raw') }}\n"
TYPES = """version: 2
models:
  - name: raw
    columns: [{name: sold_at, data_type: timestamp}, {name: sold_on, data_type: date}]
"""
BACK = "modules.datetime.timedelta"
DAY = '.strftime("%Y-%m-%d")'


def result_of(condition: str, tmp_path: Path, before: str = ""):  # type: ignore[no-untyped-def]
    query = f"{before}{SELECT}{{% if is_incremental() %}}\nwhere {condition}\n{{% endif %}}\n"
    return one(migrated(tmp_path, {"m": CONFIG + query, "raw": "select 1 as id", "models/raw.yml": TYPES}))


@pytest.mark.parametrize(
    ("bound", "column", "lookback"),
    [
        (f"(run_started_at - {BACK}(days=3)){DAY}", "sold_on", 3),
        (f"({BACK}(days=-3) + run_started_at).date()", "sold_on", None),
        (f"(run_started_at + {BACK}(days=-3)).date()", "sold_on", 3),
        (f"modules.datetime.date.today() - {BACK}(weeks=1)", "sold_on", 7),
        (f"modules.datetime.date.today() - {BACK}(2)", "sold_on", 2),
        (f"modules.datetime.datetime.utcnow() - {BACK}(hours=30)", "sold_at", 2),
        (f"(modules.datetime.datetime.now() - {BACK}(days=1)).replace(hour=0, minute=0, second=0).isoformat()", "sold_at", 1),
        (f"(modules.datetime.datetime.strptime(var('d'), '%Y-%m-%d') - {BACK}(days=2)){DAY}", "sold_on", 2),
        (f"var('d'){DAY}", "sold_on", 0),
        # what is not known
        (f"(run_started_at - {BACK}(days=var('n', 3))){DAY}", "sold_on", None),
        ('run_started_at.strftime("%Y%m%d")', "sold_on", None),
        (f"run_started_at.astimezone(modules.pytz.timezone('Asia/Tokyo')){DAY}", "sold_on", None),
        (f"modules.datetime.datetime.now(modules.pytz.timezone('Asia/Tokyo')){DAY}", "sold_on", None),
        (f"run_started_at.replace(day=1){DAY}", "sold_on", None),
        (f"modules.datetime.datetime.strptime('2024-01-01', '%Y-%m-%d'){DAY}", "sold_on", None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("is_set", [False, True])
def test_a_bound_that_a_template_computes_is_that_time(
    bound: str, column: str, lookback: int | None, is_set: bool, tmp_path: Path
) -> None:
    before = f"{{% set since = {bound} %}}\n" if is_set else ""
    result = result_of(f"{column} >= '{{{{ {'since' if is_set else bound} }}}}'", tmp_path, before)
    if lookback is None:
        assert result.reason is not None and result.reason.code == "UnreadableBlock", result.new_text
        return
    assert result.options == {"unique_key": ["id"], **({"lookback": lookback} if lookback else {})}, result.reason
    assert "set since" not in str(result.new_text)
    suffix = "date" if column == "sold_on" else "dt"
    assert f"where {column} " in str(result.new_text) and f"dbt_kinds.start_{suffix}()" in str(result.new_text)


@pytest.mark.parametrize(
    "bound", [f"run_started_at{DAY}", f"(run_started_at - {BACK}(days=3)).date()", f"var('d'){DAY}"]
)
def test_a_computed_time_outside_a_block_decides_what_is_loaded(bound: str, tmp_path: Path) -> None:
    query = f"{CONFIG}{SELECT}where sold_on >= '{{{{ {bound} }}}}'\n"
    result = one(migrated(tmp_path, {"m": query}))
    assert result.reason is not None and result.reason.code == "UnboundPartition", result.new_text


@pytest.mark.parametrize(
    ("day", "lookback"),
    [("'{{ var(\"d\") }}'", 0), ("date_sub('{{ var(\"d\") }}', 3)", 3), ("date_add('{{ var(\"d\") }}', 1)", 0)],
)
def test_a_day_that_a_run_reads_late_is_read_again_until_then(day: str, lookback: int, tmp_path: Path) -> None:
    result = result_of(f"sold_on = {day}", tmp_path)
    wanted = {"lookback": lookback} if lookback else {}
    assert result.options == {"unique_key": ["id"], **wanted, "batch_size": 1}, result.reason
    assert ("LoadedSooner" in {note.code for note in result.notes}) == bool(lookback)


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (f"trunc(sold_on, 'month') = '{{{{ run_started_at{DAY} }}}}'", "is no bound that can be read"),
        ("sold_on >= '{{ run_started_at.strftime('%Y') }}'", "the template computes its bound"),
    ],
)
def test_a_time_that_is_read_is_not_called_computed(condition: str, words: str, tmp_path: Path) -> None:
    reason = result_of(condition, tmp_path).reason
    assert reason is not None and words in reason.message


def test_days_that_are_added_up_are_a_number(tmp_path: Path) -> None:
    assert result_of("sold_on >= date_sub(current_date, 3 + 1)", tmp_path).options["lookback"] == 4


def test_what_the_first_load_has_is_said(tmp_path: Path) -> None:
    query = f"{CONFIG}{SELECT}where {{% if is_incremental() %}}sold_on >= current_date - 3{{% else %}}sold_on < current_date - 90{{% endif %}}\n"
    reason = one(migrated(tmp_path, {"m": query})).reason
    assert (
        reason is not None
        and reason.message
        == "the first load has `sold_on < current_date - 90`, which is neither no filter nor a fixed start"
    )
