"""Reads all of Vulcan's YAML: semantic models first, then metrics over them, then checks."""

from __future__ import annotations

from dbt_kinds.codes import CompileCode
from dbt_kinds.errors import CompileError
from dbt_kinds.kinds import Project
from dbt_kinds.readers.read_models import ReadModels
from dbt_kinds.readers.vulcan.checks import read_checks
from dbt_kinds.readers.vulcan.documents import SemanticDocument, read_documents
from dbt_kinds.readers.vulcan.metrics import read_metrics
from dbt_kinds.readers.vulcan.semantics import Semantic, read_joins, read_semantic


def read_semantics(files: dict[str, str], project: Project, models: ReadModels) -> None:
    """Adds semantic models and tests to models, and metrics to the project."""
    documents = read_documents(files)
    project.notes.extend(documents.notes)
    semantics: dict[str, Semantic] = {}
    for document in documents.semantics:
        try:
            _add_semantic(document, semantics, project, models)
        except CompileError as error:
            project.notes.append(error.diagnostic)
    for semantic in semantics.values():
        read_joins(semantic, semantics)
    _separate_measures(semantics)
    read_metrics(documents.metrics, semantics, project)
    for semantic in semantics.values():
        _drop_measures_without_time(semantic)
        semantic.model.semantic_models.append(semantic.content())
    read_checks(documents.checks, project, models)


def _add_semantic(
    document: SemanticDocument, semantics: dict[str, Semantic], project: Project, models: ReadModels
) -> None:
    key = models.key_of(document.model)
    model = next((model for model in project.models if model.key == key), None)
    if model is None:
        code = CompileCode.ReadsRefused if models.has_model(key) else CompileCode.PropertyDropped
        message = f"semantic model {document.name} was dropped: {document.model} is no model of the dbt project"
        raise document.body.error(code, message)
    semantic = read_semantic(document, model, models)
    for name, other in semantics.items():
        if name == document.name.lower() or other.name == semantic.name:
            message = f"semantic model {document.name} has the name of another one; rename one of them"
            raise document.body.error(CompileCode.NameClash, message)
    semantics[document.name.lower()] = semantic


def _separate_measures(semantics: dict[str, Semantic]) -> None:
    """Prefixes measures with the same name in several models with the model's name: dbt identifies them by name
    alone.
    """
    count: dict[str, int] = {}
    for semantic in semantics.values():
        for name in semantic.measures:
            count[name] = count.get(name, 0) + 1
    for semantic in semantics.values():
        for name in [name for name in semantic.measures if count[name] > 1]:
            measure = semantic.measures.pop(name)
            kept = semantic.origin.setdefault("measures", {}).pop(name, {})
            made = f"{semantic.name}_{name}"
            semantic.measures[made] = {**measure, "name": made}
            semantic.origin["measures"][made] = {"name": name, **kept}


def _drop_measures_without_time(semantic: Semantic) -> None:
    """Drops measures without a time: dbt aggregates every measure over a time, and would refuse the project."""
    if semantic.measures and semantic.default_time() is None:
        names = ", ".join(semantic.measures)
        message = (
            f"measures {names} of {semantic.document.name} were dropped: dbt wants a time to aggregate by, and no "
            f"column of {semantic.model.name} is known to be one; declare the types of its columns"
        )
        semantic.note(CompileCode.MeasureUnsupported, message, semantic.document.body)
        semantic.measures.clear()
