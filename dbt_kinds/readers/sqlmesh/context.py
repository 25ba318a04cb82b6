"""The state of reading a project, shared by all files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlglot import exp

from dbt_kinds.diagnostics import Diagnostic
from dbt_kinds.kinds import TestDefinition
from dbt_kinds.placeholders import Placeholders, is_placeholder
from dbt_kinds.readers.sqlmesh.block import Block, Value
from dbt_kinds.readers.sqlmesh.config import Config
from dbt_kinds.readers.sqlmesh.discovery import Files
from dbt_kinds.readers.sqlmesh.macros.scope import Fragment, Scope
from dbt_kinds.readers.sqlmesh.names import TableName, table_name_of
from dbt_kinds.readers.sqlmesh.statements import Statement
from dbt_kinds.readers.sqlmesh.tables import Tables
from dbt_kinds.translation.star_expansion import Columns
from dbt_kinds.translation.target import SparkTarget


@dataclass(frozen=True)
class Options:
    """The options of the command.

    Attributes:
        spark: the version of Spark that queries are written for.
        run_config: whether a config.py is run; otherwise its literals are read.
        variables: values of variables that take precedence over the configuration's.
        is_vulcan: whether YAML contains semantic models, metrics and checks; None detects it from the files.
        audits_as_tests: whether audits are tests of the table even if batches can be audited.
    """

    adapter: str = "spark"
    spark: str = "3.5"
    run_macros: bool = False
    run_config: bool = False
    variables: Mapping[str, Any] = field(default_factory=dict)
    name: str | None = None
    is_vulcan: bool | None = None
    audits_as_tests: bool = False


@dataclass
class ModelSource:
    """A model as declared in its file, before its query is parsed.

    Attributes:
        head: the text of the block, including preceding comments.
        blueprint: the values of this model, if the file defines several.
        entry: name and kind for the report, as far as readable.
    """

    file: str
    block: Block
    statement: Statement
    dialect: str
    statements: list[Statement]
    name: TableName
    kind_name: str
    description: str | None
    scope: Scope
    head: str = ""
    blueprint: dict[str, Fragment] = field(default_factory=dict)


@dataclass
class ProjectContext:
    """The state of reading a project.

    Attributes:
        audits: the project's own, by lower-case name.
        used_audits: those used by some model, which are written as generic tests; by name and fixed arguments.
        columns_of: the columns of a model or source by key.
        declared: names of tables declared over files, by declaration.
    """

    root: Path
    config: Config
    files: Files
    options: Options
    tables: Tables
    audits: dict[str, AuditSource] = field(default_factory=dict)
    used_audits: dict[str, TestDefinition] = field(default_factory=dict)
    python_macros: frozenset[str] = frozenset()
    jinja_macros: str = ""
    declared: dict[str, str] = field(default_factory=dict)
    call_python: Callable[[str, list[str], dict[str, str], Scope, int], Fragment] | None = None
    columns_of: Callable[[str], Columns | None] = lambda key: None
    notes: list[Diagnostic] = field(default_factory=list)

    def scope(self, file: str, dialect: str) -> Scope:
        """The scope of a file's macros."""
        return Scope(
            dialect=dialect,
            file=file,
            placeholders=Placeholders(),
            variables=self.config.variables,
            python_macros=self.python_macros,
            call_python=self.call_python,
            jinja_macros=self.jinja_macros,
            declared=self.declared,
            gateway=self.config.gateway,
            adapter=self.options.adapter,
            target=SparkTarget(self.options.spark),
            project_notes=self.notes,
        )


def lookup(context: ProjectContext, scope: Scope) -> Callable[[exp.Table], Columns | None]:
    """The columns of a table in a tree, as a function: by its name or, in a translated one, by its placeholder."""

    def columns(table: exp.Table) -> Columns | None:
        if not is_placeholder(table.name):
            return context.columns_of(context.tables.key_of(table_name_of(table, scope.dialect)))
        key = context.tables.key_of_placeholder(scope.placeholders.by_name[table.name])
        return None if key is None else context.columns_of(key)

    return columns


@dataclass
class AuditSource:
    """An AUDIT block and its query, parsed when a model uses it."""

    name: str
    file: str
    block: Block
    query: Statement | None
    dialect: str
    defaults: dict[str, Value] = field(default_factory=dict)
    is_blocking: bool = True
    is_skipped: bool = False
    is_standalone: bool = False
    description: str | None = None
    banner: list[str] = field(default_factory=list)
