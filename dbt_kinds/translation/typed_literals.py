"""String literals beside values of another type: `coalesce(day, '9999-12-31')` is a date, and a text in Spark."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from dbt_kinds.translation.dialects import TRINO_FAMILY, is_spark
from dbt_kinds.translation.value_types import INTEGERS, NUMBERS, TIMES, type_of

# a text in MySQL, too; an error in Trino
_MAKES_TEXTS = TRINO_FAMILY | {"mysql"}
EMPTY_IS_ZERO = frozenset({"fabric", "tsql"})
_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.In, exp.Nullif)
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?")
_TIME = re.compile(_DATE.pattern + r"([ T]\d\d?:\d\d(:\d\d(\.\d+)?)?)?")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")


def type_literals(tree: exp.Expr, dialect: str) -> None:
    """Gives each such literal the type that the values beside it have."""
    if is_spark(dialect) or dialect in _MAKES_TEXTS:
        return
    beside = [*_beside_others(tree), *(_compared(tree) if dialect in EMPTY_IS_ZERO else ())]
    for literal, kind in beside:
        typed = _zero(kind) if dialect in EMPTY_IS_ZERO and not literal.name.strip() else _as(literal, kind)
        if typed is not None:
            literal.replace(typed)


def may_be_dates(node: exp.Expr, dialect: str) -> bool:
    """Whether a literal that looks like a date is beside values of unknown type only."""
    return _is_beside_unknown(node, dialect, _TIME)


def may_be_numbers(node: exp.Expr, dialect: str) -> bool:
    """Whether a literal of digits is beside values of unknown type only."""
    return _is_beside_unknown(node, dialect, _NUMBER)


def _is_beside_unknown(node: exp.Expr, dialect: str, pattern: re.Pattern[str]) -> bool:
    if is_spark(dialect) or dialect in _MAKES_TEXTS:
        return False
    values = _alternatives(node)
    others = [value for value in values if not value.is_string and not isinstance(value, exp.Null)]
    looks_like_one = any(pattern.fullmatch(value.name) for value in values if value.is_string)
    return looks_like_one and bool(others) and all(type_of(value) is None for value in others)


def _beside_others(tree: exp.Expr) -> Iterator[tuple[exp.Expr, exp.DType]]:
    for node in tree.walk():
        values = _alternatives(node)
        kinds = {type_of(value) for value in values if not value.is_string and not isinstance(value, exp.Null)}
        if len(kinds) != 1 and not (kinds and None not in kinds and kinds <= NUMBERS):
            continue
        kind = kinds.pop()
        if kind is not None:
            yield from ((value, kind) for value in values if value.is_string)


def _compared(tree: exp.Expr) -> Iterator[tuple[exp.Expr, exp.DType]]:
    """Empty texts that are compared with values of another type."""
    for node in tree.find_all(*_COMPARISONS):
        kind = type_of(node.this)
        for value in (node.args.get("expression"), *node.expressions):
            if kind is not None and value is not None and value.is_string and not value.name.strip():
                yield value, kind


def _zero(kind: exp.DType) -> exp.Expr | None:
    """What an empty text is beside a value of a type."""
    if kind in NUMBERS:
        return exp.Literal.number(0)
    if kind is exp.DType.BOOLEAN:
        return exp.false()
    if kind not in TIMES | {exp.DType.DATE}:
        return None
    day = exp.cast(exp.Literal.string("1900-01-01"), "date")
    return day if kind is exp.DType.DATE else exp.cast(day, "timestamp", dialect="spark")


def _alternatives(node: exp.Expr) -> list[exp.Expr]:
    """The values of which one is the result."""
    if isinstance(node, exp.Coalesce | exp.Greatest | exp.Least):
        values = [node.this, *node.expressions]
    elif isinstance(node, exp.Case):
        values = [*(branch.args.get("true") for branch in node.args["ifs"]), node.args.get("default")]
    elif isinstance(node, exp.If) and not isinstance(node.parent, exp.Case):
        values = [node.args.get("true"), node.args.get("false")]
    else:
        values = []
    return [value for value in values if isinstance(value, exp.Expr)]


def _as(literal: exp.Expr, kind: exp.DType) -> exp.Expr | None:
    if kind is exp.DType.DATE and _DATE.fullmatch(literal.name):
        return exp.cast(literal.copy(), "date")
    if kind in TIMES and _TIME.fullmatch(literal.name):
        return exp.cast(literal.copy(), "timestamp", dialect="spark")
    if kind in NUMBERS and _NUMBER.fullmatch(literal.name) and ("." not in literal.name or kind not in INTEGERS):
        number = exp.Literal.number(literal.name.lstrip("-"))
        return exp.Neg(this=number) if literal.name.startswith("-") else number
    return None
