"""Generated models over random runs: what `dbt-kinds migrate` converts gives the same table as before, or it is left.

The old way and the kinds are both played here, in DuckDB and with plain jinja2: nothing of this package but `migrate` itself.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice, pairwise
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import jinja2
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from dbt_kinds.migrate.results import Result
from dbt_kinds.simulation.databases import new_database
from tests.unit.migrating import migrated, one

FIRST = datetime(2024, 1, 1)
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Model:
    """A generated model: its text, how dbt writes it, and how many days late its rows may be for it to see them."""

    text: str
    strategy: str
    key: tuple[str, ...]
    lateness: int
    appends_again: bool
    bound: str = "latest"
    shift: int = 0

    @property
    def replaces(self) -> tuple[str, ...]:
        """The columns by which dbt deletes what it inserts anew."""
        return ("day",) if self.strategy == "insert_overwrite" else self.key

    def has_gaps(self, runs: tuple[int, ...]) -> bool:
        """Whether the old model misses days between its runs, which a kind does not."""
        return self.bound == "now" and any(later - run > self.shift for run, later in pairwise(runs))


SHAPES = {
    "plain": "select id, k, amount, happened_at, day, arrived_at from raw {where}",
    "renamed": "with r as (select id, k, amount, happened_at, day, arrived_at from raw {where}) select id, k, amount, happened_at, day, arrived_at from r",
    "star": "with r as (select * from raw {where}) select * from r",
    "by day": "select k, day, sum(amount) as amount from raw {where} group by k, day",
    "by day of at": "select k, cast(happened_at as date) as day, count(*) as amount from raw {where} group by 1, 2",
    "by key": "select id, max(happened_at) as happened_at, max(day) as day, max(arrived_at) as arrived_at from raw {where} group by id",
    "newest": "select id, k, amount, happened_at, day, arrived_at from raw {where} qualify row_number() over (partition by id order by arrived_at desc, happened_at desc, amount) = 1",
    "oldest": "select id, k, amount, happened_at, day, arrived_at from raw {where} qualify row_number() over (partition by id order by arrived_at, amount) = 1",
    "numbered in a day": "select id, k, amount, happened_at, day, arrived_at, row_number() over (partition by day order by id, happened_at, amount) as n from raw {where}",
    "numbered": "select id, k, amount, happened_at, day, arrived_at, row_number() over (partition by k order by id, happened_at, amount) as n from raw {where}",
    "dimension": "select r.id, r.k, r.amount, r.happened_at, r.day, r.arrived_at, d.name from raw as r left join names as d using (k) {where}",
    "optional": "with r as (select * from raw {where}) select d.k, r.id, r.amount, r.happened_at, r.day, r.arrived_at from names as d left join r on r.k = d.k",
    "union": "select id, k, amount, happened_at, day, arrived_at from raw {where} union all select id, k, -amount, happened_at, day, arrived_at from raw {where}",
    "half a union": "select id, k, amount, happened_at, day, arrived_at from raw {where} union all select id, k, -amount, happened_at, day, arrived_at from raw",
    "full": "with a as (select id, k, day, sum(amount) as amount from raw {where} group by id, k, day), b as (select id, k, day, count(*) as n from (select * from raw where k > 1) as raw {where} group by id, k, day) select coalesce(a.id, b.id) as id, coalesce(b.day, a.day) as day, coalesce(a.k, b.k) as k, a.amount, b.n from a full join b on a.id = b.id and a.k = b.k and a.day = b.day",
    "full of a half": "with a as (select id, k, day, sum(amount) as amount from raw {where} group by id, k, day), b as (select id, k, day, count(*) as n from raw group by id, k, day) select coalesce(a.id, b.id) as id, coalesce(b.day, a.day) as day, coalesce(a.k, b.k) as k, a.amount, b.n from a full join b on a.id = b.id and a.k = b.k and a.day = b.day",
    "full, not by day": "with a as (select id, k, day, sum(amount) as amount from raw {where} group by id, k, day), b as (select id, k, day, count(*) as n from raw {where} group by id, k, day) select coalesce(a.id, b.id) as id, coalesce(b.day, a.day) as day, coalesce(a.k, b.k) as k, a.amount, b.n from a full join b on a.id = b.id and a.k = b.k",
    "newest of a day": "select k, cast(happened_at as date) as day, max(happened_at) as happened_at from raw {where} group by 1, 2",
    "one row": "select max(happened_at) as happened_at, max(day) as day, max(arrived_at) as arrived_at, 1 as id, 1 as k from raw {where}",
    "limited": "select id, k, amount, happened_at, day, arrived_at from raw {where} order by id limit 3",
}  # fmt: skip


# the newest value in a CTE; a comma takes the place of the slash if another CTE follows
WATERMARKS = {
    "inline": "",
    "looked up": "{% if is_incremental() %} with last as (select VALUE as t from {{ this }})/ {% else %} with nothing as (select 1 as t)/ {% endif %} ",
    "joined": "with last as ({% if is_incremental() %} select VALUE as t from {{ this }} {% else %} select date '1900-01-01' as t {% endif %})/ ",
    "with a first value": "with last as ({% if is_incremental() %} select VALUE as t from {{ this }} {% else %} select timestamp '1900-01-01' as t {% endif %})/ ",
    "of another": "with newest as ({% if is_incremental() %} select VALUE as v from {{ this }} {% else %} select date '1900-01-01' as v {% endif %}), last as (select v as t from newest)/ ",
}  # fmt: skip


STRATEGIES = [
    ("append", ()),
    ("merge", ("id",)),
    ("merge", ("id", "day")),
    ("merge", ("k", "day")),
    ("delete+insert", ("k",)),
    ("delete+insert", ("day",)),
    ("delete+insert", ("k", "day")),
    ("insert_overwrite", ()),
]
BOUNDS = ["latest", "latest", "now", "variables"]


def model_of(pick: Callable[[Sequence[Any]], Any]) -> Model:
    """A model of which each part is picked from those that there are."""
    shape = pick(sorted(SHAPES))
    column = pick(["happened_at", "day", "arrived_at"])
    shift = pick([0, 0, 1, 2])
    operator = pick([">", ">="])
    bound = pick(BOUNDS)
    value = f"max({column}){f' - interval {shift} day' if shift else ''}"
    newest = f"(select {value} from {{{{ this }}}})"
    watermark = pick(sorted(WATERMARKS)) if bound == "latest" else "inline"
    cte, newest = (
        WATERMARKS[watermark].replace("VALUE", value),
        newest if watermark == "inline" else "(select t from last)",
    )
    condition = f"{column} {operator} {newest}"
    if bound == "now":
        shift, operator = max(shift, 1), ">="
        days = ", ".join(f"current_date - {day}" for day in range(shift + 1))
        written = [f"{column} >= current_date - {shift}", f"datediff('day', {column}, current_date) <= {shift}"]
        condition = pick([*written, f"{column} in ({days})"] if column == "day" else written)
    elif bound == "variables":
        shift, operator = 0, ">"
        condition = f"""{column} >= '{{{{ var("from_day") }}}}' and {column} < '{{{{ var("to_day") }}}}'"""
    elif pick([True, False]):
        condition = f"{newest} {'<' if operator == '>' else '<='} {column}"
    if bound == "latest" and watermark == "inline" and pick([True, False]):
        condition = f"({condition} or {newest} is null)"
    word = pick(["where", "where true and"])
    where = f"{{% if is_incremental() %}} {word} {condition} {{% endif %}}"
    if watermark == "with a first value":
        where = f"{word} {condition}"
    elif pick([True, False]):
        where = f"{word.split()[0]} true {{% if is_incremental() %}} and {condition} {{% endif %}}"
    strategy, key = pick(STRATEGIES)
    config = f"materialized='incremental', incremental_strategy='{strategy}'" + (
        f", unique_key={list(key)}" if key else ""
    )
    config += ", partition_by='day'" if strategy == "insert_overwrite" else ""
    query = SHAPES[shape]
    if watermark == "joined" and " from raw {where}" in query:
        # the other table has no column of that name
        join = "{% if is_incremental() %} cross join last {% endif %}"
        query, where = (
            query.replace(" from raw {where}", f" from raw {join} {{where}}"),
            where.replace("(select t from last)", "last.t"),
        )
    if cte and query.startswith("with "):
        cte, query = cte.replace(")/", "),/"), query.removeprefix("with ")
    query = cte.replace("/", "") + query.replace("{where}", where)
    text = f"{{{{ config({config}) }}}}\n{query}\n"
    # what an old model reads again it appends again, so that only a filter without that can be right
    late = 10 if column == "arrived_at" else shift if strategy != "append" and bound == "latest" else 0
    appends_again = strategy == "append" and (operator == ">=" or shift > 0)
    return Model(text, strategy, key, late, appends_again, bound, shift)


@st.composite
def models(draw: st.DrawFn) -> Model:
    return model_of(lambda parts: draw(st.sampled_from(parts)))


@dataclass(frozen=True)
class Data:
    """Rows as (id, k, amount, minutes since the first day, days late), and the days after which something is run."""

    rows: tuple[tuple[int, int, int, int, int], ...]
    runs: tuple[int, ...]


@st.composite
def histories(draw: st.DrawFn, lateness: int) -> Data:
    days = draw(st.integers(3, 7))
    row = st.tuples(
        st.integers(1, 6),
        st.integers(1, 3),
        st.integers(1, 9),
        st.integers(0, days * 1440 - 1),
        st.integers(0, min(lateness, 2)),
    )
    rows = draw(st.lists(row, min_size=4, max_size=14))
    runs = draw(st.sets(st.integers(1, days + 2), min_size=2, max_size=4))
    return Data(tuple(rows), tuple(sorted(runs)))


def together(data: Data, key: tuple[str, ...]) -> Data:
    """The same rows, with those of a key at one instant and in time: what a kind that replaces all of them needs."""
    days = max(minutes for *_, minutes, _ in data.rows) // 1440 + 1
    rows = []
    for identifier, k, amount, minutes, _ in data.rows:
        group = (k if "k" in key else 0) + (identifier if "id" in key else 0)
        day = minutes // 1440 if "day" in key else group % days
        rows.append((identifier, k, amount, day * 1440 + (37 * group + 101 * day) % 1440, 0))
    return Data(tuple(rows), data.runs)


def connect(data: Data) -> duckdb.DuckDBPyConnection:
    connection = new_database()
    connection.execute(
        "create table every (id int, k int, amount int, happened_at timestamp, day date, arrived_at timestamp)"
    )
    for identifier, k, amount, minutes, late in data.rows:
        happened_at = FIRST + timedelta(minutes=minutes)
        connection.execute(
            "insert into every values (?, ?, ?, ?, ?, ?)",
            [identifier, k, amount, happened_at, happened_at.date(), happened_at + late * DAY],
        )
    connection.execute("create table names as select * from (values (1, 'a'), (2, 'b')) as n(k, name)")
    return connection


def see(connection: duckdb.DuckDBPyConnection, day: int) -> datetime:
    """What a run after so many days sees: all that has arrived before midnight."""
    now = FIRST + day * DAY
    connection.execute(f"create or replace view raw as select * from every where arrived_at < timestamp '{now}'")
    return now


def rendered(text: str, **context: Any) -> str:
    return jinja2.Environment().from_string(text).render(config=lambda **given: "", this="target", **context)


def write(connection: duckdb.DuckDBPyConnection, key: tuple[str, ...]) -> None:
    """Deletes what `batch` has by key, and inserts it."""
    if key:
        same = " and ".join(f"target.{name} = batch.{name}" for name in key)
        connection.execute(f"delete from target using batch where {same}")
    connection.execute("insert into target by name select * from batch")


def has_one_row_a_key(connection: duckdb.DuckDBPyConnection, key: tuple[str, ...]) -> bool:
    names = ", ".join(key)
    return not key or connection.execute(f"select count(*) = count(distinct ({names})) from batch").fetchall()[0][0]


def played_old(model: Model, data: Data) -> Counter[Any] | None:
    """The table of the old model after all runs; None where a merge would fail on two rows of one key."""
    connection = connect(data)
    last = FIRST
    for number, day in enumerate(data.runs):
        now = see(connection, day)
        days = {"from_day": str(last.date()), "to_day": str(now.date())}
        query = rendered(model.text, is_incremental=lambda number=number: number > 0, var=days.__getitem__)
        query = query.replace("current_date", f"date '{now.date()}'")
        last = now
        connection.execute(f"create or replace table batch as {query}")
        if model.strategy == "merge" and not has_one_row_a_key(connection, model.key):
            return None
        if number == 0:
            connection.execute("create table target as select * from batch")
        else:
            write(connection, model.replaces)
    return Counter(connection.execute("select columns(*)::text from target").fetchall())


class Window:
    """dbt_kinds' time variables for one window."""

    def __init__(self, start: datetime, end: datetime) -> None:
        self.start, self.end = start, end - timedelta(microseconds=1)

    def start_dt(self) -> str:
        return f"timestamp '{self.start}'"

    def end_dt(self) -> str:
        return f"timestamp '{self.end}'"

    def start_date(self) -> str:
        return f"date '{self.start.date()}'"

    def end_date(self) -> str:
        return f"date '{self.end.date()}'"


def beginning(instant: datetime, unit: str, back: int = 0) -> datetime:
    """The beginning of the interval that an instant is in, or of one some intervals before."""
    day = datetime(instant.year, instant.month, instant.day)
    start = day - {"day": 0, "week": day.weekday(), "month": day.day - 1}[unit] * DAY
    return start if back == 0 else beginning(start - DAY, unit, back - 1)


def windows(result: Result, loaded: datetime, time: datetime) -> Iterator[tuple[datetime, datetime]]:
    """What a kind loads at a time, if it was loaded until some instant: the missing intervals and those looked back on."""
    unit = result.options.get("interval_unit", "day")
    end = time if result.options.get("allow_partials") else beginning(time, unit)
    if end <= loaded:
        return
    start = max(beginning(FIRST, unit), beginning(loaded, unit, int(result.options.get("lookback", 0))))
    while result.options.get("batch_size") == 1 and start + DAY < end:
        yield start, start + DAY
        start += DAY
    yield start, end


def played_new(result: Result, data: Data) -> Counter[Any] | None:
    """The table of the kind after all runs, which load whole intervals from the first one on."""
    connection = connect(data)
    loaded, is_there = FIRST, False
    key = tuple(result.options.get("unique_key", ()))
    for day in data.runs:
        time = see(connection, day)
        for start, end in windows(result, loaded, time):
            query = rendered(str(result.new_text), dbt_kinds=Window(start, end))
            query = query.replace("current_date", f"date '{time.date()}'").replace("now()", f"timestamp '{time}'")
            connection.execute(f"create or replace table batch as {query}")
            column = result.options.get("time_column")
            if column is not None:
                inside = f"{column} >= timestamp '{start}' and {column} < timestamp '{end}'"
                connection.execute(f"create or replace table batch as select * from batch where {inside}")
            if result.options.get("duplicate_keys") != "replace_all" and not has_one_row_a_key(connection, key):
                return None
            if not is_there:
                connection.execute("create table target as select * from batch")
            else:
                if column is not None:
                    connection.execute(f"delete from target where {inside}")
                write(connection, key)
            loaded, is_there = end, True
    return Counter(connection.execute("select columns(*)::text from target").fetchall())


COARSER = {
    "counted by month": (
        "month",
        "select k, strftime(happened_at, '%Y-%m') as month, date_trunc('month', happened_at) as m, count(*) as n from raw {where} group by all",
        "k', 'month",
        "m",
    ),
    "a month in a hash": (
        "month",
        "select md5(k || date_trunc('month', happened_at)) as h, date_trunc('month', happened_at) as m, count(*) as n from raw {where} group by 1, 2",
        "h",
        "m",
    ),
    "counted by week": (
        "week",
        "select k || date_trunc('week', happened_at) as h, date_trunc('week', happened_at) as m, sum(amount) as n from raw {where} group by 1, 2",
        "h",
        "m",
    ),
    "numbered in a month": (
        "month",
        "select md5(k || happened_at) as h, date_trunc('month', happened_at) as m, row_number() over (partition by k, date_trunc('month', happened_at) "
        "order by happened_at) as n from raw {where}",
        "h",
        "m",
    ),
}


@pytest.mark.parametrize("name", COARSER)
def test_groups_coarser_than_a_day_are_those_of_a_full_recompute(name: str, tmp_path: Path) -> None:
    unit, query, key, newest = COARSER[name]
    where = f"{{% if is_incremental() %}} where happened_at >= (select max({newest}) from {{{{ this }}}}) {{% endif %}}"
    config = f"materialized='incremental', incremental_strategy='merge', unique_key=['{key}']"
    text = f"{{{{ config({config}) }}}}\n{query.replace('{where}', where)}\n"
    result = one(migrated(tmp_path, {"m": text}, "duckdb"))
    assert result.options == {
        "unique_key": key.split("', '"), "interval_unit": unit, "allow_partials": True, "lookback": 1,
    }  # fmt: skip
    data = Data(tuple((1, at % 3, 1 + at % 9, at * 1500, 0) for at in range(70)), (3, 20, 33, 34, 40, 64))
    connection = connect(data)
    see(connection, data.runs[-1])
    wanted = connection.execute(
        f"select columns(*)::text from ({rendered(text, is_incremental=lambda: False)})"
    ).fetchall()
    assert played_new(result, data) == Counter(wanted)


# conditions that stay, the shift of the filter, and what is told of them; None: the model is left
STAYING: tuple[tuple[str, int, str | None], ...] = (
    ("happened_at <= now()", 0, ""),
    ("happened_at < current_date", 0, ""),
    ("day < current_date", 0, ""),
    ("day <= current_date - 1", 0, ""),
    ("day <> current_date", 0, ""),
    ("(happened_at <= now() or id = 1)", 0, ""),
    ("day < current_date - 1", 0, None),
    ("day <= current_date - 2", 0, None),
    ("happened_at < now() - interval 2 hour", 0, None),
    ("happened_at <= current_date - 1", 0, None),
    ("happened_at < date_trunc('month', now())", 0, None),
    ("arrived_at <= now()", 0, ""),
    ("cast(arrived_at as date) <= current_date", 0, ""),
    ("arrived_at <= current_date", 0, None),
    ("arrived_at < current_date", 0, None),
    ("arrived_at < now() - interval 2 hour", 0, None),
    ("not happened_at > now() - interval 2 hour", 0, None),
    ("datediff('day', day, current_date) > 1", 0, None),
    ("happened_at >= current_date - 30", 0, "SlidingStart"),
    ("happened_at >= now() - interval 30 day", 2, "SlidingStart"),
    ("happened_at between current_date - 30 and now()", 0, "SlidingStart"),
    ("arrived_at >= current_date - 30", 0, None),
    ("now() <= arrived_at + interval 30 day", 0, None),
    ("happened_at >= current_date", 0, None),
    ("happened_at >= now() - interval 1 day", 0, None),
    ("day > current_date - 1", 0, None),
    ("day >= current_date - 2", 2, None),
)


@pytest.mark.parametrize(("condition", "shift", "told"), STAYING)
def test_a_condition_with_the_current_time_hides_nothing_or_the_model_is_left(
    condition: str, shift: int, told: str | None, tmp_path: Path
) -> None:
    column = "day" if condition.startswith(("day", "datediff")) else "happened_at"
    text = (
        "{{ config(materialized='incremental', incremental_strategy='append') }}\n"
        f"select id, amount, happened_at, day, arrived_at from raw where {condition}\n"
        f"{{% if is_incremental() %}} and {column} > (select max({column}) - interval {shift} day from {{{{ this }}}}) {{% endif %}}\n"
    )
    result = one(migrated(tmp_path, {"m": text}, "duckdb"))
    data = Data(tuple((1 + at % 3, 1, at, at * 300, 0) for at in range(30)), (1, 2, 4, 5, 6))
    if told is None:
        assert result.reason is not None, result.new_text
        return
    codes = {note.code for note in result.notes} - {"TypeFromName", "LateRows", "FirstLoad", "AppendedOnce"}
    assert codes == {"NoStart"} | ({told} if told else set())
    connection = connect(data)
    see(connection, data.runs[-1])
    wanted = connection.execute(
        "select columns(*)::text from (select id, amount, happened_at, day, arrived_at from raw)"
    )
    assert played_new(result, data) == Counter(wanted.fetchall())


# a failure is small enough as it is drawn
PHASES = [Phase.explicit, Phase.reuse, Phase.generate]


@settings(
    max_examples=200,
    deadline=None,
    phases=PHASES,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.data())
def test_a_converted_model_gives_the_same_table_or_the_model_is_left(data: st.DataObject) -> None:
    model = data.draw(models())
    with tempfile.TemporaryDirectory() as folder:
        result = one(migrated(Path(folder), {"m": model.text}, "duckdb"))
    if result.status == "left":
        assert result.diff == ""
        return
    history = data.draw(histories(model.lateness))
    if result.options.get("duplicate_keys") == "replace_all":
        assert "ReplacedTogether" in {note.code for note in result.notes}, model.text
        history = together(history, model.key)
    if model.has_gaps(history.runs):
        return
    try:
        old = played_old(model, history)
    except duckdb.BinderException:
        # it has no such column, and never ran
        return
    new = played_new(result, history) if old is not None else None
    if old is not None and not old:
        # its first run found nothing, and nothing is greater than the maximum of nothing: it stays empty for ever
        return
    if old is not None and new is not None:
        if model.appends_again:
            # the old model appended rows twice, which no one wants back
            old, new = Counter(set(old)), Counter(set(new))
        assert new == old, f"{model.text}\n{result.new_text}\n{result.options}"


SORTS = {strategy for strategy, _ in STRATEGIES} | set(BOUNDS)


@pytest.mark.parametrize("sort", sorted(SORTS))
def test_generated_models_of_each_sort_are_converted_and_left(sort: str, tmp_path: Path) -> None:
    picked = Random(51)
    picked_models = (model_of(picked.choice) for _ in range(2000))
    of_the_sort = islice((model for model in picked_models if sort in (model.strategy, model.bound)), 60)
    texts = {f"m{number}": model.text for number, model in enumerate(of_the_sort)}
    seen = Counter(result.status for result in migrated(tmp_path, texts, "duckdb").results)
    assert seen["converted"] >= 5, seen
    assert seen["left"] >= 5, seen
