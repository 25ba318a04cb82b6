"""Uses an installed SQLMesh: its decorator, its evaluator and its way of calling macros, instead of stand-ins."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlglot import exp

from dbt_kinds.kinds import This
from dbt_kinds.readers.sqlmesh.macros.arguments import tree_of
from dbt_kinds.readers.sqlmesh.macros.scope import Fragment, Scope
from dbt_kinds.readers.sqlmesh.macros.variables import time_placeholder
from dbt_kinds.readers.time_names import time_names


def is_installed() -> bool:
    """Whether SQLMesh can be imported, checked without importing it. A folder of that name does not count."""
    try:
        found = importlib.util.find_spec("sqlmesh")
    except (ImportError, ValueError):
        return False
    return found is not None and found.origin is not None


class InstalledSqlmesh:
    """SQLMesh's own macro machinery, as far as a project's macros need it."""

    def __init__(self) -> None:
        """Imports it, which takes seconds.

        Raises:
            ImportError: it is installed and cannot be imported.
        """
        self._macros: Any = importlib.import_module("sqlmesh.core.macros")
        self._constants: Any = importlib.import_module("sqlmesh.core.constants")
        self._before = dict(self._macros.macro.get_registry())

    def registered(self) -> dict[str, Callable[..., Any]]:
        """The macros decorated since, by lower-case name."""
        registry = self._macros.macro.get_registry()
        return {name.lower(): found.func for name, found in registry.items() if self._before.get(name) is not found}

    def evaluator(self, scope: Scope) -> Any:
        """SQLMesh's evaluator with the variables and columns of a scope."""
        stage = self._macros.RuntimeStage.EVALUATING
        made = self._macros.MacroEvaluator(dialect=scope.dialect, runtime_stage=stage)
        times = {name: macro for name, macro in time_names().items() if scope.allows_window or "execution" in macro}
        made.locals.update({name: exp.column(time_placeholder(macro, scope, 1)) for name, macro in times.items()})
        made.locals.update({"this_model": exp.column(scope.placeholders.name_of(This())), "gateway": scope.gateway})
        made.locals.update({name: _value(value, scope) for name, value in scope.locals.items()})
        made.locals[self._constants.SQLMESH_VARS] = {name.lower(): value for name, value in scope.variables.items()}
        made.locals[self._constants.SQLMESH_BLUEPRINT_VARS] = {
            name.lower(): _value(value, scope) for name, value in scope.blueprint.items()
        }
        made.columns_to_types = lambda table: _columns(table, scope)
        return made

    def call(
        self, function: Callable[..., Any], scope: Scope, positional: Sequence[exp.Expr], named: Mapping[str, exp.Expr]
    ) -> Any:
        """Calls a macro with its arguments converted to what its annotations require."""
        given = (self.evaluator(scope), *positional)
        return self._macros.call_macro(function, scope.dialect, None, provided_args=given, provided_kwargs=dict(named))


def _value(value: Fragment, scope: Scope) -> Any:
    if isinstance(value, list):
        return [_value(item, scope) for item in value]
    return None if value is None else tree_of(value, scope, 1)


def _columns(table: Any, scope: Scope) -> dict[str, exp.DataType]:
    text = table if isinstance(table, str) else table.sql(dialect=scope.dialect)
    columns = scope.columns_of(text)
    if not columns:
        raise LookupError(f"the columns of {text} are not known")
    return {name: kind if kind is not None else exp.DataType.build("unknown") for name, kind in columns}
