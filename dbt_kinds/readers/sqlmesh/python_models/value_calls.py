"""Methods of times and strings, as far as their results can be written as SQL."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

from dbt_kinds.readers.sqlmesh.python_models.text_formatting import formatted, strftime, text_of
from dbt_kinds.readers.sqlmesh.python_models.times import Day, Moment, NotSqlAtHeart, is_reserved

LONGEST = 1_000_000
_CASES = ("upper", "lower", "strip", "lstrip", "rstrip", "title", "capitalize")
# a string that may be part of how a time is written
_PART_OF_TIME = re.compile(r"[\d\-:+. T]*")


def moment_call(moment: Moment, method: str, arguments: list[Any], node: ast.Call) -> Any:
    """The result of a method of `start`, `end` or `execution_time`.

    Raises:
        NotSqlAtHeart: it is arithmetic.
    """
    if method == "date" and not arguments:
        return Day(moment)
    if method == "strftime" and len(arguments) == 1 and isinstance(arguments[0], str):
        return strftime(moment, arguments[0], node)
    if method == "isoformat" and not arguments:
        return moment.iso()
    if method == "isoformat" and arguments == [" "]:
        return moment.text()
    if method == "timestamp" and not arguments and not moment.is_naive:
        return moment.number("epoch")
    raise NotSqlAtHeart(f"calculates with {moment.bound}: {text_of(node)}", node.lineno)


def day_call(day: Day, method: str, arguments: list[Any], node: ast.Call) -> str:
    """The result of a date method.

    Raises:
        NotSqlAtHeart: it is arithmetic.
    """
    if method == "isoformat" and not arguments:
        return day.moment.day()
    if method == "strftime" and len(arguments) == 1 and isinstance(arguments[0], str):
        return strftime(day.moment, arguments[0], node)
    raise NotSqlAtHeart(f"calculates with a date: {text_of(node)}", node.lineno)


def text_call(text: str, method: str, arguments: list[Any], node: ast.Call) -> Any:
    """The result of a string method.

    Raises:
        NotSqlAtHeart: it would split a time, or is not supported.
    """
    if method in _CASES and not arguments:
        if "strip" not in method and is_reserved(text):
            raise NotSqlAtHeart(f"uses {text_of(node)}", node.lineno)
        made: Callable[[], str] = getattr(text, method)
        return made()
    if method == "join" and len(arguments) == 1 and isinstance(arguments[0], list | tuple):
        parts = [formatted(item, "", node) for item in arguments[0]]
        return text.join(parts)
    if method == "replace" and len(arguments) == 2 and all(isinstance(item, str) for item in arguments):
        old, new = arguments
        is_hidden = is_reserved(text) and _PART_OF_TIME.fullmatch(old)
        if old and not is_hidden and text.count(old) * len(new) <= LONGEST:
            return text.replace(old, new)
    raise NotSqlAtHeart(f"uses {text_of(node)}", node.lineno)


def time_function(name: str, arguments: list[Any], node: ast.Call) -> Any:
    """The result of SQLMesh's own time functions.

    Raises:
        NotSqlAtHeart: the argument is not a time.
    """
    value = arguments[0] if len(arguments) == 1 else None
    if not isinstance(value, Moment | Day):
        raise NotSqlAtHeart(f"uses {text_of(node)}", node.lineno)
    moment = value.moment if isinstance(value, Day) else value
    if name == "to_ds":
        return moment.day()
    if name == "to_date":
        return Day(moment)
    if isinstance(value, Moment):
        if name == "to_datetime":
            return moment
        if name == "to_timestamp":
            return moment.number("millis")
        return Moment(moment.bound, moment.texts, name == "to_ts").text()
    raise NotSqlAtHeart(f"uses {text_of(node)}", node.lineno)
