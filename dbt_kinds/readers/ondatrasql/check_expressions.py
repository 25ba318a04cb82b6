"""Expressions in checks, for Spark."""

from __future__ import annotations

import re

from sqlglot import exp

from dbt_kinds.codes import OndatraCode
from dbt_kinds.diagnostics import Code
from dbt_kinds.placeholders import Placeholders, is_placeholder
from dbt_kinds.readers.ondatrasql.arguments import Call, split_arguments, unquoted
from dbt_kinds.readers.ondatrasql.expansion import Expanded, expand, refused
from dbt_kinds.readers.ondatrasql.settings import Settings
from dbt_kinds.readers.table_placeholders import is_read_table
from dbt_kinds.translation.dialects import ParseFailure, parse_expression
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.predicates import is_predicate
from dbt_kinds.translation.remarks import Remark
from dbt_kinds.translation.target import SparkTarget

PLAIN_NAME = re.compile(r"[A-Za-z_]\w*")


class CheckProblem(Exception):  # noqa: N818 - becomes a finding with a place
    """A check that cannot be written: code and reason."""

    def __init__(self, code: Code, message: str) -> None:
        """`code` is that of the finding, `message` says what to write instead."""
        super().__init__(message)
        self.code, self.message = code, message


def invalid(call: Call, what: str) -> CheckProblem:
    """The error for a check with a wrong argument."""
    return CheckProblem(OndatraCode.InvalidCheck, f"{call.text}: {what}")


def items(found: list[str], call: Call) -> list[str]:
    """The items of a list, none of which may be empty."""
    if not found or not all(found):
        raise invalid(call, "its list is empty, or an item is; write 'a, b'")
    return found


class Expressions:
    """Reads the expressions of one check, by the rules of queries, except that they read no table.

    Attributes:
        placeholders: the meaning of placeholders in the expressions read so far.
        remarks: remarks on their translation.
    """

    def __init__(self, call: Call, settings: Settings, libraries: frozenset[str]) -> None:
        """`libraries` are the names of functions of `lib/`."""
        self.call, self.settings, self.libraries = call, settings, libraries
        self.placeholders = Placeholders()
        self.remarks: list[Remark] = []

    def column(self, text: str) -> str:
        """A column, or an expression that can be an operand, for Spark.

        Raises:
            CheckProblem: it is neither.
        """
        if not text:
            raise invalid(self.call, "a column is missing")
        if PLAIN_NAME.fullmatch(text):
            return text
        written = self.expression(text, is_operand=True)
        if is_placeholder(written):
            raise invalid(self.call, f"{text} is a value and no column")
        return written

    def columns(self, text: str) -> list[str]:
        """A list of them; an apostrophe in it is a quote, as in SQL."""
        return [self.column(part) for part in items(split_arguments(unquoted(text)), self.call)]

    def expression(self, text: str, *, is_operand: bool = False) -> str:
        """An expression for Spark; as an operand, it means the same next to any operator.

        Raises:
            CheckProblem: it cannot be written for Spark, or reads a table.
        """
        text = unquoted(text) if text.startswith("'") else text
        try:
            tree = parse_expression(text, "duckdb")
            if isinstance(tree, exp.Alias):
                raise invalid(self.call, f"'{text}' is an expression with a name; write the expression alone")
            return self._written(expand(tree, text, self.settings, self.placeholders), is_operand)
        except ParseFailure as failure:
            raise invalid(self.call, f"'{text}' is no expression of DuckDB's: {failure.message}") from failure
        except NotInSpark as problem:
            raise invalid(self.call, problem.message) from problem

    def _written(self, expanded: Expanded, is_operand: bool) -> str:
        if expanded.run_values:
            asked = f"getvariable('{min(expanded.run_values)}')"
            raise invalid(self.call, f"{asked} is a value of a run, which only queries have; write a literal")
        for problem in refused(expanded.tree, self.libraries):
            raise problem
        for table in expanded.tree.find_all(exp.Table):
            if is_read_table(table):
                name = ".".join(part.name for part in table.parts)
                remedy = f"write references(<column>, {name}, <its column>), or a generic test below tests/"
                raise invalid(self.call, f"it reads {name}, and an expression of a check reads no table; {remedy}")
        tree = expanded.tree
        if is_operand and (isinstance(tree, exp.Connector) or is_predicate(tree)):
            tree = exp.paren(tree)
        # as an item of a SELECT, no column can be mistaken for the first word of a statement
        translated = SparkTarget().translate(exp.select(tree), "duckdb", expanded.spoken)
        for remark in (*expanded.remarks, *translated.remarks):
            if remark.kind == "unknown function":
                raise invalid(self.call, remark.message)
            self.remarks.append(remark)
        return translated.text.removeprefix("SELECT ")
