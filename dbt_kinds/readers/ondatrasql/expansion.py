"""What queries and expressions of checks have in common: macros, variables, and constructs that are not converted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from sqlglot import TokenType, exp

from dbt_kinds.kinds import Jinja, Placeholder, Variable
from dbt_kinds.placeholders import Placeholders
from dbt_kinds.readers.ondatrasql.settings import Settings, write_macros_out
from dbt_kinds.translation.dialects import dialect_of
from dbt_kinds.translation.duckdb_only import duckdb_only
from dbt_kinds.translation.file_tables import is_file
from dbt_kinds.translation.functions import function_remarks
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.remarks import Remark

_OF_RUNS = {"incr_last_value": "last_value", "incr_last_run": "last_run", "incr_is_backfill": "is_backfill"}


@dataclass
class Expanded:
    """A tree with the project's macros expanded, and placeholders for variables.

    Attributes:
        spoken: the text with the names of macros and variables blanked out, because these are not functions.
        remarks: remarks on the expanded macros.
        run_values: the values known to runs that it asks for, by name.
    """

    tree: exp.Expr
    spoken: str
    remarks: list[Remark]
    run_values: set[str] = field(default_factory=set)


def expand(tree: exp.Expr, text: str, settings: Settings, placeholders: Placeholders) -> Expanded:
    """Expands macros and variables in a tree.

    Args:
        text: the tree's original text.
        placeholders: where the meaning of variables is recorded.

    Raises:
        NotInSpark: a call does not fit its macro, or a variable has no value.
    """
    remarks = list(_macro_remarks(tree, settings))
    spoken = _blanked(text, {*settings.macros, "getvariable"})
    expanded = Expanded(write_macros_out(tree, settings.macros), spoken, remarks)
    _put_variables(expanded, settings, placeholders)
    return expanded


def refused(tree: exp.Expr, libraries: frozenset[str]) -> Iterator[NotInSpark]:
    """Constructs that are not converted, each with what to write instead.

    Args:
        libraries: names of functions of `lib/`.
    """
    for node in tree.walk():
        only = duckdb_only(node)
        if only is not None:
            yield NotInSpark(only, node)
        elif isinstance(node, exp.Join) and (node.method or "").upper() == "ASOF":
            yield NotInSpark("ASOF JOIN has no counterpart in Spark; join on a range and keep the last row", node)
        elif isinstance(node, exp.SetOperation) and node.args.get("by_name"):
            yield NotInSpark("UNION BY NAME has no counterpart in Spark; write the columns of both sides out", node)
        elif isinstance(node, exp.Table) and is_file(node):
            message = f"{node.sql('duckdb')}: files are no part of a model; declare a source over them, or make a seed"
            yield NotInSpark(message, node)
        elif isinstance(node, exp.Anonymous) and node.name.lower() in libraries:
            message = f"{node.name} is a function of lib/; fetch by a Python model or a loader, and read its table"
            yield NotInSpark(message, node)


def _blanked(text: str, names: set[str]) -> str:
    """A text in which the names of some calls are blanked out, with all other characters unchanged."""
    tokens = dialect_of("duckdb").tokenize(text)
    for token, following in pairwise(tokens):
        if following.token_type is TokenType.L_PAREN and token.text.lower() in names:
            text = text[: token.start] + " " * (token.end + 1 - token.start) + text[token.end + 1 :]
    return text


def _macro_remarks(tree: exp.Expr, settings: Settings) -> Iterator[Remark]:
    """Remarks on the functions that macros call, at the call of the macro."""
    seen: set[str] = set()
    calls = [(call, call) for call in tree.find_all(exp.Anonymous)]
    while calls:
        call, place = calls.pop()
        macro = settings.macros.get(call.name.lower())
        if macro is None or macro.name in seen:
            continue
        seen.add(macro.name)
        calls += [(inner, place) for inner in macro.body.find_all(exp.Anonymous)]
        text = _blanked(macro.body.sql("duckdb"), {*settings.macros, "getvariable"})
        try:
            yield from (remark._replace(node=place) for remark in function_remarks(text, "duckdb"))
        except NotInSpark as problem:
            raise NotInSpark(f"{problem.message} (in the macro {macro.name})", place) from problem


def _put_variables(expanded: Expanded, settings: Settings, placeholders: Placeholders) -> None:
    """`getvariable('x')`: values known to runs, and the project's own variables."""
    for call in list(expanded.tree.find_all(exp.Anonymous)):
        if call.name.lower() != "getvariable":
            continue
        name = call.expressions[0].name if len(call.expressions) == 1 and call.expressions[0].is_string else ""
        placeholder: Placeholder
        if name.lower() in _OF_RUNS:
            placeholder = Jinja(f"{{{{ dbt_kinds.{_OF_RUNS[name.lower()]}() }}}}")
            expanded.run_values.add(name.lower())
        elif name.lower() in settings.variables:
            placeholder = Variable(name.lower(), isinstance(settings.variables[name.lower()], str))
        else:
            message = f"getvariable('{name}'): no file of config/ sets it to a literal; write the value, or such a line"
            raise NotInSpark(message, call)
        column = exp.column(placeholders.name_of(placeholder))
        if call is expanded.tree:
            expanded.tree = column
        else:
            call.replace(column)
