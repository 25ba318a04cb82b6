"""What a model of cumulative_aggregate may say of itself, and what its query may read: anything else is refused before it is run."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit import cumulative_runs as runs
from tests.unit.duckdb_runs import Relation
from tests.unit.macros import CompilerError, Macros, node

GIVEN: dict[str, Any] = {
    "unique_key": ["id", "`part`"],
    "combine": {"N": "add", "high": "Greatest"},
    "start": "2024-01-01",
}
COLUMNS = [{"name": name, "type": "int"} for name in ("id", "Part", "n", "high")]
MACROS = Macros()


def options(**given: Any) -> dict[str, Any]:
    written = {name: value for name, value in {**GIVEN, **given}.items() if value is not None}
    read: dict[str, Any] = MACROS.options(node(kind="cumulative_aggregate", **written))
    return read


def refusal_of_options(**given: Any) -> str:
    with pytest.raises(CompilerError) as refused:
        options(**given)
    return str(refused.value).removeprefix("dbt_kinds: model orders: ")


def test_options_are_read_as_they_are_meant() -> None:
    read = options(time_column="day", allow_partials=True)
    assert (read["unique_key"], read["combine"]) == (["id", "part"], {"n": "add", "high": "greatest"})
    assert (read["time_column"], read["allow_partials"]) == ({"column": "day", "format": None}, False)
    assert options(unique_key="id, part")["unique_key"] == ["id", "part"]


def test_every_combiner_of_the_specification_has_a_function() -> None:
    assert list(MACROS.state_functions()) == ["add", "least", "greatest", "and", "or", "bit_and", "bit_or", "bit_xor"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"unique_key": None}, "unique_key is missing; name the columns that the query groups by, as in meta={"),
        ({"unique_key": "lower(id)"}, "unique_key 'lower(id)' is an expression, and the key is what the query groups by; name a column of the query"),
        ({"combine": None}, "combine is missing; say how the states of each aggregate become one, as in meta={"),
        ({"combine": "add"}, "combine 'add' is not a mapping; say how the states of each aggregate become one"),
        ({"combine": {"n": "avg"}}, "combine.n 'avg' is not one of add, least, greatest, and, or, bit_and, bit_or, bit_xor"),
        ({"combine": {"id": "add"}}, "combine names 'id', which is part of unique_key; remove it from one of them"),
        ({"time_column": "ID"}, "unique_key holds 'ID', the time_column, so no key ever comes twice and nothing accumulates; write materialized: "),
        ({"lookback": 2}, "option 'lookback' belongs to incremental_by_time_range, incremental_by_unique_key; remove it from this cumulative_aggregate model"),
        ({"auto_restatement_cron": "@daily"}, "option 'auto_restatement_cron' belongs to incremental_by_time_range; remove it"),
    ],
)  # fmt: skip
def test_what_a_model_says_wrongly_is_named(given: dict[str, Any], message: str) -> None:
    assert refusal_of_options(**given).startswith(message)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"unique_key": ["id", "who"]}, "unique_key names the column 'who', and the query has id, Part, n, high"),
        ({"combine": {"n": "add", "m": "add"}}, "combine names the column 'm', and the query has id, Part, n, high"),
        (
            {"combine": {"n": "add"}},
            "the column 'high' has no combiner; add it to unique_key if the query groups by it, otherwise add it to combine, with one of",
        ),
    ],
)
def test_every_column_is_a_key_or_combined(given: dict[str, Any], message: str) -> None:
    macros = Macros(compiled_code=runs.query())
    with pytest.raises(CompilerError) as refused:
        macros.cumulative_write_spec(options(**given), COLUMNS, None, "select 1")
    assert str(refused.value).removeprefix("dbt_kinds: model orders: ").startswith(message)


def window(name: str = "events", **given: Any) -> str:
    macros = Macros(node=node(time_column="day"))
    return f"select id from {macros.window_of(Relation(name), 'day', **given)}"


def reading(sql: str | list[dict[str, Any]]) -> str:
    """A query as it is, or one of these windows."""
    return sql if isinstance(sql, str) else " union all ".join(window(**given) for given in sql)


WIDER = "which would be counted again by its neighbours"


@pytest.mark.parametrize(
    ("sql", "unit", "message"),
    [
        (
            "select id from shop.events",
            "day",
            "the query does not read its interval, so that every interval would count the whole source again; read",
        ),
        ("select /*kinds:execution_ts*/ '2024-01-05 00:00:00' as at", "day", "the query does not read its interval"),
        (
            [{}, {"name": "others"}],
            "day",
            "the query reads windows of several sources, shop.events, shop.others",
        ),
        ([{"before": "P1D"}], "day", WIDER),
        ([{"after": "PT1S"}], "day", WIDER),
        ([{"unit": "month"}], "day", WIDER),
        ([{"unit": "week"}], "month", WIDER),
        ([{}], "hour", WIDER),
        ([{"unit": "none"}], "hour", WIDER),
        ([{"data_type": "string", "format": "%Y%m", "unit": "month"}], "week", WIDER),
    ],
)
def test_a_query_that_would_count_rows_again_is_refused(
    sql: str | list[dict[str, Any]], unit: str, message: str
) -> None:
    with pytest.raises(CompilerError, match=message):
        MACROS.check_counts_once(options(interval_unit=unit), reading(sql))


@pytest.mark.parametrize(
    ("sql", "unit"),
    [
        ([{}], "day"),
        ([{}], "week"),
        ([{}], "month"),
        ([{}, {}], "3 days"),
        ([{"unit": "hour", "data_type": "timestamp"}], "hour"),
        ([{"unit": "none", "data_type": "timestamp"}], "five_minute"),
        ([{"data_type": "string", "format": "%Y%m", "unit": "month"}], "quarter"),
        (
            "select id from shop.events where at between /*kinds:start_ts*/ '2024-01-01 00:00:00' and /*kinds:end_ts*/ '2024-01-01 23:59:59.999999'",
            "day",
        ),
    ],
)
def test_a_query_that_reads_its_interval_passes(sql: str | list[dict[str, Any]], unit: str) -> None:
    MACROS.check_counts_once(options(interval_unit=unit), reading(sql))
