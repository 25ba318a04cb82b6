"""Time variables in when_matched and merge_filter mean the window of each batch."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.unit.macros import CompilerError, Macros, node

FIRST, SECOND = ["2024-01-02T00:00:00", "2024-01-03T00:00:00"], ["2024-01-03T00:00:00", "2024-01-04T00:00:00"]
NOW = "2024-01-10T08:00:00"
COLUMNS = [{"name": "id", "type": "int"}, {"name": "ds", "type": "date"}]
# as dbt's parser leaves it in the configuration, the day of the parse in it
START, END, EXECUTION = (f"/*kinds:{name}*/ '1999-12-31'" for name in ("start_ds", "end_ds", "execution_ds"))


def options_of(**given: Any) -> dict[str, Any]:
    read: dict[str, Any] = Macros().options(node("m", "incremental_by_unique_key", unique_key="id", **given))
    return read


def merged(window: list[str], **given: Any) -> str:
    """The merge of one batch."""
    macros, options = Macros(), options_of(**given)
    clauses = macros._key_clauses(options, COLUMNS)
    write_spec = {"clauses": clauses, "matches": "id = __kinds_key_1", "columns": ["`id`", "`ds`"]}
    bound = macros.write_spec_in_window(write_spec, window, NOW)
    assert {**bound, "clauses": None} == {**write_spec, "clauses": None}
    changes = {"rows": "s", "matches": bound["matches"], "clauses": bound["clauses"], "inserted": None}
    return " ".join(str(macros.merge_statement("t", bound, changes)).split())


@pytest.mark.parametrize(("window", "day"), [(FIRST, "2024-01-02"), (SECOND, "2024-01-03")])
def test_a_merge_filter_has_the_window_of_its_batch(window: list[str], day: str) -> None:
    text = merged(window, merge_filter=f"target.ds between {START} and {END}")
    assert f"(target.ds between '{day}' and '{day}')" in text


def test_clauses_have_the_window_of_their_batch_in_conditions_and_assignments() -> None:
    written = [
        f"when matched and {START} > source.ds then delete",
        f"when matched then update set ds = {EXECUTION}, id = source.id",
    ]
    assert merged(SECOND, when_matched=written).endswith(
        "when matched and ('2024-01-03' > __kinds_row.ds) then delete"
        " when matched then update set `ds` = '2024-01-10', `id` = __kinds_row.id"
    )


def test_texts_without_time_variables_stay_as_they_are() -> None:
    written = "when matched and source.ds > '2024-01-01' then update set ds = source.ds"
    assert merged(FIRST, when_matched=written) == merged(SECOND, when_matched=written)


@pytest.mark.parametrize("option", ["merge_filter", "when_matched"])
def test_the_day_of_the_parse_is_no_change_of_the_model(option: str) -> None:
    texts = {"merge_filter": "target.ds >= {}", "when_matched": "when matched and target.ds >= {} then update set ds = source.ds"}  # fmt: skip

    def model_hash(bound: str) -> str:
        return str(Macros(local_md5=str).model_hash(options_of(**{option: texts[option].format(bound)}), "select 1"))

    hashes = {model_hash(f"/*kinds:start_ds*/ '{day}'") for day in ("2024-01-01", "2024-01-02")}
    assert len(hashes) == 1
    assert model_hash("/*kinds:start_ds*/ '2024-01-01'") != model_hash("/*kinds:end_ds*/ '2024-01-01'")
    assert model_hash("'2024-01-01'") != model_hash("'2024-01-02'")


def clauses_in(zone: str, plan: str, **given: Any) -> list[dict[str, Any]]:
    """The clauses of a write spec whose merge Spark analyzes to such a plan in such a session."""
    rows = [("== Analyzed Logical Plan ==",), (plan,)]
    asked: list[str] = []

    def run_query(sql: str) -> Any:
        asked.append(sql)
        return SimpleNamespace(rows=[(zone,)] if "current_timezone" in sql else rows)

    macros, options = Macros(run_query=run_query), options_of(**given)
    columns = [*COLUMNS, {"name": "ts", "type": "timestamp"}]
    write_spec = {"clauses": macros._key_clauses(options, columns), "schema": columns}
    typed = macros.with_typed_clauses(options, write_spec)
    if not plan:
        assert typed is write_spec
        assert asked == []
    found: list[dict[str, Any]] = macros.write_spec_in_window(typed, FIRST, NOW)["clauses"]
    return found


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_bounds_of_clauses_have_the_type_of_what_they_are_compared_with(zone: str) -> None:
    plan = "(ts#1 >= cast(nullif(null, 7000) as timestamp)) (ts#1 <= cast(nullif(null, 7001) as timestamp))"
    (clause,) = clauses_in(zone, plan, merge_filter=f"target.ts between {START} and {END}")
    start = "'2024-01-02'" if zone == "UTC" else "timestamp '2024-01-02 00:00:00+00:00'"
    assert clause["condition"] == f"((target.ts between {start} and timestamp '2024-01-02 23:59:59.999999+00:00'))"


def test_a_clause_that_assigns_another_instant_is_refused_outside_utc() -> None:
    given = {
        "when_matched": f"when matched then update set ts = {START.replace('_ds', '_date').replace('*/ ', '*/ date ')}"
    }
    plan = "Project [cast(1904-05-06 as timestamp) AS a#1]"
    (clause,) = clauses_in("UTC", plan, **given)
    assert clause["assignments"] == [{"column": "`ts`", "expression": "date '2024-01-02'"}]
    with pytest.raises(CompilerError, match="model m: its when_matched converts start_date in the session's time zone"):
        clauses_in("America/New_York", plan, **given)


def test_clauses_without_time_variables_ask_nothing() -> None:
    clauses_in(
        "America/New_York",
        "",
        when_matched="when matched and source.ds > current_date then update set ds = source.ds",
        merge_filter="target.id > 1",
    )
