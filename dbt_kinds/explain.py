"""The output of `dbt-kinds explain`: every model's verdict, bounds and batches, as one object."""

from __future__ import annotations

from typing import Any

from dbt_kinds.analysis.cumulative import classify_cumulative
from dbt_kinds.analysis.safety import classify
from dbt_kinds.diagnostics import Diagnostic
from dbt_kinds.readers.smelt.lineage import Lineage, resolve
from dbt_kinds.readers.smelt.project import SmeltProject
from dbt_kinds.verdicts import VERSION, cumulative_entry, incremental_entry


def explanation(project: SmeltProject) -> dict[str, Any]:
    """The object of section 9 of the specification, without empty keys."""
    lineage = resolve(project)
    models = {lineage.names[address]: _model(project, lineage, address) for address in lineage.order}
    told: dict[str, Any] = {"version": VERSION, "execution_order": list(models), "models": models}
    if project.problems:
        told["errors"] = [_problem(problem) for problem in project.problems]
    return told


def _model(project: SmeltProject, lineage: Lineage, address: str) -> dict[str, Any]:
    model, problems = project.models[address], lineage.problems[address]
    told: dict[str, Any] = {
        "path": model.path,
        "dependencies": sorted({_dependency(lineage, parent) for parent in lineage.parents[address]}),
        "materialization": model.configuration.kind,
    }
    if model.configuration.tags:
        told["tags"] = list(model.configuration.tags)
    if model.configuration.owner:
        told["owner"] = model.configuration.owner
    if problems:
        return {**told, "errors": [_problem(problem) for problem in problems]}
    slicing = model.configuration.slicing
    if slicing is not None:
        verdict = classify(lineage.queries[address], slicing, lineage.catalogue)
        told["incremental"] = incremental_entry(lineage.catalogue, slicing, verdict)
    elif model.configuration.materialization == "cumulative_aggregate":
        told |= _cumulative(lineage, address, model.path)
    return told


def _cumulative(lineage: Lineage, address: str, path: str) -> dict[str, Any]:
    cumulation = classify_cumulative(lineage.queries[address], lineage.catalogue)
    if cumulation.findings:
        problems = [Diagnostic.of(found.code, found.message, path, found.place.line) for found in cumulation.findings]
        return {"errors": [_problem(problem) for problem in problems]}
    return {"cumulative": cumulative_entry(cumulation)}


def _problem(problem: Diagnostic) -> dict[str, Any]:
    return {
        "code": problem.code.name,
        "message": problem.message,
        "path": problem.place.file,
        "line": problem.place.line,
    }


def _dependency(lineage: Lineage, parent: str) -> str:
    return lineage.names.get(parent) or parent.rpartition(".")[2]
