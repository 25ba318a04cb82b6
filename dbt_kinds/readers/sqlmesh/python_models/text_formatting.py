"""Python's string formatting, applied to values that include times."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from dbt_kinds.readers.sqlmesh.python_models.times import Day, Moment, NotSqlAtHeart, is_reserved

_LONGEST_TEXT = 20
# larger widths would exhaust memory
_WIDE = re.compile(r"\d{5,}")
# conversions of % other than plain insertion
_CUTS = re.compile(r"%(\(\w+\))?[-#0 +]*(\d+|\.\d+|[ra])")


def formatted(value: Any, form: str, node: ast.expr) -> str:
    """The result of `format()` for a value.

    Raises:
        NotSqlAtHeart: it is not a string, number or time, or the format would truncate a time.
    """
    if isinstance(value, Moment | Day):
        return _time_text(value, form, node)
    if not is_plain(value) or _WIDE.search(form) or (form not in ("", "s") and is_reserved(str(value))):
        raise refused_part(node)
    try:
        return format(value, form)
    except (ValueError, TypeError) as error:
        raise NotSqlAtHeart(f"formats with '{form}'", node.lineno) from error


def strftime(moment: Moment, form: str, node: ast.expr) -> str:
    """The result of `strftime()` for a time.

    Raises:
        NotSqlAtHeart: Spark has no equivalent of a part of the format.
    """
    try:
        return moment.formatted(form)
    except ValueError as error:
        raise NotSqlAtHeart(f"formats a time with {error}, for which Spark has no letter", node.lineno) from error


def filled(template: Any, values: Any, node: ast.expr) -> str:
    """`template % values`.

    Raises:
        NotSqlAtHeart: it is arithmetic, or the values do not match.
    """
    if not isinstance(template, str) or _WIDE.search(template):
        raise NotSqlAtHeart("calculates", node.lineno)
    values = _printable(values, node)
    if _CUTS.search(template) and any(is_reserved(str(value)) for value in _all_values(values)):
        raise NotSqlAtHeart("cuts or quotes a time with %", node.lineno)
    try:
        return str(template % values)
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        raise NotSqlAtHeart("fills in % with values that do not fit", node.lineno) from error


def filled_format(template: str, positional: Sequence[Any], named: Mapping[str, Any], node: ast.expr) -> str:
    """`template.format(…)`; attributes and items of values are not supported.

    Raises:
        NotSqlAtHeart: the values do not match.
    """
    made: list[str] = []
    following = 0
    try:
        for literal, name, form, conversion in string.Formatter().parse(template):
            made.append(literal)
            if name is None:
                continue
            if name == "":
                name = str(following)
                following += 1
            value = positional[int(name)] if name.isdigit() else named[name]
            if conversion not in (None, "s") or "{" in (form or ""):
                raise NotSqlAtHeart(f"uses {text_of(node)}", node.lineno)
            made.append(formatted(value, form or "", node))
    except (ValueError, IndexError, KeyError) as error:
        raise NotSqlAtHeart("fills in .format() with values that do not fit", node.lineno) from error
    return "".join(made)


def is_plain(value: Any) -> bool:
    """Whether a value's text is Python's; within a list, a time would be rendered as an escape."""
    if isinstance(value, list | tuple):
        return all(is_plain(item) and not is_reserved(str(item)) for item in value)
    return value is None or isinstance(value, str | int | float | bool)


def refused_part(node: ast.expr) -> NotSqlAtHeart:
    """A message about a value that cannot be inserted into a string."""
    return NotSqlAtHeart(f"puts {text_of(node)} into the query", node.lineno)


def text_of(node: ast.AST) -> str:
    """A piece of the source on one line, shortened: without long texts, which may hold a password."""
    try:
        text = " ".join(ast.unparse(_WithoutLongTexts().visit(deepcopy(node))).split())
    except (ValueError, RecursionError, AttributeError):
        text = type(node).__name__
    return text if len(text) <= 60 else text[:57] + "..."


class _WithoutLongTexts(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        is_long = isinstance(node.value, str) and len(node.value) > _LONGEST_TEXT
        return ast.Constant(value="…") if is_long else node


def _time_text(value: Moment | Day, form: str, node: ast.expr) -> str:
    moment = value.moment if isinstance(value, Day) else value
    if form:
        return strftime(moment, form, node)
    return moment.day() if isinstance(value, Day) else moment.text()


def _printable(values: Any, node: ast.expr) -> Any:
    if isinstance(values, tuple):
        return tuple(_printable(value, node) for value in values)
    if isinstance(values, dict):
        return {key: _printable(value, node) for key, value in values.items()}
    if isinstance(values, Moment | Day):
        return _time_text(values, "", node)
    if not is_plain(values):
        raise refused_part(node)
    return values


def _all_values(values: Any) -> list[Any]:
    if isinstance(values, dict):
        return list(values.values())
    return list(values) if isinstance(values, tuple) else [values]
