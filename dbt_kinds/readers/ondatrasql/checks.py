"""`@constraint`, `@audit` and `@warning` as generic tests: dbt's, the package's or the project's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dbt_kinds.codes import OndatraCode
from dbt_kinds.placeholders import Placeholders
from dbt_kinds.readers.ondatrasql.arguments import Call, unquoted, value_of
from dbt_kinds.readers.ondatrasql.check_expressions import PLAIN_NAME, CheckProblem, Expressions, invalid, items
from dbt_kinds.readers.ondatrasql.files import OwnTest
from dbt_kinds.readers.ondatrasql.findings import nearest
from dbt_kinds.readers.ondatrasql.settings import Settings
from dbt_kinds.readers.ondatrasql.types import type_of_text
from dbt_kinds.translation.dialects import ParseFailure
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.remarks import Remark

_OPERATORS = (">=", "<=", ">", "<", "=", "!=")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)")
_DURATION = re.compile(r"(?P<count>\d+)\s*(?P<unit>[hd])", re.IGNORECASE)
# these compare with the previous run, or with a file
_NOT_CARRIED = {
    "row_count_delta": "compares with the run before; write a dbt test over dbt_kinds.history",
    "sum_delta": "compares with the run before; write a dbt test over dbt_kinds.history",
    "mean_delta": "compares with the run before; write a dbt test over dbt_kinds.history",
    "golden": "compares with a file; make a seed of it and a test of two tables, such as dbt_utils.equality",
}


@dataclass
class Check:
    """A check as a generic test.

    Attributes:
        test: the test as YAML names it.
        column: the column under which it is declared; dbt's tests of this form take it as `column_name`.
        tables: arguments that name a table, as written.
        names: plain columns that the check reads.
        placeholders: the meaning of placeholders in column and arguments.
        remarks: remarks on the translation of its expressions.
    """

    test: str
    arguments: dict[str, Any] = field(default_factory=dict)
    column: str | None = None
    tables: dict[str, str] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    placeholders: Placeholders = field(default_factory=Placeholders)
    remarks: list[Remark] = field(default_factory=list)


@dataclass
class Checks:
    """The available checks: the tool's, and the project's own tests.

    Attributes:
        settings: macros and variables of the project.
        libraries: names of functions of `lib/`.
    """

    own: Mapping[str, OwnTest] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)
    libraries: frozenset[str] = frozenset()

    def read(self, call: Call) -> Check:
        """A check as a test.

        Raises:
            CheckProblem: it is unknown, its arguments are wrong, or dbt has no equivalent.
        """
        name = call.name.lower()
        own = self.own.get(call.name) or self.own.get(name)
        if own is not None:
            return _own(own, call)
        if name in _NOT_CARRIED:
            raise CheckProblem(OndatraCode.NotCarried, f"{name} {_NOT_CARRIED[name]}")
        expressions = Expressions(call, self.settings, self.libraries)
        if name == "approaching_limit":
            return _with_placeholders(self._approaching_limit(call, expressions), expressions)
        known = _CHECKS.get(name)
        if known is None:
            hint = nearest(name, [*_CHECKS, *self.own])
            raise CheckProblem(
                OndatraCode.UnknownCheck, f"{call.name} is no check{hint}, and no test below tests/ has that name"
            )
        if len(call.arguments) != len(known.parameters):
            wanted = f"{name}({', '.join(known.parameters)})"
            raise CheckProblem(
                OndatraCode.InvalidCheck, f"{call.text} has {len(call.arguments)} arguments; write {wanted}"
            )
        read = [_read(kind, text, expressions) for kind, text in zip(known.parameters, call.arguments, strict=True)]
        made = _with_placeholders(known.make(*read), expressions)
        columns = [argument for kind, argument in zip(known.parameters, read, strict=True) if kind in _COLUMNS]
        made.names = [column for column in columns if PLAIN_NAME.fullmatch(column)]
        return made

    def _approaching_limit(self, call: Call, expressions: Expressions) -> Check:
        limit = self.settings.variables.get("alert_amount_threshold")
        if len(call.arguments) != 1:
            raise CheckProblem(OndatraCode.InvalidCheck, f"{call.text}: write approaching_limit(column)")
        if not isinstance(limit, int | float):
            message = "approaching_limit needs the variable alert_amount_threshold as a number; use max(column, <=, n)"
            raise CheckProblem(OndatraCode.NotCarried, message)
        return _aggregate(f"max({expressions.column(call.arguments[0])})", "<=", limit * 0.9, null_passes=True)


def _own(own: OwnTest, call: Call) -> Check:
    if len(call.arguments) > len(own.parameters):
        wanted = f"{own.name}({', '.join(own.parameters)})"
        raise CheckProblem(
            OndatraCode.InvalidCheck, f"{call.text} has too many arguments for the test of {own.path}: {wanted}"
        )
    return Check(own.name, {name: value_of(text) for name, text in zip(own.parameters, call.arguments, strict=False)})


def _with_placeholders(check: Check, expressions: Expressions) -> Check:
    check.placeholders, check.remarks = expressions.placeholders, expressions.remarks
    return check


def _read(kind: str, text: str, expressions: Expressions) -> Any:
    """An argument by the kind of its parameter."""
    if kind in _COLUMNS:
        return expressions.column(text)
    if kind == "columns":
        return expressions.columns(text)
    if kind in _EXPRESSIONS:
        return expressions.expression(text)
    return _READ[kind](text, expressions.call)


def _operator(text: str, call: Call) -> str:
    if text not in _OPERATORS:
        raise invalid(call, f"'{text}' is no comparison; write one of {' '.join(_OPERATORS)}")
    return text


def _number(text: str, call: Call) -> int | float:
    if not _NUMBER.fullmatch(text):
        raise invalid(call, f"'{text}' is no number")
    value = float(text)
    return int(text) if value.is_integer() and "." not in text else value


def _count(text: str, call: Call) -> int:
    if not re.fullmatch(r"\d+", text):
        raise invalid(call, f"'{text}' is no whole number from 0 up")
    return int(text)


def _fraction(text: str, call: Call) -> float:
    value = _number(text, call)
    if value < 0 or value > 1:
        raise invalid(call, f"'{text}' is not between 0 and 1; write 0.95 for 95 percent")
    return value


def _value(text: str, call: Call) -> int | float | str:
    """A number, or else a string as SQL; words without quotes are strings, too."""
    if _NUMBER.fullmatch(text):
        return _number(text, call)
    if not text:
        raise invalid(call, "a value is missing; write '' for the empty text")
    return f"'{_in_quotes(unquoted(text))}'"


def _in_quotes(text: str) -> str:
    """A text as Spark writes it between quotes."""
    return text.replace("\\", "\\\\").replace("'", "\\'")


def _text(text: str, call: Call) -> str:
    return unquoted(text)


def _values(text: str, call: Call) -> list[str]:
    return items([unquoted(part.strip()) for part in unquoted(text).split(",")], call)


def _age(text: str, call: Call) -> str:
    found = _DURATION.fullmatch(unquoted(text))
    if found is None:
        raise invalid(call, f"'{text}' is no age; write hours or days, as 24h or 7d")
    return f"{found['count']} {'hours' if found['unit'].lower() == 'h' else 'days'}"


def _type(text: str, call: Call) -> str:
    try:
        return type_of_text(unquoted(text))
    except (ParseFailure, NotInSpark) as error:
        raise invalid(call, f"'{text}' is no type that Spark has, too") from error


_READ: dict[str, Callable[[str, Call], Any]] = {
    "op": _operator,
    **dict.fromkeys(("number", "percent", "threshold"), _number),
    **dict.fromkeys(("n", "min", "max", "step"), _count),
    "fraction": _fraction,
    **dict.fromkeys(("value", "low", "high"), _value),
    **dict.fromkeys(("pattern", "regex", "table", "their_column"), _text),
    "values": _values,
    "label": _text,
    "age": _age,
    "type": _type,
}
_COLUMNS = frozenset({"column", "start", "end"})
_EXPRESSIONS = frozenset({"condition", "expression"})


def _aggregate(aggregate: str, operator: str, value: Any, *, null_passes: bool = False) -> Check:
    arguments = {"aggregate": aggregate, "operator": operator, "value": value}
    return Check("dbt_kinds.aggregate_compares", arguments | ({"null_passes": True} if null_passes else {}))


def _forall(condition: str) -> Check:
    return Check("dbt_kinds.forall", {"criteria": [condition]})


def _row_count(operator: str, count: int) -> Check:
    if operator == ">" or (operator == ">=" and count > 0):
        return Check("dbt_kinds.number_of_rows", {"threshold": count - (operator == ">=")})
    return _aggregate("count(*)", operator, count)


def _of(aggregate: str, *, null_passes: bool = False) -> Callable[[str, str, Any], Check]:
    def make(column: str, operator: str, value: Any) -> Check:
        return _aggregate(aggregate.format(column), operator, value, null_passes=null_passes)

    return make


def _share(counted: str) -> Callable[[str, int | float], Check]:
    """A share in percent that must be less; without rows there is none."""

    def make(column: str, percent: int | float) -> Check:
        share = f"100.0 * ({counted.format(column)}) / nullif(count(*), 0)"
        return _aggregate(share, "<", percent, null_passes=True)

    return make


def _on(test: str, argument: str | None = None) -> Callable[..., Check]:
    """A test of the package on one column, with one more argument."""

    def make(column: str, *values: Any) -> Check:
        return Check(f"dbt_kinds.{test}", {"column": column, **({argument: values[0]} if argument else {})})

    return make


def _escaped(pattern: str) -> str:
    """DuckDB's LIKE has no escape character, Spark's has the backslash."""
    return pattern.replace("\\", "\\\\")


@dataclass(frozen=True)
class _Known:
    parameters: tuple[str, ...]
    make: Callable[..., Check]


_COMPARED = ("column", "op", "value")
_CHECKS = {
    "not_null": _Known(("column",), lambda c: Check("not_null", column=c)),
    "unique": _Known(("column",), _on("unique_values")),
    "primary_key": _Known(("column",), lambda c: Check("dbt_kinds.primary_key", {"columns": [c]})),
    "composite_unique": _Known(
        ("columns",), lambda c: Check("dbt_kinds.unique_combination_of_columns", {"columns": c})
    ),
    "not_empty": _Known(("column",), lambda c: _forall(f"{c} is not null and trim(cast({c} as string)) <> ''")),
    "compare": _Known(_COMPARED, lambda c, op, v: _forall(f"{c} {op} {v}")),
    "between": _Known(
        ("column", "low", "high"),
        lambda c, low, high: Check("dbt_kinds.accepted_range", {"column": c, "min_v": low, "max_v": high}),
    ),
    # dbt puts quotes around the values, and escapes nothing
    "in_list": _Known(
        ("column", "values"),
        lambda c, values: Check("accepted_values", {"values": [_in_quotes(value) for value in values]}, column=c),
    ),
    "not_in": _Known(("column", "values"), _on("not_accepted_values", "is_in")),
    "like": _Known(
        ("column", "pattern"),
        lambda c, p: Check("dbt_kinds.match_like_pattern_list", {"column": c, "patterns": [_escaped(p)]}),
    ),
    "not_like": _Known(
        ("column", "pattern"),
        lambda c, p: Check("dbt_kinds.not_match_like_pattern_list", {"column": c, "patterns": [_escaped(p)]}),
    ),
    # the whole string must match
    "matches": _Known(
        ("column", "regex"),
        lambda c, r: Check("dbt_kinds.match_regex_pattern_list", {"column": c, "patterns": [rf"\A(?:{r})\z"]}),
    ),
    "email": _Known(("column",), _on("valid_email")),
    "uuid": _Known(("column",), _on("valid_uuid")),
    "length_between": _Known(
        ("column", "min", "max"),
        lambda c, low, high: Check("dbt_kinds.string_length_between", {"column": c, "min_v": low, "max_v": high}),
    ),
    "length_eq": _Known(("column", "n"), _on("string_length_equal", "v")),
    "references": _Known(
        ("column", "table", "their_column"),
        lambda c, table, theirs: Check("relationships", {"field": theirs}, column=c, tables={"to": table}),
    ),
    "check": _Known(("label", "expression"), lambda label, e: _forall(e)),
    "required_if": _Known(("column", "condition"), lambda c, when: _forall(f"not ({when}) or {c} is not null")),
    # fails without rows, like all aggregates
    "at_least_one": _Known(("column",), lambda c: _aggregate(f"count({c})", ">", 0)),
    "not_constant": _Known(("column",), _on("not_constant")),
    "null_percent": _Known(("column", "percent"), _share("count(*) - count({0})")),
    "duplicate_percent": _Known(("column", "percent"), _share("count(*) - count(distinct {0})")),
    "distinct_count": _Known(("column", "op", "n"), _of("count(distinct {0})")),
    "sequential": _Known(("column",), _on("no_gaps")),
    "sequential_step": _Known(("column", "step"), _on("no_gaps", "step")),
    "no_overlap": _Known(
        ("start", "end"),
        lambda start, end: Check("dbt_kinds.no_overlapping_ranges", {"start_column": start, "end_column": end}),
    ),
    "valid_type": _Known(("column", "type"), lambda c, t: _forall(f"{c} is null or try_cast({c} as {t}) is not null")),
    "no_nan": _Known(("column",), lambda c: _forall(f"not isnan({c})")),
    "finite": _Known(("column",), lambda c: _forall(f"not isnan({c}) and abs({c}) < double('infinity')")),
    "row_count": _Known(("op", "n"), _row_count),
    "freshness": _Known(
        ("column", "age"),
        lambda c, age: _aggregate(f"max(cast({c} as timestamp))", ">=", f"current_timestamp() - interval {age}"),
    ),
    "mean": _Known(_COMPARED, _of("avg({0})")),
    "mean_between": _Known(
        ("column", "low", "high"), lambda c, low, high: _aggregate(f"avg({c})", "between", [low, high])
    ),
    "stddev": _Known(("column", "threshold"), lambda c, most: _aggregate(f"stddev_samp({c})", "<", most)),
    "min": _Known(_COMPARED, _of("min({0})")),
    "max": _Known(_COMPARED, _of("max({0})")),
    "sum": _Known(_COMPARED, _of("sum({0})")),
    "median": _Known(_COMPARED, _of("percentile({0}, 0.5)")),
    "percentile": _Known(
        ("column", "fraction", "op", "value"),
        lambda c, f, op, v: _aggregate(f"percentile({c}, {f})", op, v, null_passes=True),
    ),
    "zscore": _Known(("column", "threshold"), _on("z_score", "threshold")),
    "entropy": _Known(
        ("column", "op", "number"),
        lambda c, op, v: Check("dbt_kinds.entropy", {"column": c, "operator": op, "value": v}),
    ),
    "low_entropy": _Known(
        ("column", "number"),
        lambda c, v: Check("dbt_kinds.entropy", {"column": c, "operator": ">=", "value": v}),
    ),
    "approx_distinct": _Known(("column", "op", "n"), _of("approx_count_distinct({0})")),
    "cardinality": _Known(("column", "op", "n"), _of("approx_count_distinct({0})")),
    "reconcile_count": _Known(
        ("table",),
        lambda table: Check("dbt_kinds.aggregate_reconciles", {"aggregate": "count(*)"}, tables={"to": table}),
    ),
    "reconcile_sum": _Known(
        ("column", "table", "their_column"),
        lambda c, table, theirs: Check(
            "dbt_kinds.aggregate_reconciles",
            {"aggregate": f"sum({c})", "their_aggregate": f"sum({theirs})"},
            tables={"to": table},
        ),
    ),
    # a missing column fails the statement
    "column_exists": _Known(("column",), lambda c: _aggregate(f"count({c})", ">=", 0)),
    "column_type": _Known(
        ("column", "type"), lambda c, t: _aggregate(f"max(typeof({c}))", "=", f"'{t}'", null_passes=True)
    ),
}


def names_of(checks: Iterable[str]) -> list[str]:
    """Unique names for checks, from their texts; repeated ones get a number appended."""
    seen: dict[str, int] = {}
    names = []
    for text in checks:
        seen[text] = seen.get(text, 0) + 1
        names.append(text if seen[text] == 1 else f"{text} {seen[text]}")
    return names
