"""A SQLMesh or Vulcan project as a whole: the order in which it is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.simplify import simplify

from dbt_kinds.codes import CompileCode
from dbt_kinds.diagnostics import Diagnostic, Place
from dbt_kinds.errors import CompileError
from dbt_kinds.kinds import Model, Project, ProjectFile, Seed, SkippedModel, SourceTable, SqlText
from dbt_kinds.readers.names import project_name
from dbt_kinds.readers.sqlmesh.audit_definitions import define
from dbt_kinds.readers.sqlmesh.audits import read_audit
from dbt_kinds.readers.sqlmesh.batch_audits import place_audits
from dbt_kinds.readers.sqlmesh.config import read_config
from dbt_kinds.readers.sqlmesh.context import ModelSource, Options, ProjectContext
from dbt_kinds.readers.sqlmesh.defaults import read_defaults
from dbt_kinds.readers.sqlmesh.described import DescribedModels
from dbt_kinds.readers.sqlmesh.dialects import check_dialect
from dbt_kinds.readers.sqlmesh.discovery import find_files, has_semantics
from dbt_kinds.readers.sqlmesh.environment import variables_in
from dbt_kinds.readers.sqlmesh.external import read_external, read_external_tests
from dbt_kinds.readers.sqlmesh.file_tables import declarations
from dbt_kinds.readers.sqlmesh.jinja_rendering import macros_in
from dbt_kinds.readers.sqlmesh.line_comments import with_dashes
from dbt_kinds.readers.sqlmesh.model_names import name_models
from dbt_kinds.readers.sqlmesh.models import ModelReader, order_of
from dbt_kinds.readers.sqlmesh.python_models.sources import read_python_sources
from dbt_kinds.readers.sqlmesh.refusals import read_refused, refuse_circles
from dbt_kinds.readers.sqlmesh.sources import read_sources
from dbt_kinds.readers.sqlmesh.statements import Statement, block_dialect, split_statements
from dbt_kinds.readers.sqlmesh.tables import Tables, column_list, name_of_text
from dbt_kinds.readers.sqlmesh.unit_tests import read_unit_tests
from dbt_kinds.readers.vulcan.read import read_semantics
from dbt_kinds.translation.dialects import ParseFailure, parse_expression
from dbt_kinds.translation.star_expansion import Columns

_BUILT_IN_MACRO = re.compile(
    r"\{%-?\s*macro\s+(ref|source|config|var|env_var|log|return|run_query|statement|is_incremental|generate_schema_name|"
    r"generate_alias_name|generate_database_name|this|adapter|target|modules|graph|model|tojson|fromjson|print)\s*\("
)
Progress = Callable[[str, int, int], None]

_WORDS = {"true": True, "false": False, "1": True, "0": False}


def read_project(root: Path, options: Options, progress: Progress | None = None) -> Project:
    """Reads a project.

    Args:
        progress: called with the file, how many are done, and how many there are.

    Raises:
        CompileError: there is no readable project (SourceNotFound, ConfigNotFound, BadConfig).
    """
    config = read_config(root, runs=options.run_config, variables=options.variables)
    files = find_files(root, config.ignore_patterns)
    context = ProjectContext(root, config, files, options, Tables(config.catalog))
    if config.dialect is not None:
        try:
            check_dialect(config.dialect, config.file, 1)
        except CompileError as error:
            raise CompileError(CompileCode.BadConfig, error.message, config.file, 1) from error
    project = Project(project_name(options.name or config.project or root.resolve().name), config.file)
    _read_shared_files(context, project)
    sources = _read_model_files(context, project, progress)
    readers = name_models(sources, context, project)
    refused = _know_refused(context, project)
    by_key = {reader.key: reader for reader in readers}
    context.columns_of = _columns_finder(context, by_key, refused)
    external = _read_external_files(context, project)
    for reader in readers:
        _read_model(reader, project)
    for source, entry in external:
        read_external_tests(source, entry, context)
    _read_standalone_audits(context, project)
    read_defaults(context, project)
    _copy_jinja_macros(context, project)
    refuse_circles(project)
    place_audits(project, as_tests=options.audits_as_tests)
    if _is_vulcan(context, sources):
        read_semantics({path: files.text(path) for path in files.semantics}, project, DescribedModels(context))
    read_refused(project, context)
    for path in files.unit_tests:
        read_unit_tests(files.text(path), path, project, context)
    _finish(context, project)
    return project


def _read_shared_files(context: ProjectContext, project: Project) -> None:
    """Reads audits and macros, which models may use wherever they are defined."""
    for path in context.files.audits:
        text = context.files.text(path)
        try:
            dialect = check_dialect(block_dialect(with_dashes(text)) or context.config.dialect or "", path, 1)
            text = with_dashes(text, dialect)
            group: list[Statement] = []
            for statement in [*split_statements(text, path, dialect), None]:
                if (statement is None or statement.kind == "audit") and group:
                    audit = read_audit(group, dialect)
                    context.audits[audit.name] = audit
                    group = []
                if statement is not None:
                    group.append(statement)
        except CompileError as error:
            project.notes.append(error.diagnostic)
    context.jinja_macros = "".join(macros_in(context.files.text(path)) for path in context.files.jinja_macros)
    for path in context.files.metrics:
        project.notes.append(
            Diagnostic.of(CompileCode.MetricBlock, "METRIC blocks are not converted; write a dbt metric", path, 1)
        )
    context.python_macros = frozenset(_python_macro_names(context))
    if context.options.run_macros and context.files.python_macros:
        from dbt_kinds.readers.sqlmesh.python_macros import caller, load_macros

        loaded = load_macros({path: context.files.text(path) for path in context.files.python_macros}, context.root)
        project.notes.extend(error.diagnostic for error in loaded.failures.values())
        context.python_macros |= loaded.macros.keys()
        context.call_python = caller(loaded, context.root)


def _copy_jinja_macros(context: ProjectContext, project: Project) -> None:
    """Copies the macros that Jinja calls; if all Jinja was rendered, none are needed."""
    hooks = [hook for model in project.models for hook in (*model.pre_hooks, *model.post_hooks)]
    queries = [model.query for model in project.models]
    if not any(isinstance(text, SqlText) and text.is_jinja for text in (*queries, *hooks)):
        return
    for path in context.files.jinja_macros:
        text = context.files.text(path)
        clash = _BUILT_IN_MACRO.search(text)
        if clash is not None:
            message = f"the macro {clash[1]} has the name of one that dbt has built in; rename it, with its calls"
            project.notes.append(
                Diagnostic.of(CompileCode.NameClash, message, path, text.count("\n", 0, clash.start()) + 1)
            )
            continue
        project.files.append(ProjectFile(path, text, Place(path, 1)))


def _python_macro_names(context: ProjectContext) -> Iterable[str]:
    import ast

    for path in context.files.python_macros:
        try:
            tree = ast.parse(context.files.text(path))
        except (SyntaxError, ValueError):
            continue
        for node in (item for item in tree.body if isinstance(item, ast.FunctionDef)):
            for decorator in node.decorator_list:
                if "macro" in ast.dump(decorator):
                    arguments = decorator.args if isinstance(decorator, ast.Call) else []
                    name = arguments[0].value if arguments and isinstance(arguments[0], ast.Constant) else ""
                    yield str(name or node.name).lower()


def _read_model_files(context: ProjectContext, project: Project, progress: Progress | None) -> list[ModelSource]:
    sources: list[ModelSource] = []
    paths = sorted([*context.files.models, *context.files.python_models])
    for position, path in enumerate(paths):
        if progress is not None:
            progress(path, position, len(paths))
        for found in _found_in(path, context):
            if isinstance(found, SkippedModel):
                project.left_out.append(found)
            elif not _is_enabled(found, context):
                message = f"{found.name.text} is not enabled and was not converted"
                note = Diagnostic.of(CompileCode.PropertyDropped, message, path, found.block.place.line)
                project.left_out.append(
                    SkippedModel(found.name.text, found.kind_name, found.block.place, "skipped", [note])
                )
            else:
                sources.append(found)
    return sources


def _is_vulcan(context: ProjectContext, sources: Iterable[ModelSource]) -> bool:
    """Whether it is a Vulcan project: as given by the command, or as shown by a property or YAML of Vulcan's."""
    if context.options.is_vulcan is not None:
        return context.options.is_vulcan
    return (
        has_semantics(context.files)
        or context.config.is_vulcan
        or any("assertions" in source.block.properties for source in sources)
    )


def _know_refused(context: ProjectContext, project: Project) -> dict[str, Columns]:
    """Registers models whose own block or decorator was refused, because other models still refer to them.

    Returns:
        Their columns by key, as far as declared.
    """
    columns: dict[str, Columns] = {}
    for left in project.left_out:
        name = name_of_text(left.name, context.config.dialect or "")
        if left.status == "refused" and name.schema is not None:
            key = context.tables.key_of(name)
            context.tables.models.add(key)
            columns[key] = column_list(left.columns)
    return columns


def _found_in(path: str, context: ProjectContext) -> Iterable[ModelSource | SkippedModel]:
    text = context.files.text(path)
    return read_python_sources(text, path, context) if path.endswith(".py") else read_sources(text, path, context)


def _is_enabled(source: ModelSource, context: ProjectContext) -> bool:
    value = source.block.properties.get("enabled")
    if value is None:
        return context.config.defaults.get("enabled") is not False
    return _is_true(value.text, source)


def _is_true(text: str, source: ModelSource) -> bool:
    """Whether a condition of literals holds, such as `(0 = 1)`."""
    try:
        simple = simplify(parse_expression(text, "")).unnest()
    except ParseFailure:
        simple = exp.Null()
    if isinstance(simple, exp.Boolean):
        return bool(simple.this)
    if isinstance(simple, exp.Literal) and simple.name.lower() in _WORDS:
        return _WORDS[simple.name.lower()]
    message = (
        f"enabled of {source.name.text} is '{text}', which is not known here; it was converted, write true or false"
    )
    source.scope.note(CompileCode.PropertyDropped, message, source.block.place.line, for_person=True)
    return True


def _columns_finder(
    context: ProjectContext, readers: Mapping[str, ModelReader], refused: Mapping[str, Columns]
) -> Callable[[str], Columns | None]:
    known: dict[str, Columns | None] = {}

    def columns(key: str) -> Columns | None:
        if key not in known:
            reader, source = readers.get(key), context.tables.sources.get(key)
            # a model may read itself
            found: Columns | None = known.setdefault(key, None)
            if reader is not None:
                try:
                    found = reader.columns()
                except CompileError:
                    found = None
            elif key in refused:
                found = refused[key] or None
            elif source is not None and source.columns:
                found = column_list(source.columns)
            known[key] = found
        return known[key]

    return columns


def _read_external_files(context: ProjectContext, project: Project) -> list[tuple[SourceTable, dict[str, Any]]]:
    found: list[tuple[SourceTable, dict[str, Any]]] = []
    for path in context.files.external:
        try:
            found.extend(read_external(context.files.text(path), path, context))
        except CompileError as error:
            project.notes.append(error.diagnostic)
    return found


def _read_model(reader: ModelReader, project: Project) -> None:
    source = reader.source
    try:
        node = reader.read()
    except CompileError as error:
        notes = [error.diagnostic, *source.scope.notes]
        kind = source.kind_name or reader.scope.kind_name or "VIEW"
        project.left_out.append(SkippedModel(source.name.text, kind, source.block.place, "refused", notes))
        return
    if isinstance(node, Seed):
        project.seeds.append(node)
    else:
        project.models.append(node)


def _read_standalone_audits(context: ProjectContext, project: Project) -> None:
    for audit in sorted(context.audits.values(), key=lambda item: item.name):
        if audit.is_standalone:
            try:
                define(audit, context)
            except CompileError as error:
                project.notes.append(error.diagnostic)
    project.tests = [context.used_audits[name] for name in sorted(context.used_audits)]


def _finish(context: ProjectContext, project: Project) -> None:
    config = context.config
    project.models = [node for node in order_of(project.models) if isinstance(node, Model)]
    project.seeds = [node for node in order_of(project.seeds) if isinstance(node, Seed)]
    project.sources = sorted(context.tables.sources.values(), key=lambda table: (table.source, table.name))
    project.variables = {name: value for name, value in config.variables.items() if not variables_in(value)}
    project.on_run_start = [*declarations(context.declared), *project.on_run_start]
    for node in (*project.models, *project.seeds):
        owner = node.origin.pop("owner", None)
        if owner is not None:
            project.groups[node.settings["group"]] = owner
    project.notes = [*config.notes, *_not_converted(context), *project.notes, *_unique(context.notes)]
    project.left_out.sort(key=lambda left: (left.place, left.name))


def _not_converted(context: ProjectContext) -> list[Diagnostic]:
    """One note for the folders and configuration keys that have no counterpart."""
    names = [*context.files.not_converted, *context.config.not_converted]
    message = f"{', '.join(names)} not converted: dbt has no counterpart, or its own"
    return [Diagnostic.of(CompileCode.PropertyDropped, message, context.config.file, 1)] if names else []


def _unique(notes: Iterable[Diagnostic]) -> list[Diagnostic]:
    return list(dict.fromkeys(notes))
