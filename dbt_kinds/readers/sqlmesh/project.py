"""A SQLMesh or Vulcan project as a whole: the order in which it is read."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from dbt_kinds.errors import (
    BadConfig,
    CatalogDropped,
    CircularReference,
    CompileError,
    MetricBlock,
    NameChanged,
    NameClash,
    PropertyDropped,
    PythonMacroFailed,
    ReadsRefused,
)
from dbt_kinds.kinds import (
    LeftOut,
    Mark,
    Model,
    ModelReference,
    Note,
    Place,
    Project,
    ProjectFile,
    PythonBody,
    Seed,
    SourceReference,
    SourceTable,
    SqlText,
    note_of,
)
from dbt_kinds.readers.sqlmesh.audits import define, read_audit
from dbt_kinds.readers.sqlmesh.config import read_config
from dbt_kinds.readers.sqlmesh.context import ModelSource, Options, ProjectContext
from dbt_kinds.readers.sqlmesh.dialects import check_dialect
from dbt_kinds.readers.sqlmesh.discovery import find_files
from dbt_kinds.readers.sqlmesh.external import read_external, read_external_tests
from dbt_kinds.readers.sqlmesh.hooks import read_hook
from dbt_kinds.readers.sqlmesh.macros.scope import Columns
from dbt_kinds.readers.sqlmesh.models import ModelReader, order_of
from dbt_kinds.readers.sqlmesh.names import dbt_name
from dbt_kinds.readers.sqlmesh.python_models.sources import read_python_sources
from dbt_kinds.readers.sqlmesh.sources import read_sources
from dbt_kinds.readers.sqlmesh.statements import Statement, block_dialect, split_statements
from dbt_kinds.readers.sqlmesh.tables import Tables, column_list
from dbt_kinds.readers.sqlmesh.unit_tests import read_unit_tests
from dbt_kinds.readers.vulcan.read import read_semantics

_META_DEFAULTS = (
    "start",
    "cron",
    "cron_tz",
    "interval_unit",
    "allow_partials",
    "on_destructive_change",
    "on_additive_change",
)
_DEFAULTS_READ = frozenset(
    {*_META_DEFAULTS, "dialect", "kind", "table_format", "storage_format", "physical_properties", "audits", "owner"}
    | {"pre_statements", "post_statements", "on_virtual_update", "enabled"}
)
_NO_NOTE = frozenset({"batch_concurrency", "optimize_query", "formatting", "gateway", "virtual_properties"})
_BUILT_IN_MACRO = re.compile(
    r"\{%-?\s*macro\s+(ref|source|config|var|env_var|log|return|run_query|statement|is_incremental|generate_schema_name|"
    r"generate_alias_name|generate_database_name|this|adapter|target|modules|graph|model|tojson|fromjson|print)\s*\("
)
Progress = Callable[[str, int, int], None]


def read_project(root: Path, options: Options, progress: Progress | None = None) -> Project:
    """Reads a project.

    Args:
        progress: called with the file, how many are done, and how many there are.

    Raises:
        SourceNotFound, ConfigNotFound, BadConfig: there is no readable project.
    """
    config = read_config(root)
    files = find_files(root, config.ignore_patterns)
    context = ProjectContext(root, config, files, options, Tables(config.catalog))
    if config.dialect is not None:
        try:
            check_dialect(config.dialect, config.file, 1)
        except CompileError as error:
            raise BadConfig(error.message, config.file, 1) from error
    project = Project(_project_name(options.name or config.project or root.resolve().name), config.file)
    try:
        _read_shared_files(context, project)
    except PythonMacroFailed as error:
        project.notes.append(note_of(error))
    sources = _read_model_files(context, project, progress)
    readers = _name_models(sources, context, project)
    by_key = {reader.key: reader for reader in readers}
    context.columns_of = _columns_finder(context, by_key)
    external = _read_external_files(context, project)
    for reader in readers:
        _read_model(reader, project)
    for source, entry in external:
        read_external_tests(source, entry, context)
    _read_standalone_audits(context, project)
    _refuse_circles(project)
    _read_refused(project, context)
    for path in files.unit_tests:
        read_unit_tests(files.text(path), path, project, context)
    read_semantics({path: files.text(path) for path in files.semantics}, project, context)
    _finish(context, project)
    return project


def _project_name(text: str) -> str:
    """A name that dbt takes: letters, digits and underscores, no digit first."""
    name = dbt_name(text)
    return f"project_{name}" if name[:1].isdigit() else name


def _read_shared_files(context: ProjectContext, project: Project) -> None:
    """Audits and macros, which models may use wherever they stand."""
    for path in context.files.audits:
        text = context.files.text(path)
        try:
            dialect = check_dialect(block_dialect(text) or context.config.dialect or "", path, 1)
            group: list[Statement] = []
            for statement in [*split_statements(text, path, dialect), None]:
                if (statement is None or statement.kind == "audit") and group:
                    audit = read_audit(group, dialect)
                    context.audits[audit.name] = audit
                    group = []
                if statement is not None:
                    group.append(statement)
        except CompileError as error:
            project.notes.append(note_of(error))
    for path in context.files.jinja_macros:
        text = context.files.text(path)
        clash = _BUILT_IN_MACRO.search(text)
        if clash is not None:
            message = f"the macro {clash[1]} has the name of one that dbt has built in; rename it, with its calls"
            project.notes.append(note_of(NameClash(message, path, text.count("\n", 0, clash.start()) + 1)))
            continue
        project.files.append(ProjectFile(path, text, Place(path, 1)))
    for path in context.files.metrics:
        project.notes.append(note_of(MetricBlock("METRIC blocks are not converted; write a dbt metric", path, 1)))
    context.python_macros = frozenset(_python_macro_names(context))
    if context.options.run_macros and context.files.python_macros:
        from dbt_kinds.readers.sqlmesh.python_macros import caller, load_macros

        macros = load_macros({path: context.files.text(path) for path in context.files.python_macros})
        context.python_macros |= macros.keys()
        context.call_python = caller(macros)


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
            if isinstance(found, LeftOut):
                project.left_out.append(found)
            elif not _is_enabled(found, context):
                message = f"{found.name.text} is not enabled and was not converted"
                note = note_of(PropertyDropped(message, path, found.block.place.line))
                project.left_out.append(LeftOut(found.name.text, found.kind_name, found.block.place, "skipped", [note]))
            else:
                sources.append(found)
    return sources


def _found_in(path: str, context: ProjectContext) -> Iterable[ModelSource | LeftOut]:
    text = context.files.text(path)
    return read_python_sources(text, path, context) if path.endswith(".py") else read_sources(text, path, context)


def _is_enabled(source: ModelSource, context: ProjectContext) -> bool:
    value = source.block.properties.get("enabled")
    if value is None:
        return context.config.defaults.get("enabled") is not False
    return value.text.lower() != "false"


def _name_models(sources: list[ModelSource], context: ProjectContext, project: Project) -> list[ModelReader]:
    """Gives every model its name in dbt, and refuses those that would share a table."""
    tables = context.tables
    if tables.catalog is None:
        catalogs = {source.name.catalog for source in sources if source.name.catalog}
        tables.catalog = catalogs.pop() if len(catalogs) == 1 else None
    places: dict[tuple[str, str], list[ModelSource]] = defaultdict(list)
    for source in sources:
        places[(dbt_name(source.name.schema or ""), dbt_name(source.name.table))].append(source)
    last_parts = Counter(dbt_name(source.name.table) for group in places.values() for source in group[:1])
    readers = []
    for (schema, table), group in sorted(places.items(), key=lambda item: (item[1][0].file, item[0])):
        if len(group) > 1:
            _refuse_clash(group, project)
            continue
        source = group[0]
        node = table if last_parts[table] == 1 else f"{schema}__{table}"
        _note_names(source, tables)
        reader = ModelReader(source, node, schema or None, table, context)
        readers.append(reader)
    tables.models.update(reader.key for reader in readers)
    return readers


def _refuse_clash(group: list[ModelSource], project: Project) -> None:
    files = sorted({f"{source.file}:{source.block.place.line}" for source in group})
    for source in group:
        place = source.block.place
        message = f"{source.name.text} is the same table of dbt-spark as another model ({', '.join(files)}); rename one"
        note = note_of(NameClash(message, place.file, place.line))
        project.left_out.append(LeftOut(source.name.text, source.kind_name, place, "refused", [note]))


def _note_names(source: ModelSource, tables: Tables) -> None:
    name, line = source.name, source.block.place.line
    if name.catalog and (tables.catalog is None or name.catalog.lower() != tables.catalog.lower()):
        message = (
            f"the catalog {name.catalog} of {name.text} was dropped: dbt-spark writes to one catalog, the profile's"
        )
        source.scope.note(CatalogDropped, message, line)
    changed = [part for part in name.parts[-2:] if dbt_name(part) != part.lower()]
    if changed:
        message = (
            f"{'.'.join(name.parts[-2:])} became {'.'.join(dbt_name(part) for part in name.parts[-2:])}: dbt-spark "
            "does not quote names; the old table keeps its name"
        )
        source.scope.note(NameChanged, message, line)


def _columns_finder(context: ProjectContext, readers: Mapping[str, ModelReader]) -> Callable[[str], Columns | None]:
    known: dict[str, Columns | None] = {}

    def columns(key: str) -> Columns | None:
        if key not in known:
            reader, source = readers.get(key), context.tables.sources.get(key)
            found: Columns | None = None
            if reader is not None:
                try:
                    found = reader.columns()
                except CompileError:
                    found = None
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
            project.notes.append(note_of(error))
    return found


def _read_model(reader: ModelReader, project: Project) -> None:
    source = reader.source
    try:
        node = reader.read()
    except CompileError as error:
        notes = [note_of(error), *source.scope.notes]
        kind = source.kind_name or reader.scope.kind_name or "VIEW"
        project.left_out.append(LeftOut(source.name.text, kind, source.block.place, "refused", notes))
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
                project.notes.append(note_of(error))
    project.tests = [context.used_audits[name] for name in sorted(context.used_audits)]


def _marks_of(model: Model) -> Iterable[Mark]:
    texts = [model.query, *model.pre_hooks, *model.post_hooks]
    for text in texts:
        yield from text.references if isinstance(text, PythonBody) else text.marks.values()
    yield from model.depends_on


def _refuse_circles(project: Project) -> None:
    """Refuses models that read one another; dbt would not parse the project."""
    reads = {
        model.key: {mark.key for mark in _marks_of(model) if isinstance(mark, ModelReference)}
        for model in project.models
    }
    for model in list(project.models):
        circle = _way_back(model.key, reads)
        if circle:
            project.models.remove(model)
            message = f"{model.name} reads itself by way of {' -> '.join(circle)}; break the circle"
            note = note_of(CircularReference(message, model.place.file, model.place.line))
            left_out = LeftOut(model.name, model.kind_name, model.place, "refused", [note, *model.notes])
            project.left_out.append(left_out)


def _way_back(start: str, reads: Mapping[str, set[str]]) -> list[str]:
    """The models on a way from a model back to itself, if there is one."""
    ways: list[list[str]] = [[key] for key in sorted(reads.get(start, ()))]
    seen: set[str] = set()
    while ways:
        way = ways.pop(0)
        if way[-1] == start:
            return way
        if way[-1] not in seen:
            seen.add(way[-1])
            ways.extend([*way, key] for key in sorted(reads.get(way[-1], ())))
    return []


def _read_refused(project: Project, context: ProjectContext) -> None:
    """Where a refused model was read, its old table is: a source."""
    built = {node.key for node in (*project.models, *project.seeds)}
    refused = context.tables.models - built
    if not refused:
        return
    names = {key: name for key, name in _refused_names(project, context).items() if key in refused}
    for model in project.models:
        texts = [model.query, *model.pre_hooks, *model.post_hooks]
        read = sorted({mark.key for mark in _marks_of(model) if isinstance(mark, ModelReference)} & refused)
        for text in texts:
            text.marks = {name: _instead(mark, refused, names, context) for name, mark in text.marks.items()}
        model.depends_on = [_instead(mark, refused, names, context) for mark in model.depends_on]
        for key in read:
            message = f"{key} was refused; {model.name} reads the table that the old tool built, as a source"
            model.notes.append(note_of(ReadsRefused(message, model.place.file, model.place.line)))
    for definition in project.tests:
        marks = definition.query.marks
        definition.query.marks = {name: _instead(mark, refused, names, context) for name, mark in marks.items()}


def _refused_names(project: Project, context: ProjectContext) -> dict[str, tuple[str, Place]]:
    from dbt_kinds.readers.sqlmesh.tables import name_of_text

    return {
        context.tables.key_of(name_of_text(left.name, "")): (left.name, left.place)
        for left in project.left_out
        if left.status == "refused"
    }


def _instead(mark: Mark, refused: set[str], names: Mapping[str, tuple[str, Place]], context: ProjectContext) -> Mark:
    from dbt_kinds.readers.sqlmesh.tables import name_of_text

    if not isinstance(mark, ModelReference) or mark.key not in refused:
        return mark
    source = context.tables.sources.get(mark.key)
    if source is None:
        name, place = names.get(mark.key, (mark.key, Place("", 0)))
        source = context.tables.add_source(name_of_text(name, ""), place, is_declared=True)
        source.origin["refused"] = True
    return SourceReference(source.source, source.name)


def _finish(context: ProjectContext, project: Project) -> None:
    config = context.config
    project.models = [node for node in order_of(project.models) if isinstance(node, Model)]
    project.seeds = [node for node in order_of(project.seeds) if isinstance(node, Seed)]
    project.sources = sorted(context.tables.sources.values(), key=lambda table: (table.source, table.name))
    project.variables = config.variables
    for node in (*project.models, *project.seeds):
        owner = node.origin.pop("owner", None)
        if owner is not None:
            project.groups[node.settings["group"]] = owner
    _read_defaults(context, project)
    project.notes = [*config.notes, *context.files.notes, *project.notes, *_unique(context.notes)]
    project.left_out.sort(key=lambda left: (left.place, left.name))


def _read_defaults(context: ProjectContext, project: Project) -> None:
    """`model_defaults` as dbt's own defaults, and statements around a run."""
    config = context.config
    defaults = config.defaults
    project.defaults["meta"] = {key: defaults[key] for key in _META_DEFAULTS if defaults.get(key) is not None}
    table, storage = defaults.get("table_format"), defaults.get("storage_format")
    properties = dict(defaults.get("physical_properties") or {})
    if table or storage:
        project.defaults["file_format"] = str(table or storage).lower()
        if table and storage:
            properties["write.format.default"] = str(storage).lower()
    if properties:
        project.defaults["tblproperties"] = {key: value for key, value in properties.items() if value is not None}
    for key, name in (
        ("pre_statements", "pre-hook"),
        ("post_statements", "post-hook"),
        ("on_virtual_update", "post-hook"),
    ):
        for text in defaults.get(key) or []:
            hook = _project_hook(str(text), context, project)
            if hook is not None:
                project.defaults.setdefault(name, []).append(hook)
    for texts, hooks in ((config.before_all, project.on_run_start), (config.after_all, project.on_run_end)):
        for text in texts:
            hook = _project_hook(text, context, project)
            if hook is not None:
                hooks.append(hook)
    unknown = sorted(defaults.keys() - _DEFAULTS_READ - _NO_NOTE)
    if unknown:
        message = f"model_defaults: {', '.join(unknown)} dropped: dbt has no such default"
        project.notes.append(note_of(PropertyDropped(message, config.file, 1)))


def _project_hook(text: str, context: ProjectContext, project: Project) -> SqlText | None:
    file = context.config.file
    scope = context.scope(file, context.config.dialect or "")
    try:
        hook = read_hook(Statement("sql", text, 1, 1, file), scope, context.tables, None)
    except CompileError as error:
        project.notes.append(note_of(error))
        return None
    project.notes.extend(scope.notes)
    return hook


def _unique(notes: Iterable[Note]) -> list[Note]:
    return list(dict.fromkeys(notes))
