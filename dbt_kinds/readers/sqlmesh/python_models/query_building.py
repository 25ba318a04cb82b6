"""The query of a Python model's function that only builds one.

The function is interpreted statement by statement on its syntax tree, with constants and with strings in which the
window's bounds are special characters. Nothing of the file is run, and unsupported statements are refused.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dbt_kinds.readers.sqlmesh.python_models.declaration import last_name
from dbt_kinds.readers.sqlmesh.python_models.text_formatting import (
    filled,
    filled_format,
    formatted,
    is_plain,
    refused_part,
    text_of,
)
from dbt_kinds.readers.sqlmesh.python_models.times import Day, Moment, NotSqlAtHeart, TimeTexts, is_reserved
from dbt_kinds.readers.sqlmesh.python_models.value_calls import LONGEST, day_call, moment_call, text_call, time_function

_BOUNDS = {"start": "start", "end": "end", "execution_time": "execution", "latest": "execution"}
_SPARK_SQL = "spark.sql"
_FETCHES = ("fetchdf", "fetch_pyspark_df")
# SQLMesh's own functions on times
_TIME_FUNCTIONS = ("to_ds", "to_ts", "to_tstz", "to_date", "to_datetime", "to_timestamp")


@dataclass(frozen=True)
class Query:
    """A query that a function returns.

    Attributes:
        text: with a special character for every time.
        line: the line of the file where the text begins.
        is_spark: it is Spark SQL, whatever the model's dialect.
    """

    text: str
    line: int
    is_spark: bool
    times: TimeTexts


@dataclass(frozen=True)
class _Frame:
    query: Query


class _Context:
    """The function's first parameter."""


@dataclass
class Surroundings:
    """The names that the function may read besides its parameters.

    Attributes:
        constants: the module's assignments, by name.
        variables: the project's, which are also passed as keyword arguments.
        blueprint: the values of this model, if the file defines several.
        used: the variables whose values became part of the query.
    """

    constants: Mapping[str, ast.expr]
    variables: Mapping[str, Any] = field(default_factory=dict)
    blueprint: Mapping[str, Any] = field(default_factory=dict)
    used: list[str] = field(default_factory=list)
    quiet: list[int] = field(default_factory=list)


def query_of(function: ast.FunctionDef, surroundings: Surroundings, source: str) -> Query:
    """The query that a function builds and returns.

    Raises:
        NotSqlAtHeart: it does anything else.
    """
    return _Follower(function, surroundings, source).follow()


class _Follower:
    """Interprets one function."""

    def __init__(self, function: ast.FunctionDef, surroundings: Surroundings, source: str) -> None:
        self.function = function
        self.surroundings = surroundings
        self.lines = source.split("\n")
        self.times = TimeTexts()
        self.names: dict[str, Any] = {}
        self.constants: dict[str, Any] = {}
        self.keywords: str | None = None
        self.depth = 0
        self._bind_parameters()

    def _bind_parameters(self) -> None:
        arguments = self.function.args
        parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        for position, parameter in enumerate(parameters):
            name = parameter.arg
            if name in _BOUNDS:
                self.names[name] = Moment(_BOUNDS[name], self.times)
            elif position == 0:
                self.names[name] = _Context()
            elif name in self.surroundings.variables:
                self.names[name] = self.surroundings.variables[name]
        self.keywords = arguments.kwarg.arg if arguments.kwarg is not None else None

    def follow(self) -> Query:
        """The query returned by the last statement."""
        if self.function.args.vararg is not None:
            raise NotSqlAtHeart("takes any number of arguments", self.function.lineno)
        for statement in self.function.body[:-1]:
            self._statement(statement)
        last = self.function.body[-1]
        if not isinstance(last, ast.Return) or last.value is None:
            raise NotSqlAtHeart("does not end with 'return context.fetchdf(query)'", last.lineno)
        value = self._value(last.value)
        if not isinstance(value, _Frame):
            raise NotSqlAtHeart("returns something else than context.fetchdf(query)", last.lineno)
        return value.query

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Pass):
            return
        if isinstance(node, ast.Expr):
            if isinstance(node.value, ast.Constant):
                return
            if isinstance(node.value, ast.Call) and _only_talks(node.value.func):
                self.surroundings.quiet.append(node.lineno)
                return
        if isinstance(node, ast.Assign):
            value = self._value(node.value)
            for target in node.targets:
                self._assign(target, value)
            return
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            self._assign(node.target, self._value(node.value))
            return
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add) and isinstance(node.target, ast.Name):
            self._assign(node.target, self._sum(self._value(node.target), self._value(node.value), node))
            return
        raise NotSqlAtHeart(_named(node), node.lineno)

    def _assign(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List) and isinstance(value, tuple | list):
            if len(target.elts) != len(value):
                raise NotSqlAtHeart("assigns several names at once", target.lineno)
            for item, part in zip(target.elts, value, strict=True):
                self._assign(item, part)
        else:
            raise NotSqlAtHeart(f"assigns to {text_of(target)}", target.lineno)

    def _value(self, node: ast.expr) -> Any:
        self.depth += 1
        try:
            if self.depth > 100:
                raise NotSqlAtHeart("nests expressions too deeply to be followed", node.lineno)
            value = self._unchecked(node)
        finally:
            self.depth -= 1
        if isinstance(value, str) and len(value) > LONGEST:
            raise NotSqlAtHeart("builds a text of more than a million characters", node.lineno)
        return value

    def _unchecked(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str) and is_reserved(node.value):
                raise NotSqlAtHeart("holds characters of Unicode's private area", node.lineno)
            return node.value
        if isinstance(node, ast.JoinedStr):
            return "".join(self._part(part) for part in node.values)
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self._sum(self._value(node.left), self._value(node.right), node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            return filled(self._value(node.left), self._value(node.right), node)
        if isinstance(node, ast.Tuple):
            return tuple(self._value(item) for item in node.elts)
        if isinstance(node, ast.List):
            return [self._value(item) for item in node.elts]
        if isinstance(node, ast.Dict) and None not in node.keys:
            pairs = zip(node.keys, node.values, strict=True)
            return {self._text(key): self._value(value) for key, value in pairs if key is not None}
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            number = self._value(node.operand)
            if isinstance(number, int | float):
                return -number
        if isinstance(node, ast.Subscript):
            return self._subscript(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        raise NotSqlAtHeart(f"uses {text_of(node)}", node.lineno)

    def _text(self, node: ast.expr) -> str:
        value = self._value(node)
        if not isinstance(value, str):
            raise NotSqlAtHeart(f"uses {text_of(node)} where a text is needed", node.lineno)
        return value

    def _name(self, node: ast.Name) -> Any:
        name = node.id
        if name in self.names:
            value = self.names[name]
            if name in self.surroundings.variables and value is self.surroundings.variables[name]:
                self._use(name)
            return value
        if name in self.constants:
            return self.constants[name]
        if name in self.surroundings.constants:
            self.constants[name] = self._value(self.surroundings.constants[name])
            return self.constants[name]
        raise NotSqlAtHeart(f"uses {name}, which is no constant of the file", node.lineno)

    def _use(self, variable: str) -> None:
        if variable not in self.surroundings.used:
            self.surroundings.used.append(variable)

    def _subscript(self, node: ast.Subscript) -> Any:
        if isinstance(node.value, ast.Name) and node.value.id == self.keywords:
            return self._keyword(self._text(node.slice), node)
        holder, key = self._value(node.value), self._value(node.slice)
        if isinstance(holder, tuple | list | dict) and isinstance(key, int | str):
            try:
                return holder[key]  # type: ignore[index]
            except (KeyError, IndexError, TypeError):
                pass
        raise NotSqlAtHeart(f"uses {text_of(node)}", node.lineno)

    def _keyword(self, name: str, node: ast.expr) -> Any:
        """`kwargs['start']`: the window, or a variable of the project."""
        if name in _BOUNDS:
            return Moment(_BOUNDS[name], self.times)
        return self._variable(name, node)

    def _variable(self, name: str, node: ast.expr, *default: Any) -> Any:
        known = {key.lower(): value for key, value in self.surroundings.variables.items()}
        if name.lower() in known:
            self._use(name.lower())
            return known[name.lower()]
        if default:
            return default[0]
        raise NotSqlAtHeart(f"uses the variable {name}, which the project does not set", node.lineno)

    def _sum(self, left: Any, right: Any, node: ast.AST) -> Any:
        if isinstance(left, str) and isinstance(right, str):
            return left + right
        if isinstance(left, list) and isinstance(right, list):
            return left + right
        raise NotSqlAtHeart("calculates", getattr(node, "lineno", self.function.lineno))

    def _part(self, node: ast.expr) -> str:
        """A part of an f-string."""
        if not isinstance(node, ast.FormattedValue):
            return str(self._value(node))
        value = self._value(node.value)
        form = "".join(self._part(part) for part in node.format_spec.values) if _has_format(node) else ""  # type: ignore[union-attr]
        if node.conversion in (ord("r"), ord("a")):
            # a character for a time would be rendered as an escape
            if not is_plain(value) or is_reserved(str(value)):
                raise refused_part(node)
            value = repr(value)
        return formatted(value, form, node)

    def _call(self, node: ast.Call) -> Any:
        function = node.func
        if isinstance(function, ast.Attribute):
            if isinstance(function.value, ast.Name) and function.value.id == self.keywords and function.attr == "get":
                arguments = self._arguments(node)
                return self._from_keywords(arguments, node)
            target = self._target(function.value)
            if isinstance(target, _Context):
                return self._context_call(_path(function), node)
            if isinstance(target, Moment):
                zone = _new_zone(function.attr, node)
                if zone is not None:
                    return Moment(target.bound, target.texts, zone == "none")
                return moment_call(target, function.attr, self._arguments(node), node)
            if isinstance(target, Day):
                return day_call(target, function.attr, self._arguments(node), node)
            if isinstance(target, str) and function.attr == "format":
                return self._format_call(target, node)
            if isinstance(target, str):
                return text_call(target, function.attr, self._arguments(node), node)
        return self._function_call(last_name(function), node)

    def _target(self, node: ast.expr) -> Any:
        """The object that a method is called on; modules are not supported values."""
        if isinstance(node, ast.Attribute):
            inner = self._target(node.value)
            return inner if isinstance(inner, _Context) else None
        if isinstance(node, ast.Name) and node.id not in self.names and node.id not in self.surroundings.constants:
            return None
        return self._value(node)

    def _from_keywords(self, arguments: list[Any], node: ast.Call) -> Any:
        if not arguments or not isinstance(arguments[0], str):
            raise NotSqlAtHeart(f"uses {text_of(node)}", node.lineno)
        if arguments[0] in _BOUNDS:
            return Moment(_BOUNDS[arguments[0]], self.times)
        return self._variable(arguments[0], node, *(arguments[1:2] or [None]))

    def _arguments(self, node: ast.Call, *, names: tuple[str, ...] = ()) -> list[Any]:
        """Positional arguments; keywords only where named."""
        values = [self._value(argument) for argument in node.args]
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        for name in names[len(values) :]:
            if name in keywords:
                values.append(self._value(keywords.pop(name)))
        if keywords:
            raise NotSqlAtHeart(f"uses {text_of(node)}", node.lineno)
        return values

    def _context_call(self, path: str, node: ast.Call) -> Any:
        name = path.split(".", 1)[1] if "." in path else path
        if name in (*_FETCHES, _SPARK_SQL):
            node = ast.Call(node.func, node.args, [item for item in node.keywords if item.arg != "quote_identifiers"])
            arguments = self._arguments(ast.copy_location(node, node.func), names=("query", "sqlQuery"))
            if arguments and isinstance(arguments[0], str) and len(arguments) <= 2:
                text = arguments[0]
                return _Frame(Query(text, self._line_of(text), name != "fetchdf", self.times))
            raise NotSqlAtHeart("hands over something else than a text", node.func.lineno)
        if name in ("resolve_table", "table"):
            arguments = self._arguments(node, names=("model_name",))
            if len(arguments) == 1 and isinstance(arguments[0], str):
                return arguments[0]
        if name in ("var", "blueprint_var"):
            arguments = self._arguments(node, names=("var_name", "default"))
            if arguments and isinstance(arguments[0], str):
                if name == "var":
                    return self._variable(arguments[0], node, *arguments[1:2])
                values = {key.lower(): value for key, value in self.surroundings.blueprint.items()}
                if arguments[0].lower() in values:
                    return values[arguments[0].lower()]
        raise NotSqlAtHeart(f"uses {text_of(node)}", node.func.lineno)

    def _format_call(self, text: str, node: ast.Call) -> str:
        positional = [self._value(argument) for argument in node.args]
        named = {keyword.arg: self._value(keyword.value) for keyword in node.keywords if keyword.arg is not None}
        if len(named) != len(node.keywords):
            raise NotSqlAtHeart(f"uses {text_of(node)}", node.lineno)
        return filled_format(text, positional, named, node)

    def _function_call(self, name: str, node: ast.Call) -> Any:
        if name in _TIME_FUNCTIONS:
            return time_function(name, self._arguments(node), node)
        arguments = self._arguments(node)
        if len(arguments) == 1:
            value = arguments[0]
            if name == "str":
                return formatted(value, "", node)
            if name == "int" and isinstance(value, str) and value in self.times.by_character:
                known = self.times.by_character[value]
                if known.suffix == "epoch":
                    return Moment(known.bound, self.times).number("epoch_seconds")
            if name in ("dedent", "cleandoc") and isinstance(value, str):
                return textwrap.dedent(value) if name == "dedent" else inspect.cleandoc(value)
            if name in ("list", "tuple") and isinstance(value, list | tuple):
                return value
        raise NotSqlAtHeart(f"uses {text_of(node)}", node.lineno)

    def _line_of(self, text: str) -> int:
        """The line of the file where a text begins: that of its first line found there."""
        begin, end = self.function.lineno, self.function.end_lineno or len(self.lines)
        for offset, line in enumerate(text.split("\n")):
            piece = re.split(r"[\ue000-\uf8ff]", line.strip())[0][:40]
            if len(piece) < 6:
                continue
            for number in range(begin, end + 1):
                if number <= len(self.lines) and piece in self.lines[number - 1]:
                    return max(number - offset, 1)
            break
        return begin


def _new_zone(method: str, node: ast.Call) -> str | None:
    """`none` or `utc` for `replace(tzinfo=…)`; None for other calls."""
    if method != "replace" or node.args or [item.arg for item in node.keywords] != ["tzinfo"]:
        return None
    value = node.keywords[0].value
    if isinstance(value, ast.Constant) and value.value is None:
        return "none"
    return "utc" if last_name(value).lower() == "utc" else None


def _has_format(node: ast.FormattedValue) -> bool:
    return isinstance(node.format_spec, ast.JoinedStr)


def _only_talks(function: ast.expr) -> bool:
    path = _path(function).split(".")
    return path == ["print"] or (len(path) > 1 and any(part in ("logger", "logging", "log") for part in path[:-1]))


def _path(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_path(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _named(node: ast.stmt) -> str:
    words = {
        ast.For: "has a loop",
        ast.While: "has a loop",
        ast.If: "has a branch",
        ast.Try: "catches errors",
        ast.With: "has a with block",
        ast.Return: "returns before its end",
    }
    return words.get(type(node), f"does more than build a query: {text_of(node)}")
