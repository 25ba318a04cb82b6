"""Soundness, by execution, on any engine: a query that is admitted, as a whole and in slices with its bounds pushed down.

An engine is whatever runs a statement of Spark's SQL, or one translated from it, over the tables of `tables`.
"""

from __future__ import annotations

import datetime
import functools
import itertools
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import jinja2
from hypothesis import strategies as st

from dbt_kinds.analysis.batches import Bound
from dbt_kinds.analysis.catalogue import Catalogue, Relation, Timeseries
from dbt_kinds.analysis.parsing import parse_query
from dbt_kinds.analysis.pushdown import Reference, pushed_down
from dbt_kinds.analysis.safety import Slicing, Verdict, classify
from tests.soundness.queries import queries, query
from tests.unit.macros import Macros

TYPES = {"event_ts": "timestamp", "event_date": "date", "id": "int", "v": "int"}
SERIES = Timeseries("event_date", "event_ts", "day")
CATALOGUE = Catalogue(
    {
        "ev": Relation("ev", TYPES, SERIES),
        "ev2": Relation("ev2", TYPES, SERIES),
        "users": Relation("users", {"d": "date", "id": "int", "v": "int"}),
    }
)
COLUMNS = {name: relation.columns or {} for name, relation in CATALOGUE.relations.items()}
FIRST, DAYS = datetime.date(2024, 1, 1), 12
ROWS = 18
WHOLE = -1
Row = tuple[Any, ...]
_OVERRIDES = (("allow_subqueries",), ("allow_subqueries", "allow_window_functions"))
_macros = Macros()


@dataclass(frozen=True)
class Case:
    """A query of the columns d, ts, id, v, the tables it is run on, and how it is cut: from which day, how many at a
    time.
    """

    sql: str
    data: int
    chunk: int
    first: int
    overrides: tuple[str, ...] = _OVERRIDES[0]

    @property
    def windows(self) -> list[tuple[datetime.date, datetime.date]]:
        """The slices, each half-open."""
        edges = [FIRST + datetime.timedelta(days=day) for day in range(self.first, DAYS + 3 + self.chunk, self.chunk)]
        return list(itertools.pairwise(edges))


@dataclass(frozen=True)
class Trial:
    """A case that was classified: its verdict, and its two queries in Spark's SQL. In `sliced` the edges of what is
    read of a source are names in brackets.
    """

    case: Case
    verdict: Verdict
    whole: str
    sliced: str


def cases() -> st.SearchStrategy[Case]:
    """Any case, for hypothesis."""
    data, first = st.integers(0, 999), st.integers(0, 4)
    return st.builds(Case, queries(), data, st.sampled_from((1, 1, 2, 5)), first, st.sampled_from(_OVERRIDES))


def admitted_trials(number: int, *, data: int, chunks: Sequence[int]) -> Iterator[Trial]:
    """Trials of admitted cases without end, the same ones for a number, over so many different sets of tables."""
    chosen = random.Random(number)
    while True:
        sql, overrides = query(chosen.choice), chosen.choice(_OVERRIDES)
        case = Case(sql, chosen.randrange(data), chosen.choice(chunks), chosen.randrange(5), overrides)
        verdict = classified(case)
        if verdict.is_admitted:
            yield trial_of(case, verdict)


def tables(data: int) -> Iterable[tuple[str, Mapping[str, str], list[Row]]]:
    """Names, types and rows. Few distinct values, so that groups, ties and gaps are common; some rows have no time."""
    choose = random.Random(data)
    for name in ("ev", "ev2"):
        rows: list[Row] = []
        for _ in range(ROWS):
            at = datetime.datetime.combine(FIRST, datetime.time()) + datetime.timedelta(
                hours=choose.choice((0, 1, 5, 12, 19, 23)), days=choose.randrange(DAYS)
            )
            time = (None, None) if choose.random() < 0.05 else (at, at.date())
            rows.append((*time, choose.randrange(1, 4), choose.randrange(1, 6)))
        yield f"{name}_{data}", COLUMNS[name], rows
    days = [FIRST + datetime.timedelta(days=number) for number in range(DAYS)]
    yield f"users_{data}", COLUMNS["users"], [(day, choose.randrange(1, 5), choose.randrange(1, 6)) for day in days]


def values(columns: Mapping[str, str], rows: Iterable[Row]) -> str:
    """Rows as a query that every engine reads."""
    typed = [f"cast({name} as {kind}) as {name}" for name, kind in columns.items()]
    literals = [f"({', '.join('null' if value is None else repr(str(value)) for value in row)})" for row in rows]
    return f"select {', '.join(typed)} from (values {', '.join(literals)}) as t({', '.join(columns)})"


def classified(case: Case) -> Verdict:
    """What the classifier says of a case."""
    return classify(parse_query(case.sql, "spark"), _slicing(case), CATALOGUE)


def trial_of(case: Case, verdict: Verdict) -> Trial:
    """The two queries of a case, as compile writes them and dbt renders them."""
    query = parse_query(case.sql, "spark")

    def refer(relation: Relation) -> Reference:
        return Reference(f"ref('{relation.leaf}')", relation.leaf)

    def ref(name: str) -> str:
        return f"{name}_{case.data}"

    def window_of(relation: str, column: str, before: str, after: str) -> str:
        name = relation.rpartition("_")[0]
        return f"(select * from {relation} where {column} >= date '[{name} low]' and {column} < date '[{name} high]')"

    names = {"ref": ref, "dbt_kinds": SimpleNamespace(window_of=window_of)}
    texts = [pushed_down(query, CATALOGUE, bounds, refer) for bounds in ({}, verdict.bounds)]
    whole, sliced = (jinja2.Template(text).render(names) for text in texts)
    return Trial(case, verdict, whole, sliced)


def statement(trials: Iterable[Trial], translated: Callable[[str], str] = str) -> str:
    """One statement for the whole and all slices of some trials: which trial, which slice, and a row as text."""
    parts = []
    for number, trial in enumerate(trials):
        whole, sliced = translated(trial.whole), translated(trial.sliced)
        parts.append(_rows_of(number, WHOLE, whole))
        for at, (start, end) in enumerate(trial.case.windows):
            query = _restricted(sliced, trial.verdict.bounds, start, end)
            parts.append(f"{_rows_of(number, at, query)} where d >= date '{start}' and d < date '{end}'")
    return "\nunion all\n".join(parts)


def differences(trials: list[Trial], rows: Iterable[Row]) -> list[str]:
    """What the rows of a statement say against its trials: a sentence for every slice that is not what the whole is."""
    found: dict[tuple[int, int], Counter[Row]] = {}
    for number, at, *row in rows:
        found.setdefault((number, at), Counter())[tuple(row)] += 1
    wrong = []
    for number, trial in enumerate(trials):
        whole = found.get((number, WHOLE), Counter())
        for at, (start, end) in enumerate(trial.case.windows):
            # a row without a partition value is in no window
            expected = Counter(
                {row: count for row, count in whole.items() if row[0] and str(start) <= row[0][:10] < str(end)}
            )
            sliced = found.get((number, at), Counter())
            if sliced != expected:
                wrong.append(
                    f"{trial.case} with {dict(trial.verdict.bounds)}: from {start} to {end} "
                    f"it lacks {dict(expected - sliced)} and has too much {dict(sliced - expected)}"
                )
    return wrong


def _slicing(case: Case) -> Slicing:
    return Slicing("d", "d", "day", overrides=frozenset(case.overrides))


def _rows_of(number: int, at: int, query: str) -> str:
    columns = ", ".join(f"cast({name} as string) as {name}" for name in ("d", "ts", "id", "v"))
    return f"select {number} as trial, {at} as slice, {columns} from ({query}) as q{number}"


def _restricted(sql: str, bounds: Mapping[str, Bound], start: datetime.date, end: datetime.date) -> str:
    for name, bound in bounds.items():
        if bound.kind == "bounded":
            for side, edge in _edges(str(start), str(end), bound.before.iso, bound.after.iso).items():
                sql = sql.replace(f"[{name} {side}]", edge)
    return sql


@functools.cache
def _edges(start: str, end: str, before: str, after: str) -> dict[str, str]:
    """What is read of a source for a window, as the package's own macro writes it."""
    source = {"column": "event_date", "before": before, "after": after, "unit": "day", "week_start": "monday"}
    source |= {"data_type": "date", "format": None}  # type: ignore[dict-item]
    window = [f"{start}T00:00:00", f"{end}T00:00:00"]
    literals = {"low": "source_start", "high": "source_end"}
    found = {side: _macros.source_literal(name, source, window) for side, name in literals.items()}
    return {side: re.sub(r".*'(.*)'", r"\1", literal) for side, literal in found.items()}
