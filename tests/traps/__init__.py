"""Expressions and queries whose meaning differs between dialects, with their values: one file per dialect.

A line is `expression => values`; one without SELECT is selected from the table t, in the order of k. What is not
converted to the same values ends with what is done about it: `-- untyped noted`, `-- refused`; `same/fails` if ANSI mode
decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from sqlglot import exp

from dbt_kinds.translation.dialects import ParseFailure, parse_statement
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.star_expansion import Columns
from dbt_kinds.translation.target import SparkTarget

FOLDER = Path(__file__).parent
DIALECTS = sorted(path.stem for path in FOLDER.glob("*.txt"))

TYPES = {
    **{"k": "int", "i": "int", "j": "int", "b": "boolean", "d": "double", "f": "float", "m": "decimal(10, 2)"},
    **{"s": "string", "n": "string", "dt": "date", "ts": "timestamp", "l": "array<int>", "js": "string"},
}
_JSON = '{"a": 1, "b": "x", "c": null, "l": [1, 2, 3], "o": {"p": true}}'
ROWS = [
    f"1, 7, 2, true, 2.5, 0.1, 1.50, 'a%b', '12', '2024-01-31', '2024-01-31 23:30:15.5', LIST(3, 1, null), '{_JSON}'",
    """2, -7, 2, false, -2.5, 2.5, -2.50, '', '12.7', '2024-02-29', '2024-02-29 00:00:00', LIST(), '{"a": "1"}'""",
    "3, 0, 0, null, 0.0, 0.0, 0.00, 'Äé x', 'no', '2023-12-31', '2023-12-31 12:00:00', LIST(2, 2), '{}'",
    "4, null, null, null, null, null, null, null, null, null, null, null, null",
    "5, 5, -3, true, 1234567.891, -1.5, 99.99, 'a,b,,c', '', '1969-12-31', '1969-12-31 23:59:59', LIST(9), "
    """'[1, {"a": 2}]'""",
]


class Trap(NamedTuple):
    """A line of a file.

    Attributes:
        typed: what is done if the types of the columns are declared: `same`, `noted` or `refused`.
        untyped: the same if they are not.
    """

    dialect: str
    query: str
    values: str
    typed: str = "same"
    untyped: str = "same"


def table(list_of: str, text: str) -> str:
    """The query of the table t, with an engine's names of a list and of a string."""
    kinds = {"array<int>": "int[]" if list_of == "list_value" else "array<int>", "string": text}
    columns = [f"cast({name} as {kinds.get(kind, kind)}) as {name}" for name, kind in TYPES.items()]
    rows = ", ".join(f"({row.replace('LIST(', f'{list_of}(')})" for row in ROWS)
    return f"select {', '.join(columns)} from (values {rows}) as v ({', '.join(TYPES)})"


def columns_of(found: exp.Table) -> Columns | None:
    """The declared columns of t."""
    return [(name, exp.DataType.build(kind, dialect="spark")) for name, kind in TYPES.items()]


def names_of(found: exp.Table) -> Columns | None:
    """The columns of t without types."""
    return [(name, None) for name in TYPES]


KNOWN: dict[str, Callable[[exp.Table], Columns | None]] = {"typed": columns_of, "untyped": names_of}


def traps(dialect: str) -> Iterator[Trap]:
    """The traps of a dialect's file."""
    text = (FOLDER / f"{dialect}.txt").read_text(encoding="utf-8")
    waiting: list[str] = []
    for line in text.split("\n"):
        if not line.strip() or line.startswith("#"):
            assert not waiting, f"no values: {waiting}"
            continue
        query, arrow, rest = line.rpartition(" => ")
        waiting.append(query.strip())
        if arrow:
            values, _, done = rest.partition(" -- ")
            yield Trap(dialect, _whole(" ".join(waiting)), values.strip(), *_done(done.strip()))
            waiting = []


def _whole(expression: str) -> str:
    is_query = re.match(r"(select|with|from)\b", expression, re.IGNORECASE)
    return expression if is_query else f"select {expression} from t order by k"


def _done(said: str) -> list[str]:
    words = {part.split()[0]: part.split()[-1] for part in said.split(", ") if part}
    both = next((word for word in words if word not in ("typed", "untyped")), "same")
    return [words.get("typed", both), words.get("untyped", both)]


class Conversion(NamedTuple):
    """A trap as Spark SQL, with remarks, or the reason of a refusal."""

    text: str
    remarks: tuple[str, ...]
    refusal: str


def converted(trap: Trap, known: str) -> Conversion:
    """Converts a trap with a kind of columns."""
    columns_of = KNOWN[known]
    try:
        tree = parse_statement(trap.query, trap.dialect)
        remarks = SparkTarget().resolve(tree, trap.dialect, columns_of)
        made = SparkTarget().translate(tree, trap.dialect, trap.query)
    except (NotInSpark, ParseFailure) as problem:
        return Conversion("", (), problem.message)
    said = (remark.message for remark in (*remarks, *made.remarks) if remark.kind not in ("not compared", "unnamed"))
    return Conversion(made.text, tuple(said), "")


def shown(rows: list[Any]) -> str:
    """Rows as the files have them."""
    return ", ".join(_shown(row[0]) if len(row) == 1 else f"({', '.join(map(_shown, row))})" for row in rows)


def _shown(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float | Decimal):
        return f"{float(value):.12g}" if value else "0"
    if isinstance(value, timedelta):
        return f"{value.total_seconds():.12g} s"
    if isinstance(value, datetime):
        return value.isoformat(" ").removesuffix("+00:00").removesuffix(" 00:00:00").removesuffix("00000")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes | bytearray | memoryview):
        return f"x'{bytes(value).hex()}'"
    if hasattr(value, "asDict"):
        value = value.asDict()
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {_shown(item)}' for key, item in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_shown, value))}]"
    return f"'{value}'"
