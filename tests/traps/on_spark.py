"""Runs the traps on Spark, and says of each what became of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from pyspark.sql import SparkSession

from dbt_kinds.translation.dialects import parse_statement
from tests.traps import KNOWN, Conversion, Trap, converted, shown, table, traps

ANSI = ("false", "true")
_PLAIN = re.compile(r"SELECT (?P<value>.*?)( AS (\w+|`[^`]*`))? FROM t ORDER BY k( NULLS (FIRST|LAST))?", re.DOTALL)
_AT_ONCE = 25
# tables of five rows are not worth a compiler
_SETTINGS = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}


class Cell(NamedTuple):
    """What became of a trap: `same`, `noted`, `refused`, `silent` for other values, or `fails`, and its Spark SQL."""

    outcome: str
    detail: str
    text: str


class Outcome(NamedTuple):
    """What became of a trap for each kind of columns, without and with ANSI mode."""

    trap: Trap
    cells: Mapping[str, Cell]


class Runner:
    """Runs queries over t on Spark, many at once where they are values of its rows."""

    def __init__(self, session: SparkSession) -> None:
        self.session = session
        for name, value in _SETTINGS.items():
            session.conf.set(name, value)
        session.sql(table("array", "string")).createOrReplaceTempView("t_made")
        rows = session.table("t_made").collect()
        session.createDataFrame(rows, session.table("t_made").schema).coalesce(1).createOrReplaceTempView("t")

    def close(self) -> None:
        """Leaves the session as it was."""
        for name in ("spark.sql.ansi.enabled", *_SETTINGS):
            self.session.conf.unset(name)
        self.session.catalog.dropTempView("t")
        self.session.catalog.dropTempView("t_made")

    def outcomes(self, dialect: str) -> list[Outcome]:
        found = list(traps(dialect))
        made = {(trap, known): converted(trap, known) for trap in found for known in KNOWN}
        texts = list(dict.fromkeys(one.text for one in made.values() if one.text))
        values = {ansi: self.values(texts, ansi) for ansi in ANSI}
        return [
            Outcome(
                trap,
                {
                    f"{known}, ansi {ansi}": cell(trap, made[trap, known], values[ansi])
                    for known in KNOWN
                    for ansi in ANSI
                },
            )
            for trap in found
        ]

    def values(self, texts: list[str], ansi: str) -> dict[str, str]:
        self.session.conf.set("spark.sql.ansi.enabled", ansi)
        plain = {text: match["value"] for text in texts if (match := _PLAIN.fullmatch(text)) and _is_plain(text)}
        found = dict(self.together(list(plain), plain))
        return {text: found.get(text) or self.alone(text) for text in texts}

    def together(self, texts: list[str], values: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        for start in range(0, len(texts), _AT_ONCE):
            yield from self._halves(texts[start : start + _AT_ONCE], values)

    def _halves(self, texts: list[str], values: Mapping[str, str]) -> Iterable[tuple[str, str]]:
        if len(texts) == 1:
            return [(texts[0], self.alone(texts[0]))]
        named = ", ".join(f"({values[text]}) AS _{number}" for number, text in enumerate(texts))
        try:
            rows = self.session.sql(f"SELECT {named} FROM t ORDER BY k").collect()
        except Exception:
            middle = len(texts) // 2
            return [*self._halves(texts[:middle], values), *self._halves(texts[middle:], values)]
        return [(text, shown([(row[number],) for row in rows])) for number, text in enumerate(texts)]

    def alone(self, text: str) -> str:
        try:
            return shown(self.session.sql(text).collect())
        except Exception as error:
            return f"! {str(error).strip().split(chr(10))[0][:300]}"


def _is_plain(text: str) -> bool:
    items = parse_statement(text, "spark").expressions
    return len(items) == 1 and not re.search(r"EXPLODE|INLINE|STACK", text)


def cell(trap: Trap, made: Conversion, values: Mapping[str, str]) -> Cell:
    if made.refusal:
        return Cell("refused", made.refusal, "")
    found = values[made.text]
    if found.startswith("! "):
        return Cell("noted" if made.remarks else "fails", f"{found} {made.remarks}", made.text)
    if found == trap.values:
        return Cell("same", "", made.text)
    return Cell("noted" if made.remarks else "silent", f"{found} {made.remarks or ''}", made.text)


def unexpected(outcome: Outcome) -> Iterator[tuple[str, str, Cell]]:
    """The cells that are not what the trap's line says, with their columns, and what it says."""
    for columns, found in outcome.cells.items():
        said = getattr(outcome.trap, columns.split(",")[0])
        if found.outcome not in said.split("/"):
            yield columns, said, found
