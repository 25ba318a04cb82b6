"""Which functions of which dialects were compared with Spark's, and what is said of the others.

`function_tables/<dialect>.csv` says of each function whether it is written under the same name, rewritten, refused, or
kept with a note, by examples with what they give: those of DuckDB and Postgres as these engines answer, those of others
as their documentation prints them. The tests execute every example on Spark. `function_tables/not_compared.csv` has the
names that sqlglot knows in a dialect and that nobody has compared.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from sqlglot import Token, TokenType, exp

from dbt_kinds.translation.dialects import TRINO_FAMILY, dialect_of, is_spark
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.remarks import Remark

VERDICTS = ("same", "rewritten", "noted", "refused")
# dialects with a table of their own
COMPARED = ("bigquery", "duckdb", "mysql", "postgres", "redshift", "snowflake", "trino", "tsql")

# a name behind one of these is an alias with its columns, a table, or a type
_NO_CALL_BEHIND = frozenset(
    {
        *(TokenType.ALIAS, TokenType.DCOLON, TokenType.IDENTIFIER, TokenType.INTO, TokenType.RECURSIVE),
        *(TokenType.TABLE, TokenType.VAR, TokenType.VIEW, TokenType.WITH),
    }
)
_OPERATORS = frozenset(
    {
        *(TokenType.ALL, TokenType.ANY, TokenType.EXISTS, TokenType.GLOB, TokenType.ILIKE, TokenType.LIKE),
        *(TokenType.OFFSET, TokenType.RLIKE, TokenType.SOME, TokenType.TABLE),
    }
)
_TAKES_TYPE = frozenset({"CONVERT", "TRY_CONVERT"})
_FOLDER = Path(__file__).parent / "function_tables"
_LIKE = {**dict.fromkeys(TRINO_FAMILY, "trino"), "fabric": "tsql"}


class Example(NamedTuple):
    """What an expression, or a query, gives in its dialect.

    Attributes:
        gives: the rows, as the tests compare them; empty of what is refused or noted.
        evidence: `executed`, or the page that prints it; of what is refused or noted, why.
    """

    function: str
    verdict: str
    expression: str
    gives: str
    evidence: str


def examples(dialect: str) -> list[Example]:
    """The examples of a dialect's table; of one without a table none."""
    path = _FOLDER / f"{_LIKE.get(dialect, dialect)}.csv"
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as lines:
        return [Example(*row) for row in csv.reader(lines)][1:]


def not_compared(dialect: str) -> frozenset[str]:
    """The names that sqlglot knows in a dialect, and that are in no table."""
    with (_FOLDER / "not_compared.csv").open(encoding="utf-8", newline="") as lines:
        return frozenset(name for name, of in list(csv.reader(lines))[1:] if of == "all" or dialect in of.split())


def known_to_sqlglot(dialect: str) -> frozenset[str]:
    """The names of functions that sqlglot's parser of a dialect reads as something."""
    parser: Any = dialect_of(dialect).parser_class
    return frozenset({*parser.FUNCTIONS, *parser.FUNCTION_PARSERS})


def function_remarks(text: str, dialect: str) -> Iterator[Remark]:
    """What is to say about the functions that a query calls: one remark for all that were not compared.

    Raises:
        NotInSpark: Spark has no counterpart of one.
    """
    if is_spark(dialect) or not text:
        return
    verdicts = _verdicts(dialect)
    unknown: dict[str, int] = {}
    said: set[str] = set()
    for name, start in calls(text, dialect):
        row = verdicts.get(name)
        if row is None:
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
    """The functions that a text calls, by the names that are written, in capital letters, and where they stand."""
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
    """Whether a name before a parenthesis is an alias with its columns, a table, or a type."""
    before = tokens[number - 1].token_type if number else None
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
    return before in _NO_CALL_BEHIND or (before is TokenType.R_PAREN and not is_known)


def _at(name: str, start: int) -> exp.Expr:
    place = exp.Var(this=name)
    place.meta["start"] = start
    return place


@lru_cache(maxsize=32)
def _verdicts(dialect: str) -> Mapping[str, Example]:
    """A row for each function of a dialect's table but those of which nothing is known than forms that are refused."""
    return {row.function: row for row in examples(dialect) if row.verdict != "refused" or not row.expression}
