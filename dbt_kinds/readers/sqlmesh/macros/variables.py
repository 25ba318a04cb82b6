"""Macro variables: their values, or where they are only known when dbt runs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dbt_kinds.codes import CompileCode
from dbt_kinds.kinds import Jinja, Parameter, SparkSql, This, TimeVariable, Variable
from dbt_kinds.placeholders import has_glued_placeholder
from dbt_kinds.readers.sqlmesh.environment import jinja_of, variables_in
from dbt_kinds.readers.sqlmesh.macros.scope import Fragment, Scope, plain_text, sql_of
from dbt_kinds.readers.time_names import has_window, time_variable

REFERENCE = re.compile(r"@\{\s*(\w+)\s*\}|@(\w+)")


NO_COUNTERPART = frozenset({"this_env", "schemas", "views", "resolve_template", "snapshots"})


def sql_text(text: str) -> str:
    """A string as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def variable_value(name: str, scope: Scope, line: int, before: str = "") -> Fragment:
    """The SQL of a variable: local, blueprint, project, in this order of precedence."""
    key = name.lower()
    if key in scope.locals:
        return scope.locals[key]
    if key in scope.blueprint:
        return scope.blueprint[key]
    configured = project_variables(scope)
    if key in configured:
        return sql_of(configured[key], scope.dialect)
    if key == "this_model":
        return scope.placeholders.name_of(This())
    if key in scope.parameters:
        return scope.placeholders.name_of(Parameter(key))
    known = {"model_kind_name": scope.kind_name, "gateway": scope.gateway, "runtime_stage": "evaluating"}
    if key in known:
        return sql_text(known[key])
    if key in NO_COUNTERPART:
        raise scope.error(
            CompileCode.UnsupportedMacro, f"@{name} has no counterpart in dbt; write the SQL it stands for", line
        )
    if scope.dialect == "snowflake" and before in ("FROM", "JOIN"):
        raise scope.error(
            CompileCode.UnsupportedMacro, f"the stage @{name} has no counterpart; load it into a table", line
        )
    message = f"@{name} is defined nowhere; add it to the config's variables, or a line @DEF({name}, …) above the query"
    raise scope.error(CompileCode.UndefinedMacroVariable, message, line)


def is_known(name: str, scope: Scope) -> bool:
    """Whether a variable has a value here."""
    key = name.lower()
    special = ("this_model", "model_kind_name", "gateway", "runtime_stage")
    return is_bound(name, scope) or key in project_variables(scope) or key in scope.parameters or key in special


def is_bound(name: str, scope: Scope) -> bool:
    """Whether a variable is bound by @DEF, a lambda or a blueprint."""
    return name.lower() in scope.locals or name.lower() in scope.blueprint


def spelled(name: str, scope: Scope) -> str:
    """A variable's name as spelled in the config, since dbt's variable names are case-sensitive."""
    return next((key for key in scope.variables if key.lower() == name.lower()), name)


def project_variables(scope: Scope) -> dict[str, object]:
    """The variables of the project, by lower-case name."""
    return {key.lower(): value for key, value in scope.variables.items()}


def is_mapping(name: str, scope: Scope) -> bool:
    """Whether a variable of the project has fields."""
    return not is_bound(name, scope) and isinstance(project_variables(scope).get(name.lower()), dict)


def field_value(name: str, fields: Sequence[str], scope: Scope, line: int) -> Fragment:
    """The SQL of `@name.field`, which is the field's current value.

    Raises:
        CompileError: there is no such field (UndefinedMacroVariable).
    """
    value = project_variables(scope)[name.lower()]
    for position, field in enumerate(fields):
        known = {str(key).lower(): item for key, item in value.items()} if isinstance(value, dict) else {}
        if field.lower() not in known:
            path = ".".join([name, *fields[: position + 1]])
            message = f"@{path} is defined nowhere; @{name} has {', '.join(known) or 'no fields'} there"
            raise scope.error(CompileCode.UndefinedMacroVariable, message, line)
        value = known[field.lower()]
    note_frozen(".".join([name, *fields]), scope, line)
    return sql_of(value, scope.dialect)


def variable_placeholder(name: str, value: object, scope: Scope) -> str:
    """The placeholder of a variable whose value dbt fills in, from its own variables or from the environment."""
    if variables_in(value):
        return scope.placeholders.name_of(Jinja(f"{{{{ dbt_kinds.text_literal({jinja_of(str(value))}) }}}}"))
    return scope.placeholders.name_of(Variable(spelled(name, scope), isinstance(value, str)))


def check_known(name: str, value: object, scope: Scope, line: int) -> None:
    """Refuses a value that only dbt knows where it is needed now.

    Raises:
        CompileError: it comes from the environment (UndefinedMacroVariable).
    """
    if variables_in(value):
        names = ", ".join(variables_in(value))
        message = (
            f"@{name} comes from the environment ({names}) and is needed here to write the SQL; pass it by --vars, or "
            "write its value in the config, or env_var('<NAME>', '<default>')"
        )
        raise scope.error(CompileCode.UndefinedMacroVariable, message, line)


def note_frozen(name: str, scope: Scope, line: int) -> None:
    """Notes that a variable was replaced by its current value.

    Raises:
        CompileError: it comes from the environment (UndefinedMacroVariable).
    """
    check_known(name, project_variables(scope).get(name.split(".")[0].lower()), scope, line)
    message = f"@{name} was replaced by its value of today; compile again after you change it"
    # once per model, however often its SQL uses it
    if all((note.code, note.message) != (CompileCode.VariableFrozen, message) for note in scope.notes):
        scope.note(CompileCode.VariableFrozen, message, line)


def time_placeholder(macro: str, scope: Scope, line: int) -> str:
    """The placeholder of a time variable.

    Raises:
        CompileError: the model has no window (TimeVariableNotAllowed).
    """
    if not scope.allows_window and has_window(macro):
        message = (
            f"{scope.model_name} is of kind {scope.kind_name or 'VIEW'}, which has no window, and asks for @{macro}; "
            "make it incremental, or write @execution_… for the time of the run"
        )
        raise scope.error(CompileCode.TimeVariableNotAllowed, message, line)
    return scope.placeholders.name_of(TimeVariable(macro))


def name_text(name: str, scope: Scope, line: int) -> str:
    """A variable as a part of a name."""
    if time_variable(name):
        message = f"@{name} is part of a name; a window's bound is known only when dbt runs, so write it as a value"
        raise scope.error(CompileCode.UnsupportedMacro, message, line)
    fragment = variable_value(name, scope, line)
    if name.lower() in project_variables(scope) and not is_bound(name, scope):
        note_frozen(name, scope, line)
    if not isinstance(fragment, str):
        raise scope.error(CompileCode.UnsupportedMacro, f"@{name} is a list and cannot be part of a name", line)
    return plain_text(fragment)


def checked_word(text: str, scope: Scope, line: int) -> str:
    """Checks a name or string that contains expanded variables.

    Raises:
        CompileError: one of them is only known when dbt runs (UnsupportedMacro).
    """
    if has_glued_placeholder(text):
        message = "a variable that only dbt knows, such as @this_model, is part of a name here; write the name out"
        raise scope.error(CompileCode.UnsupportedMacro, message, line)
    return text


def filled_in(text: str, scope: Scope, line: int) -> str:
    """A quoted name with its variables replaced; anything that is not a variable is unchanged."""

    def put(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        return name_text(name, scope, line) if is_known(name, scope) else found[0]

    return checked_word(REFERENCE.sub(put, text), scope, line)


def template(text: str, scope: Scope, line: int) -> str:
    """`@'…'`: one string, or a concat if it contains a time variable."""
    pieces: list[str] = []
    position = 0
    literal = ""
    for found in REFERENCE.finditer(text):
        name = found[1] or found[2]
        literal += text[position : found.start()]
        position = found.end()
        macro = time_variable(name)
        if macro is None:
            literal += name_text(name, scope, line) if is_known(name, scope) else found[0]
            continue
        if literal:
            pieces.append(sql_text(checked_word(literal, scope, line)))
        pieces.append(time_placeholder(macro, scope, line))
        literal = ""
    literal = checked_word(literal + text[position:], scope, line)
    if not pieces:
        return sql_text(literal)
    if literal:
        pieces.append(sql_text(literal))
    # other dialects would rewrite concat
    return scope.placeholders.name_of(SparkSql(f"concat({', '.join(pieces)})"))
