"""The context of a macro: variables, the model, columns of tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sqlglot import exp

from dbt_kinds.codes import CompileCode
from dbt_kinds.diagnostics import Diagnostic
from dbt_kinds.errors import CompileError
from dbt_kinds.placeholders import Placeholders
from dbt_kinds.translation.star_expansion import Columns
from dbt_kinds.translation.target import SparkTarget

# SQL in the source dialect; a list is a macro's several items, None a dropped one
Fragment = str | list[str] | None


@dataclass(frozen=True)
class Lambda:
    """`x -> body`, with the body as text: it is parsed again for every item."""

    parameters: tuple[str, ...]
    body: str
    line: int


@dataclass
class Scope:
    """The context of a macro.

    Attributes:
        locals: variables bound by @DEF and lambdas, as SQL.
        bare_names: parameters of the lambda, which are used in its body without `@`.
        blueprint: the values of the model's blueprint, as SQL.
        variables: the project's, as configured.
        columns_of: columns of a table by its name as written, None if unknown.
        allows_window: whether the model has a start and an end.
        parameters: arguments of an audit, which are not replaced.
        call_python: runs a Python macro of the project; None refuses it.
        jinja_macros: the project's macros of Jinja, as text.
        declared: names of tables declared over files, by declaration.
        project_notes: what holds for all models of the project.
    """

    dialect: str
    file: str
    placeholders: Placeholders
    variables: Mapping[str, Any] = field(default_factory=dict)
    locals: dict[str, Fragment] = field(default_factory=dict)
    functions: dict[str, Lambda] = field(default_factory=dict)
    blueprint: Mapping[str, Fragment] = field(default_factory=dict)
    parameters: frozenset[str] = frozenset()
    python_macros: frozenset[str] = frozenset()
    call_python: Callable[[str, list[str], dict[str, str], Scope, int], Fragment] | None = None
    jinja_macros: str = ""
    declared: dict[str, str] = field(default_factory=dict)
    columns_of: Callable[[str], Columns | None] = lambda name: None
    model_name: str = ""
    kind_name: str = ""
    gateway: str = ""
    adapter: str = "spark"
    target: SparkTarget = field(default_factory=SparkTarget)
    allows_window: bool = True
    is_nested: bool = False
    bare_names: frozenset[str] = frozenset()
    notes: list[Diagnostic] = field(default_factory=list)
    project_notes: list[Diagnostic] = field(default_factory=list)

    def error(self, code: CompileCode, message: str, line: int) -> CompileError:
        """An error about a line of the file."""
        return CompileError(code, message, self.file, line)

    def note(self, code: CompileCode, message: str, line: int, *, for_person: bool = False) -> None:
        """Records a note that does not stop the model; `for_person` if it needs review by a person."""
        note = Diagnostic.of(code, message, self.file, line)
        note = replace(note, severity="person") if for_person else note
        if note not in self.notes:
            self.notes.append(note)

    def note_once(self, code: CompileCode, message: str, line: int) -> None:
        """Records what holds for the whole project, where it is met first."""
        if all(note.message != message for note in self.project_notes):
            self.project_notes.append(Diagnostic.of(code, message, self.file, line))

    def nested(self, bound: Mapping[str, Fragment] | None = None) -> Scope:
        """The scope for a macro's argument, or for a lambda with its parameters bound."""
        names = self.bare_names | (bound or {}).keys()
        return replace(self, locals={**self.locals, **(bound or {})}, bare_names=names, is_nested=True)


def sql_of(value: Any, dialect: str) -> Fragment:
    """A configured value as SQL; a list as a list."""
    if isinstance(value, list | tuple):
        return [item for item in (sql_of(item, dialect) for item in value) if isinstance(item, str)]
    if value is None or isinstance(value, bool | int | float | str):
        return exp.convert(value).sql(dialect=dialect)
    if isinstance(value, dict):
        return exp.convert(value).sql(dialect=dialect)
    return exp.convert(str(value)).sql(dialect=dialect)


def plain_text(fragment: str) -> str:
    """SQL of a literal or name as plain text, for use as a part of a name."""
    text = fragment.strip()
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"`":
        return text[1:-1].replace(text[0] * 2, text[0])
    return text
