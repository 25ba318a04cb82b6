"""Runs the project's own Python macros in this process, if requested, by means of SQLMesh if it is installed.

Otherwise stand-ins replace its decorator and its evaluator.
"""

from __future__ import annotations

import inspect
import sys
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from sqlglot import exp

from dbt_kinds.codes import CompileCode
from dbt_kinds.errors import CompileError
from dbt_kinds.readers.sqlmesh.installed_sqlmesh import InstalledSqlmesh, is_installed
from dbt_kinds.readers.sqlmesh.macros.arguments import tree_of
from dbt_kinds.readers.sqlmesh.macros.expand import expand_text
from dbt_kinds.readers.sqlmesh.macros.scope import Fragment, Scope, plain_text
from dbt_kinds.readers.sqlmesh.macros.variables import time_placeholder
from dbt_kinds.readers.time_names import time_variable

Macros = dict[str, Callable[..., Any]]
# sqlglot parses `@x` as a parameter, and writes it in another dialect's form
_VARIABLE = "kinds_variable_"
# macros that generate calls of macros
_DEEPEST = 30
_MODULES = tuple(
    f"{tool}{part}"
    for tool in ("sqlmesh", "vulcan")
    for part in (
        "",
        ".core",
        ".core.config",
        ".core.context",
        ".core.dialect",
        ".core.engine_adapter",
        ".core.macros",
        ".core.model",
        ".core.model.kind",
        ".utils",
        ".utils.date",
        ".utils.errors",
    )
)


class SQL(str):
    """The annotation for arguments that a macro expects as SQL; `str` requests the text of a literal or name."""

    __slots__ = ()


@dataclass
class Loaded:
    """The macros defined in files, and the files that could not be run.

    Attributes:
        sqlmesh: the SQLMesh they were run with; None for the stand-ins.
    """

    macros: Macros = field(default_factory=dict)
    failures: dict[str, CompileError] = field(default_factory=dict)
    sqlmesh: InstalledSqlmesh | None = None


class _Locals(dict[str, Any]):
    """Local variables of a macro; includes the bounds of the window, by name."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope.locals)
        self._scope = scope

    def __missing__(self, name: str) -> exp.Expr:
        macro = time_variable(name)
        if macro is None:
            raise KeyError(name)
        return exp.column(time_placeholder(macro, self._scope, 1))

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self or time_variable(name) else default


class Evaluator:
    """The part of SQLMesh's evaluator that macros may use: dialect, variables, columns of tables."""

    def __init__(self, scope: Scope) -> None:
        """`scope` is that of the macro call."""
        self.dialect = scope.dialect
        self.runtime_stage = "evaluating"
        self.gateway = scope.gateway
        self._scope = scope
        self.locals: dict[str, Any] = _Locals(scope)

    def var(self, name: str, default: Any = None) -> Any:
        """The value of a variable of the project."""
        configured = {key.lower(): value for key, value in self._scope.variables.items()}
        return configured.get(name.lower(), default)

    def blueprint_var(self, name: str, default: Any = None) -> Any:
        """The value of a variable of the model's blueprint."""
        return self._scope.blueprint.get(name.lower(), default)

    def columns_to_types(self, table: Any) -> dict[str, Any]:
        """The columns of a table, as far as known."""
        text = table if isinstance(table, str) else table.sql(dialect=self.dialect)
        columns = self._scope.columns_of(text)
        if not columns:
            raise LookupError(f"the columns of {text} are not known")
        return {name: kind if kind is not None else exp.DataType.build("unknown") for name, kind in columns}

    def parse_one(self, sql: Any, **how: Any) -> exp.Expr:
        """Parses a string of SQL."""
        if isinstance(sql, exp.Expr):
            return sql
        import sqlglot

        tree: exp.Expr = sqlglot.parse_one(sql, read=self.dialect, **how)
        return tree


class macro:  # noqa: N801 - SQLMesh's decorator is called so
    """A stand-in for SQLMesh's decorator: registers the function under its name."""

    found: typing.ClassVar[Macros] = {}

    def __init__(self, name: str = "", *args: Any, **rest: Any) -> None:
        """`name` is the name used in calls; default the function's."""
        del args, rest
        self.name = name

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Registers a function."""
        macro.found[(self.name or function.__name__).lower()] = function
        return function


def load_macros(texts: Mapping[str, str], root: Path) -> Loaded:
    """Runs the macro files of a project; files that fail do not affect the others."""
    loaded = Loaded(sqlmesh=_installed())
    macro.found = loaded.macros
    for file, text in texts.items():
        try:
            run_file(text, file, root)
        except CompileError as error:
            loaded.failures[file] = error
    if loaded.sqlmesh is not None:
        loaded.macros.update(loaded.sqlmesh.registered())
    return loaded


def _installed() -> InstalledSqlmesh | None:
    try:
        return InstalledSqlmesh() if is_installed() else None
    except ImportError:
        return None


def run_file(text: str, file: str, root: Path) -> dict[str, Any]:
    """Runs a file of the project with stand-ins for the source tool's modules; returns its namespace.

    Raises:
        CompileError: it fails (PythonMacroFailed).
    """
    space: dict[str, Any] = {"__name__": Path(file).stem, "__file__": str(root.resolve() / file)}
    with surroundings(root):
        try:
            exec(compile(text, file, "exec"), space)
        except Exception as error:
            line = error.lineno or 1 if isinstance(error, SyntaxError) else line_in(error, file)
            raise CompileError(CompileCode.PythonMacroFailed, f"{type(error).__name__}: {error}", file, line) from error
    return space


@contextmanager
def surroundings(root: Path) -> Iterator[None]:
    """Makes the source tool's modules and the project's own importable while project code runs, and cleans up
    afterwards.

    Its output goes to stderr, because stdout is the command's.
    """
    before, path, writes = dict(sys.modules), list(sys.path), sys.dont_write_bytecode
    stand_ins = [name for name in _MODULES if not (name.startswith("sqlmesh") and _installed_module(name))]
    own = str(root.resolve())
    try:
        sys.modules.update({name: _stand_in(name) for name in stand_ins})
        sys.path.insert(0, own)
        # no bytecode is written into the input folder
        sys.dont_write_bytecode = True
        with redirect_stdout(sys.stderr):
            yield
    finally:
        sys.path[:], sys.dont_write_bytecode = path, writes
        for name, module in list(sys.modules.items()):
            is_own = str(getattr(module, "__file__", None) or "").startswith(own)
            if name in stand_ins or (name not in before and is_own):
                del sys.modules[name]
        sys.modules.update({name: before[name] for name in stand_ins if name in before})


def _installed_module(name: str) -> bool:
    """Whether SQLMesh was imported, so that its modules need no stand-ins."""
    return name in sys.modules or "sqlmesh.core.macros" in sys.modules


def caller(loaded: Loaded, root: Path) -> Callable[[str, list[str], dict[str, str], Scope, int], Fragment]:
    """A function that runs a macro by name, with arguments as SQL; macros in its result are expanded, as in SQLMesh."""

    def call(name: str, positional: list[str], named: dict[str, str], scope: Scope, line: int) -> Fragment:
        function = loaded.macros.get(name)
        if function is None:
            files = ", ".join(str(error.diagnostic.place) for error in loaded.failures.values())
            why = f"a file of macros could not be run, see {files}" if files else "its file did not register it"
            raise scope.error(CompileCode.PythonMacroFailed, f"@{name}() is not known: {why}", line)
        active.append(name)
        try:
            if len(active) > _DEEPEST:
                raise scope.error(CompileCode.PythonMacroFailed, f"@{name}() makes calls of itself without end", line)
            with surroundings(root):
                made = _fragment(_called(function, loaded.sqlmesh, positional, named, scope, line), scope)
            return _expanded(made, scope, line)
        except CompileError:
            raise
        except Exception as error:
            message = f"@{name}() raised {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
            raise scope.error(CompileCode.PythonMacroFailed, message, line) from error
        finally:
            active.pop()

    active: list[str] = []
    return call


def _called(
    function: Callable[..., Any],
    sqlmesh: InstalledSqlmesh | None,
    positional: Sequence[str],
    named: Mapping[str, str],
    scope: Scope,
    line: int,
) -> Any:
    if sqlmesh is not None:
        trees = [tree_of(text, scope, line) for text in positional]
        return sqlmesh.call(function, scope, trees, {name: tree_of(text, scope, line) for name, text in named.items()})
    values = _arguments(function, positional, named, scope, line)
    return function(Evaluator(scope), *values[0], **values[1])


def _expanded(made: Fragment, scope: Scope, line: int) -> Fragment:
    if isinstance(made, list):
        return [expand_text(part, scope, line) if "@" in part else part for part in made]
    return expand_text(made, scope, line) if made is not None and "@" in made else made


def _model(*args: Any, **rest: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A stand-in for the decorator of Python models, which does not affect the function."""
    del args, rest
    return lambda function: function


class _Anything:
    """A stand-in for anything else imported from SQLMesh: every attribute and every call returns another one."""

    def __getattr__(self, name: str) -> _Anything:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Anything()

    def __call__(self, *args: Any, **rest: Any) -> _Anything:
        return _Anything()


def _named(name: str) -> Any:
    """What a name of the source tool stands for: an error can be raised and caught. Kinds and other classes are used in
    decorators, which were already read.
    """
    return _error_class(name) if name.endswith("Error") else _Anything()


@cache
def _error_class(name: str) -> type[Exception]:
    above = Exception if name == "SQLMeshError" else _error_class("SQLMeshError")
    return type(name, (above,), {})


def _stand_in(name: str) -> types.ModuleType:
    module = types.ModuleType(name)
    names = {"macro": macro, "model": _model, "MacroEvaluator": Evaluator, "SQL": SQL, "ExecutionContext": object}
    module.__dict__.update({**names, "__path__": [], "__getattr__": _named})
    return module


def _arguments(
    function: Callable[..., Any], positional: Sequence[str], named: Mapping[str, str], scope: Scope, line: int
) -> tuple[list[Any], dict[str, Any]]:
    """Converts arguments as the function's annotations require; without annotations to trees."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    try:
        hints = typing.get_type_hints(function)
    except Exception:
        hints = {}

    def read(text: str, parameter: inspect.Parameter | None) -> Any:
        return _coerced(text, hints.get(parameter.name) if parameter is not None else None, scope, line)

    by_name = {parameter.name: parameter for parameter in parameters}
    values = []
    for position, text in enumerate(positional):
        parameter = parameters[min(position, len(parameters) - 1)] if parameters else None
        values.append(read(text, parameter))
    return values, {name: read(text, by_name.get(name)) for name, text in named.items()}


def _coerced(text: str, hint: Any, scope: Scope, line: int) -> Any:
    tree = tree_of(text, scope, line)
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        if isinstance(tree, exp.Null) and type(None) in typing.get_args(hint):
            return None
        hint = next((one for one in typing.get_args(hint) if one is not type(None)), None)
    if typing.get_origin(hint) is typing.Literal:
        hint = type(typing.get_args(hint)[0])
    if hint is SQL:
        return SQL(tree.sql(dialect=scope.dialect))
    if hint is str:
        return plain_text(text)
    if hint in (int, float) and isinstance(tree, exp.Literal | exp.Neg):
        return hint(text)
    if hint is bool and isinstance(tree, exp.Boolean):
        return tree.this
    origin = typing.get_origin(hint) or hint
    if origin in (list, tuple):
        items = tree.expressions if isinstance(tree, exp.Array | exp.Tuple) else [tree.unnest()]
        inner = next(iter(typing.get_args(hint)), None)
        return origin(_coerced(item.sql(dialect=scope.dialect), inner, scope, line) for item in items)
    return tree


def _fragment(result: Any, scope: Scope) -> Fragment:
    if result is None:
        return None
    if isinstance(result, list | tuple):
        parts = [_fragment(item, scope) for item in result]
        return [part for part in parts if isinstance(part, str)]
    if isinstance(result, exp.Expr):
        return sql_with_variables(result, scope.dialect)
    if isinstance(result, str):
        return result
    return exp.convert(result).sql(dialect=scope.dialect)


def sql_with_variables(tree: exp.Expr, dialect: str) -> str:
    """A tree built by the project's Python as SQL, with macro variables as `@x`."""
    # the holder makes room for a tree that is just a variable
    holder = exp.Paren(this=tree.copy())
    for parameter in list(holder.find_all(exp.Parameter)):
        parameter.replace(exp.column(f"{_VARIABLE}{parameter.name}"))
    return str(holder.this.sql(dialect=dialect)).replace(_VARIABLE, "@")


def line_in(error: BaseException, file: str) -> int:
    """The line of a file in which an error occurred."""
    trace = error.__traceback__
    line = 1
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
