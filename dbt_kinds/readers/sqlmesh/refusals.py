"""Consequences of refused models: cycles are broken, and readers use the old table."""

from __future__ import annotations

from collections.abc import Mapping

from dbt_kinds.codes import CompileCode
from dbt_kinds.diagnostics import Diagnostic, Place
from dbt_kinds.kinds import ModelReference, Node, Placeholder, Project, SkippedModel, SourceReference, SourceTable
from dbt_kinds.readers.circles import way_back
from dbt_kinds.readers.sqlmesh.context import ProjectContext
from dbt_kinds.readers.sqlmesh.model_graph import models_read, placeholders_of
from dbt_kinds.readers.sqlmesh.tables import name_of_text


def refuse_circles(project: Project) -> None:
    """Refuses models in a cycle; dbt would not parse the project."""
    reads = models_read(project.models)
    for model in list(project.models):
        circle = way_back(model.key, reads)
        if circle:
            project.models.remove(model)
            message = f"{model.name} reads itself by way of {' -> '.join(circle)}; break the circle"
            note = Diagnostic.of(CompileCode.CircularReference, message, model.place.file, model.place.line)
            left_out = SkippedModel(model.name, model.kind_name, model.place, "refused", [note, *model.notes])
            project.left_out.append(left_out)


def read_refused(project: Project, context: ProjectContext) -> None:
    """Replaces reads of refused models by sources, which are their old tables."""
    built = {node.key for node in (*project.models, *project.seeds)}
    refused = context.tables.models - built
    if not refused:
        return
    names = {key: name for key, name in _refused_names(project, context).items() if key in refused}
    for model in project.models:
        texts = [model.query, *model.pre_hooks, *model.post_hooks]
        read = sorted(
            {placeholder.key for placeholder in placeholders_of(model) if isinstance(placeholder, ModelReference)}
            & refused
        )
        for text in texts:
            text.placeholders = {
                name: _instead(placeholder, refused, names, context) for name, placeholder in text.placeholders.items()
            }
        model.depends_on = [_instead(placeholder, refused, names, context) for placeholder in model.depends_on]
        for key in read:
            message = f"{key} was refused; {model.name} reads the table that the old tool built, as a source"
            model.notes.append(Diagnostic.of(CompileCode.ReadsRefused, message, model.place.file, model.place.line))
    defaults = [hook for hooks in project.defaults.values() if isinstance(hooks, list) for hook in hooks]
    nodes: list[Node | SourceTable] = [*project.models, *project.seeds, *project.sources]
    tests = [test for node in nodes for test in node.tests]
    tests += [audit for model in project.models for audit in model.audits]
    others = [*project.on_run_start, *project.on_run_end, *(test.query for test in project.tests), *defaults, *tests]
    for text in others:
        text.placeholders = {
            name: _instead(placeholder, refused, names, context) for name, placeholder in text.placeholders.items()
        }


def _refused_names(project: Project, context: ProjectContext) -> dict[str, tuple[str, Place]]:

    return {
        context.tables.key_of(name_of_text(left.name, "")): (left.name, left.place)
        for left in project.left_out
        if left.status == "refused"
    }


def _instead(
    placeholder: Placeholder, refused: set[str], names: Mapping[str, tuple[str, Place]], context: ProjectContext
) -> Placeholder:

    if not isinstance(placeholder, ModelReference) or placeholder.key not in refused:
        return placeholder
    source = context.tables.sources.get(placeholder.key)
    if source is None:
        name, place = names.get(placeholder.key, (placeholder.key, Place("", 0)))
        source = context.tables.add_source(name_of_text(name, ""), place, is_declared=True)
        source.origin["refused"] = True
    return SourceReference(source.source, source.name)
