"""Which functions of which dialects were compared with Spark's, and remarks on the others.

`function_tables/<dialect>.csv` says for each function whether it is kept under its name, rewritten, refused, or kept
with a note, by examples with results: for DuckDB and Postgres as returned by these engines, for others as printed in
their documentation. The tests execute every example on Spark. `function_tables/not_compared.csv` has the names that
sqlglot knows in a dialect and that have not been compared.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from sqlglot import Token, TokenType, exp

from dbt_kinds.translation.dialects import TRINO_FAMILY, dialect_of, is_spark
from dbt_kinds.translation.file_tables import FILE_READERS
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.remarks import Remark

VERDICTS = ("same", "rewritten", "noted", "refused")
# dialects with their own table
COMPARED = ("bigquery", "duckdb", "mysql", "postgres", "redshift", "snowflake", "trino", "tsql")

# of which other passes leave nothing
_NOT_CALLED = frozenset({*FILE_READERS, "COLUMNS", "ORDINAL", "SAFE_OFFSET", "SAFE_ORDINAL"})
# a name after one of these is an alias with columns, a table, or a type
_NO_CALL_BEHIND = frozenset(
    {
        *(TokenType.ALIAS, TokenType.DCOLON, TokenType.EXISTS, TokenType.IDENTIFIER, TokenType.INTO),
        *(TokenType.RECURSIVE, TokenType.TABLE, TokenType.VAR, TokenType.VIEW, TokenType.WITH),
    }
)
_OPERATORS = frozenset(
    {
        *(TokenType.ALL, TokenType.ANY, TokenType.EXISTS, TokenType.GLOB, TokenType.ILIKE, TokenType.INTERVAL),
        *(TokenType.LIKE, TokenType.OFFSET, TokenType.RLIKE, TokenType.SOME, TokenType.TABLE),
    }
)
_TAKES_TYPE = frozenset({"CONVERT", "TRY_CONVERT"})
# what changes a star: `* EXCLUDE (a)`
_BEHIND_STAR = frozenset({"EXCLUDE", "RENAME", "REPLACE"})
_FOLDER = Path(__file__).parent / "function_tables"
_LIKE = {**dict.fromkeys(TRINO_FAMILY, "trino"), "fabric": "tsql"}


class Example(NamedTuple):
    """The result of an expression or query in its dialect.

    Attributes:
        gives: the rows, as compared by the tests; empty if refused or noted.
        evidence: `executed`, or the page that prints it; if refused or noted, the reason.
    """

    function: str
    verdict: str
    expression: str
    gives: str
    evidence: str


def examples(dialect: str) -> list[Example]:
    """The examples in a dialect's table; empty for one without a table."""
    path = _FOLDER / f"{_LIKE.get(dialect, dialect)}.csv"
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as lines:
        return [Example(*row) for row in csv.reader(lines)][1:]


def not_compared(dialect: str) -> frozenset[str]:
    """The names that sqlglot knows in a dialect and that are in no table."""
    with (_FOLDER / "not_compared.csv").open(encoding="utf-8", newline="") as lines:
        return frozenset(name for name, of in list(csv.reader(lines))[1:] if of == "all" or dialect in of.split())


def known_to_sqlglot(dialect: str) -> frozenset[str]:
    """The names of functions with a special meaning to sqlglot's parser of a dialect."""
    parser: Any = dialect_of(dialect).parser_class
    return frozenset({*parser.FUNCTIONS, *parser.FUNCTION_PARSERS})


def function_remarks(text: str, dialect: str) -> Iterator[Remark]:
    """Remarks on the functions that a query calls, with one remark for all that were not compared.

    Raises:
        NotInSpark: Spark has no counterpart for one of them.
    """
    if is_spark(dialect) or not text:
        return
    verdicts = _verdicts(dialect)
    unknown: dict[str, int] = {}
    said: set[str] = set()
    for name, start in calls(text, dialect):
        row = verdicts.get(name)
        if row is None:
            if name not in _NOT_CALLED:
                unknown.setdefault(name, start)
        elif row.verdict == "refused":
            raise NotInSpark(f"{name} of {dialect}: {row.evidence}", _at(name, start))
        elif row.verdict == "noted" and name not in said:
            said.add(name)
            yield Remark("differs", f"{name} of {dialect}: {row.evidence}", _at(name, start))
    if unknown:
        names = ", ".join(sorted(unknown))
        message = f"{names} of {dialect or 'plain SQL'} {'was' if len(unknown) == 1 else 'were'} not compared with"
        yield Remark(
            "not compared", f"{message} Spark's; look at what is written for it", _at(*next(iter(unknown.items())))
        )


def calls(text: str, dialect: str) -> Iterator[tuple[str, int]]:
    """The functions called in a text, by upper-case name as written, with their positions."""
    of = dialect_of(dialect)
    parser: Any = of.parser_class
    known = known_to_sqlglot(dialect)
    tokens = of.tokenize(text)
    for number, token in enumerate(tokens):
        kind = token.token_type
        name = token.text.upper()
        is_opened = number + 1 < len(tokens) and tokens[number + 1].token_type is TokenType.L_PAREN
        if is_opened and (kind is TokenType.VAR or (kind in parser.FUNC_TOKENS and kind not in _OPERATORS)):
            is_named = kind is TokenType.VAR or name in known or kind in parser.TYPE_TOKENS
            if is_named and not _is_alias(tokens, number, is_known=name in known):
                yield name, token.start
        elif kind in parser.NO_PAREN_FUNCTIONS and not is_opened:
            yield name, token.start


def _is_alias(tokens: Sequence[Token], number: int, *, is_known: bool) -> bool:
    """Whether a name before a parenthesis is an alias with columns, a table, or a type."""
    before = tokens[number - 1].token_type if number else None
    if before is TokenType.DOT:
        return _is_written_table(tokens, number)
    if before is TokenType.COMMA and not is_known:
        # a further CTE
        depth = 0
        for position in range(number + 1, len(tokens) - 1):
            depth += {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}.get(tokens[position].token_type, 0)
            if depth == 0:
                return tokens[position + 1].token_type is TokenType.ALIAS and (
                    position + 2 < len(tokens) and tokens[position + 2].token_type is TokenType.L_PAREN
                )
    if number > 1 and before is TokenType.L_PAREN and tokens[number - 2].text.upper() in _TAKES_TYPE:
        return True
    if before is TokenType.STAR and tokens[number].text.upper() in _BEHIND_STAR:
        return True
    # count(*) filter (where …)
    if before is TokenType.R_PAREN and number + 2 < len(tokens) and tokens[number + 2].token_type is TokenType.WHERE:
        return True
    return before in _NO_CALL_BEHIND or (before is TokenType.R_PAREN and not is_known)


def _is_written_table(tokens: Sequence[Token], number: int) -> bool:
    """Whether the last part of a name is that of a table that is made or written: `insert into db.t (a) …`."""
    while number > 1 and tokens[number - 1].token_type is TokenType.DOT:
        number -= 2
    return number > 0 and tokens[number - 1].token_type in (TokenType.EXISTS, TokenType.INTO, TokenType.TABLE)


def _at(name: str, start: int) -> exp.Expr:
    place = exp.Var(this=name)
    place.meta["start"] = start
    return place


@lru_cache(maxsize=32)
def _verdicts(dialect: str) -> Mapping[str, Example]:
    """One row per function in a dialect's table, except those of which only refused forms are known."""
    return {row.function: row for row in examples(dialect) if row.verdict != "refused" or not row.expression}
