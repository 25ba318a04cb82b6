"""Variables of a run that reach the query: from the model, a macro, an ephemeral parent or the environment.

A kind records what it loaded. What a variable chooses to read is not in that record, so that each must be a constant
of the project, or a bound that becomes the window.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime

from sqlglot import exp

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left, UnrenderableError
from dbt_kinds.migrate.bounds import asks_now, read_bound, truncation
from dbt_kinds.migrate.column_types import DATE_NAME, TIME_NAME
from dbt_kinds.migrate.conditions import Comparison
from dbt_kinds.migrate.filters import prints_conditions
from dbt_kinds.migrate.parents import Parents, Query, switching
from dbt_kinds.migrate.reading import Reading
from dbt_kinds.migrate.settings import Settings
from dbt_kinds.migrate.substitution import Template
from dbt_kinds.readers.dbt.rendering import Names
from dbt_kinds.readers.dbt.tags import line_of, tags

_VARIABLE = re.compile(r"kinds_var_\d+\b")
_CODE = re.compile(r"kinds_code_\d+\b")
# names of templates that tell the time of a run
CLOCKS = frozenset({"run_started_at", "modules", "dbt_date"})
_DATE = re.compile(r"(?:19|20)\d{2}[-/.]?\d{2}(?:[-/.]?\d{2}(?:[T ]\d.*)?)?|.*\{\{.*")
_DECIDING = (exp.Where, exp.Having, exp.Qualify, exp.Join, exp.From, exp.Limit)


def check_switches(reading: Reading, dialect: str) -> None:
    """Checks that no variable switches the query, or an ephemeral model that it reads; those that choose another filter
    are noted.

    Raises:
        Left (VariableUsedElsewhere): one does.
    """
    text = reading.model.text
    switches = switching(reading.renderer, _without_choices(reading, dialect))
    found = [(variable, "", _line_of_variable(text, variable)) for variable in switches]
    for query in _inlined(reading):
        found += [(variable, f" in the ephemeral model {query.name}", 1) for variable in query.switches]
    for variable, where, line in found:
        raise Left(
            MigrateCode.VariableUsedElsewhere,
            f"the variable {variable} switches what the query reads{where}: a kind records an interval once, whatever "
            "it was; keep one of the two queries, or make two models",
            line=line,
        )


def _without_choices(reading: Reading, dialect: str) -> str:
    """The text without the filters of which a variable chooses the conditions."""
    text = reading.model.text
    for found in sorted(reading.filters, key=lambda one: one.block.start, reverse=True):
        variables = _choosing(reading, text[found.block.start : found.block.end], dialect)
        if variables:
            reading.replaced |= variables
            text = text[: found.block.start] + found.marked + text[found.block.end :]
    return text


def _choosing(reading: Reading, piece: str, dialect: str) -> set[str]:
    """The variables that choose among the conditions of a filter; none if they choose something else."""
    names, renderer = reading.names, reading.renderer
    asked = set(names.asked)
    try:
        names.asked.clear()
        renderer.render(piece, **reading.context)
        choosing = set(switching(renderer, piece, reading.context))
        for names.forced in [{variable: answer} for variable in choosing for answer in (False, True)]:
            if not prints_conditions(Template(piece, dialect, renderer, reading.context)):
                return set()
    except UnrenderableError:
        return set()
    finally:
        names.forced = {}
        names.asked |= asked
    return choosing


def check_parameters(reading: Reading, settings: Settings) -> None:
    """Checks that the variables left in the query are constants, in the ephemeral models that it reads, too.

    Raises:
        Left (UnboundPartition): one chooses what is read or written.
    """
    columns = settings.partition_columns | {name.lower() for name in settings.unique_key}
    for tree in reading.trees:
        _check(tree, reading.names, columns, reading, "")
    if not reading.trees:
        for placeholder in sorted(reading.names.variables):
            if not is_constant(placeholder, reading.names):
                variable = reading.names.variables[placeholder]
                problem = reading.problem.message if reading.problem is not None else "the query cannot be read"
                raise Left(
                    MigrateCode.UnboundPartition,
                    f"the variable {variable} may decide what is read or written, and {problem}",
                    line=_line_of_variable(reading.model.text, variable),
                )
    is_replaced = settings.strategy == "insert_overwrite" and settings.partition_by
    for query in _inlined(reading):
        _check(query.tree, query.names, columns, reading, query.name)
        if is_replaced and any(_asks_since(where, query) for where in query.tree.find_all(exp.Where)):
            raise Left(
                MigrateCode.UnboundPartition,
                f"the ephemeral model {query.name} reads what lies a fixed time before now, and an interval would be "
                "recorded as "
                "loaded that was not read; move the filter here, between start_date() and end_date()",
                line=1,
            )


def is_parameter(comparison: Comparison, names: Names, columns: frozenset[str]) -> bool:
    """Whether a condition compares a time, or a column that the table is partitioned or keyed by, with a variable."""
    compared = [comparison.expression, *comparison.others]
    if not any(True for side in compared for _ in variables_in(side, names)):
        return False
    return any(
        _is_time(node) if not isinstance(node, exp.Column) else _is_of_time(node, columns)
        for side in compared
        for node in side.walk()
    )


def is_constant(placeholder: str, names: Names) -> bool:
    """Whether a variable has a value in the project that looks like no time, so that runs do not choose it."""
    return has_constant_value(names.defaults.get(placeholder))


def has_constant_value(value: object) -> bool:
    """Whether a variable's value in the project looks like no time."""
    if value is None or value == "" or isinstance(value, date | datetime):
        return False
    return isinstance(value, str | int | float | bool | list | dict) and _DATE.fullmatch(str(value).strip()) is None


def variables_in(expression: exp.Expr, names: Names) -> Iterator[str]:
    """The placeholders of variables in an expression."""
    for node in expression.walk():
        if isinstance(node, exp.Literal | exp.Identifier | exp.Var | exp.Table):
            for placeholder in _VARIABLE.findall(node.name):
                if placeholder in names.variables:
                    yield placeholder


def _check(tree: exp.Expr, names: Names, columns: frozenset[str], reading: Reading, ephemeral: str) -> None:
    for node in tree.walk():
        if not isinstance(node, exp.Literal | exp.Identifier | exp.Var):
            continue
        for code in _CODE.findall(node.name):
            is_deciding = any(_is_in(node, kind) for kind in _DECIDING) or _is_value_of(node, columns)
            if names.root(code) in names.variables and is_deciding:
                _refuse(reading, names.variables[names.root(code)], ephemeral)
            if names.root(code) in CLOCKS and any(_is_in(node, kind) for kind in _DECIDING):
                where = f"the ephemeral model {ephemeral}" if ephemeral else "the model"
                raise Left(
                    MigrateCode.UnboundPartition,
                    f"{names.root(code)} decides what {where} reads, by the time of the run; write the bounds with "
                    "start_date() and "
                    "end_date()",
                    line=1,
                )
        for placeholder in _VARIABLE.findall(node.name):
            if placeholder in names.variables and _decides(node, placeholder, names, columns):
                _refuse(reading, names.variables[placeholder], ephemeral)


def _is_in(node: exp.Expr, kind: type[exp.Expr]) -> bool:
    found = node.find_ancestor(kind, exp.Select)
    return isinstance(found, kind)


def _is_value_of(node: exp.Expr, columns: frozenset[str]) -> bool:
    """Whether what stands there becomes one of some columns."""
    parent = node.parent
    while parent is not None and not isinstance(parent, exp.Select):
        if isinstance(parent, exp.Alias) and parent.alias.lower() in columns:
            return True
        parent = parent.parent
    return False


def _decides(node: exp.Expr, placeholder: str, names: Names, columns: frozenset[str]) -> bool:
    """Whether what a variable says where it stands decides which rows there are."""
    is_run = not is_constant(placeholder, names)
    child, parent = node, node.parent
    while parent is not None and not isinstance(parent, exp.Select):
        if isinstance(parent, exp.Alias) and parent.alias.lower() in columns:
            return True
        # in a column it only labels rows
        if is_run and isinstance(parent, _DECIDING):
            return True
        if isinstance(parent, exp.Predicate) and any(
            _is_of_time(column, columns) for column in parent.find_all(exp.Column) if placeholder not in column.name
        ):
            # the length of a time before now is a constant
            bound = read_bound(child, names, "spark") if not isinstance(child, exp.Column) else None
            return bound is None or bound.base != "now"
        child, parent = parent, parent.parent
    return False


def _is_of_time(column: exp.Column, columns: frozenset[str]) -> bool:
    name = column.name.lower()
    return name in columns or bool(DATE_NAME.fullmatch(name) or TIME_NAME.fullmatch(name))


def _is_time(node: exp.Expr) -> bool:
    is_cast = isinstance(node, exp.Cast) and node.to.this in exp.DataType.TEMPORAL_TYPES
    return is_cast or truncation(node) is not None or isinstance(node, exp.Timestamp | exp.StrToTime)


def _refuse(reading: Reading, variable: str, ephemeral: str) -> None:
    where = f" in the ephemeral model {ephemeral}" if ephemeral else ""
    raise Left(
        MigrateCode.UnboundPartition,
        f"the variable {variable}{where} decides what is read or written, and another value would do nothing once the "
        "interval is recorded; write bounds of time with start_date() and end_date()",
        line=1 if ephemeral else _line_of_variable(reading.model.text, variable),
    )


def _inlined(reading: Reading) -> Iterator[Query]:
    """The ephemeral models that a model reads, directly or through others."""
    parents: Parents = reading.parents
    waiting = list(reading.names.relations.values())
    seen = set()
    while waiting:
        relation = waiting.pop()
        name = relation[-1]
        model = parents.project.models_by_name.get(name) if relation[0] == "ref" else None
        if name in seen or model is None or model.config.get("materialized") != "ephemeral":
            continue
        seen.add(name)
        query = parents.query(name)
        if query is not None:
            yield query
            waiting += query.names.relations.values()


def _asks_since(where: exp.Expr, query: Query) -> bool:
    """Whether a condition reads only what lies a fixed time before now."""
    for node in where.find_all(exp.GT, exp.GTE, exp.LT, exp.LTE, exp.EQ, exp.Between):
        if asks_now(node):
            later = [node.expression] if isinstance(node, exp.GT | exp.GTE) else [node.this]
            later = [node.args["low"]] if isinstance(node, exp.Between) else later
            later = [node.this, node.expression] if isinstance(node, exp.EQ) else later
            if any(asks_now(side) for side in later):
                return True
    return False


def _line_of_variable(text: str, variable: str) -> int:
    quoted = re.compile(rf"""['"]{re.escape(variable)}['"]""")
    return next((line_of(text, tag.start) for tag in tags(text) if quoted.search(tag.code)), 1)
