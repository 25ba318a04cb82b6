"""Queries that a Python model makes in Python (`is_sql=True`): the file is run when asked for."""

from __future__ import annotations

from pathlib import Path

from sqlglot import exp

from dbt_kinds.errors import PythonMacro, PythonMacroFailed
from dbt_kinds.readers.sqlmesh.macros.scope import Scope
from dbt_kinds.readers.sqlmesh.python_macros import Evaluator, line_in, run_file, sql_with_variables, surroundings


def made_query(function: str, text: str, scope: Scope, line: int, root: Path, *, runs: bool) -> str:
    """The query that a function of a file makes, in the model's dialect; it may hold macros.

    Raises:
        PythonMacro: nothing is to be run.
        PythonMacroFailed: the function raised an error, or made no query.
    """
    if not runs:
        message = f"{scope.model_name} makes its query in Python (is_sql=True); pass --run-macros, or write it as SQL"
        raise scope.error(PythonMacro, message, line)
    names = run_file(text, scope.file, root)
    try:
        with surroundings(root):
            made = names[function](Evaluator(scope))
        if isinstance(made, exp.Expr):
            return sql_with_variables(made, scope.dialect)
    except Exception as error:
        message = f"{function}() raised {type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
        raise scope.error(PythonMacroFailed, message, line_in(error, scope.file)) from error
    if not isinstance(made, str):
        message = f"{function}() made {type(made).__name__}; return a query, as a text or a tree of sqlglot"
        raise scope.error(PythonMacroFailed, message, line)
    return made
