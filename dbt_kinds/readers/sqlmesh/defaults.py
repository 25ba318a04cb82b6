"""`model_defaults` as the defaults of a dbt project."""

from __future__ import annotations

from dbt_kinds.codes import CompileCode
from dbt_kinds.diagnostics import Diagnostic
from dbt_kinds.errors import CompileError
from dbt_kinds.kinds import Jinja, Project, SqlText
from dbt_kinds.readers.sqlmesh.context import ProjectContext
from dbt_kinds.readers.sqlmesh.environment import placeholder, variables_in
from dbt_kinds.readers.sqlmesh.hooks import read_hook
from dbt_kinds.readers.sqlmesh.statements import Statement

META_DEFAULTS = (
    "start",
    "cron",
    "cron_tz",
    "interval_unit",
    "allow_partials",
    "on_destructive_change",
    "on_additive_change",
)


DEFAULTS_READ = frozenset(
    {*META_DEFAULTS, "dialect", "kind", "table_format", "storage_format", "physical_properties", "audits", "owner"}
    | {"pre_statements", "post_statements", "on_virtual_update", "enabled"}
)


NO_NOTE = frozenset({"batch_concurrency", "optimize_query", "formatting", "gateway", "virtual_properties"})


def read_defaults(context: ProjectContext, project: Project) -> None:
    """Converts `model_defaults` to dbt's own defaults and on-run statements."""
    config = context.config
    defaults = config.defaults
    project.defaults["meta"] = {key: defaults[key] for key in META_DEFAULTS if defaults.get(key) is not None}
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
            for hook in _project_hooks(str(text), context, project):
                project.defaults.setdefault(name, []).append(hook)
    for texts, hooks in ((config.before_all, project.on_run_start), (config.after_all, project.on_run_end)):
        for text in texts:
            hooks.extend(_project_hooks(text, context, project))
    unknown = sorted(defaults.keys() - DEFAULTS_READ - NO_NOTE)
    if unknown:
        message = f"model_defaults: {', '.join(unknown)} dropped: dbt has no such default"
        project.notes.append(Diagnostic.of(CompileCode.PropertyDropped, message, config.file, 1))


def _project_hooks(text: str, context: ProjectContext, project: Project) -> list[SqlText]:
    file = context.config.file
    scope = context.scope(file, context.config.dialect or "")
    for name in variables_in(text):
        text = text.replace(placeholder(name), scope.placeholders.name_of(Jinja(f"{{{{ env_var('{name}') }}}}")))
    try:
        hooks = read_hook(Statement("sql", text, 1, 1, file), scope, context.tables, None)
    except CompileError as error:
        project.notes.append(error.diagnostic)
        return []
    project.notes.extend(scope.notes)
    return hooks
