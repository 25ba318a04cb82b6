"""Filters by the newest of some rows of the table, which say the same as by the newest of all, or leave the model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.migrating import migrated, one
from tests.unit.test_migrate import TIME_RANGE, incremental

BETWEEN = "between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}"


def since(condition: str, word: str = "where", column: str = "event_at") -> str:
    newest = f"(select max(event_at) from {{{{ this }}}} where {condition})"
    return f"{{% if is_incremental() %}} {word} {column} > {newest} {{% endif %}}"


def part(source: str, condition: str) -> str:
    return f"select id, '{source}' as source, event_at from {{{{ ref('{source}') }}}}\n{since(condition)}\n"


WEB, SHOP = part("web", "source = 'web'"), part("shop", "source = 'shop'")
OF_PARTS = {
    "one part": WEB,
    "two parts": f"{WEB}union all\n{SHOP}",
    "a name of its own": WEB.replace("source", "made_by", 1).replace("source =", "made_by ="),
    "cast": WEB.replace("'web' as source", "cast('web' as varchar(20)) as source"),
    "in CTEs": f"with web as (\n{WEB}), shop as (\n{SHOP})\nselect * from web union all select * from shop",
    "named further up": (
        "with rows as (\nselect id, event_at from {{ ref('web') }}\n" + since("source = 'web'") + "\n)\n"
        "select id, 'web' as source, event_at from rows"
    ),
    "filtered by it": (
        "select id, source, event_at from {{ ref('all') }}\nwhere source = 'web'\n" + since("source = 'web'", "and")
    ),
    "filtered by it under another name": (
        "select id, src as source, event_at from {{ ref('all') }}\nwhere src in ('a', 'b')\n"
        + since("source in ('b', 'a')", "and")
    ),
    "beside what has no value": WEB.replace("= 'web')", "= 'web' and event_at is not null)"),
}


@pytest.mark.parametrize("query", OF_PARTS.values(), ids=OF_PARTS)
def test_the_newest_of_the_rows_that_a_part_writes_is_its_newest(query: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": incremental(query)}))
    assert (result.kind, result.options) == (TIME_RANGE, {"time_column": "event_at", "lookback": 1}), result.reason
    assert str(result.new_text).count(f"event_at {BETWEEN}") == query.count("is_incremental")
    told = next(note.message for note in result.notes if note.code == "LateRows")
    assert "however late each of its sources was" in told


OF_OTHERS = {
    "another part's": part("web", "source = 'shop'"),
    "another spelling": part("web", "source = 'Web'"),
    "a column that rows have several values of": (
        "select id, status, event_at from {{ ref('all') }}\n" + since("status = 'done'")
    ),
    "filtered by another value": (
        "select id, source, event_at from {{ ref('all') }}\nwhere source = 'web'\n" + since("source = 'shop'", "and")
    ),
    "filtered by more values": (
        "select id, source, event_at from {{ ref('all') }}\nwhere source in ('web', 'shop')\n"
        + since("source = 'web'", "and")
    ),
    "filtered, and then written as something else": (
        "select id, upper(source) as source, event_at from {{ ref('all') }}\nwhere source = 'web'\n"
        + since("source = 'web'", "and")
    ),
    "filtered by one of two": (
        "select id, source, event_at from {{ ref('all') }}\nwhere (source = 'web' or id > 9)\n"
        + since("source = 'web'", "and")
    ),
    "compared otherwise": part("web", "source <> 'shop'"),
    "two conditions, of which one holds": part("web", "source = 'web' and id = 7"),
    "changed further up": (
        f"with rows as (\n{WEB})\nselect id, case when id > 9 then 'x' else source end as source, event_at from rows"
    ),
}


@pytest.mark.parametrize("query", OF_OTHERS.values(), ids=OF_OTHERS)
def test_the_newest_of_other_rows_leaves_the_model(query: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": incremental(query)}))
    assert result.reason is not None and result.reason.code == "ReadsThisElsewhere", result.new_text
