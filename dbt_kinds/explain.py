"""What `dbt-kinds explain` shows: every model's verdict, bounds and batches, as one object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from rich.table import Table

from dbt_kinds.analysis.batches import Bound
from dbt_kinds.analysis.catalogue import Catalogue
from dbt_kinds.analysis.cumulative import classify_cumulative
from dbt_kinds.analysis.findings import Finding
from dbt_kinds.analysis.safety import Slicing, Verdict, classify
from dbt_kinds.readers.smelt.lineage import Lineage, resolve
from dbt_kinds.readers.smelt.problems import Problem
from dbt_kinds.readers.smelt.project import SmeltProject

VERSION = 1


def explanation(project: SmeltProject) -> dict[str, Any]:
    """The object of section 9 of the specification; keys that would be empty are absent."""
    lineage = resolve(project)
    models = {lineage.names[address]: _model(project, lineage, address) for address in lineage.order}
    told: dict[str, Any] = {"version": VERSION, "execution_order": list(models), "models": models}
    if project.problems:
        told["errors"] = [_problem(problem) for problem in project.problems]
    return told


def is_refused(told: Mapping[str, Any]) -> bool:
    """Whether a model is refused or something is wrong with the project."""
    refused = any(model.get("incremental", {}).get("verdict") == "refused" for model in told["models"].values())
    return refused or bool(told.get("errors")) or any(model.get("errors") for model in told["models"].values())


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
        problems = [Problem(found.code, found.message, path, found.place.line) for found in cumulation.findings]
        return {"errors": [_problem(problem) for problem in problems]}
    return {
        "cumulative": {
            "driving_source": (cumulation.driving_source or "").rpartition(".")[2],
            "unique_key": list(cumulation.unique_key),
            "combine": dict(cumulation.combine),
        }
    }


def incremental_entry(catalogue: Catalogue, slicing: Slicing, verdict: Verdict) -> dict[str, Any]:
    """What is told of a model that runs on slices of time."""
    leaves = _leaves([*verdict.bounds, *(found.source for found in verdict.findings if found.source)])
    told: dict[str, Any] = {
        "granularity": slicing.granularity,
        "partition_column": slicing.partition_column,
        "event_time_column": slicing.event_time_column,
    }
    if slicing.week_start != "monday":
        told["week_start"] = slicing.week_start
    if slicing.unique_key:
        told["unique_key"] = list(slicing.unique_key)
    told["verdict"] = "admitted" if verdict.is_admitted else "refused"
    if verdict.batches is not None:
        told["batch_safety"] = verdict.batches.name
        if verdict.batches.batch_size is not None:
            told["batch_size"] = verdict.batches.batch_size
    if verdict.bounds:
        columns = {
            relation.address: relation.timeseries.partition_column
            for relation in catalogue.relations.values()
            if relation.timeseries is not None
        }
        told["source_bounds"] = {
            leaves[address]: _bound(bound, columns[address]) for address, bound in verdict.bounds.items()
        }
    if verdict.overridden:
        told["overridden"] = list(verdict.overridden)
    told["findings"] = [_finding(found, leaves) for found in verdict.findings]
    return told


def _bound(bound: Bound, column: str) -> dict[str, str]:
    if bound.kind != "bounded":
        return {"type": bound.kind}
    return {"type": "bounded", "partition_col": column, "before": bound.before.iso, "after": bound.after.iso}


def _finding(found: Finding, leaves: Mapping[str, str]) -> dict[str, Any]:
    told: dict[str, Any] = {"code": found.code}
    if found.source is not None:
        told["source"] = leaves[found.source]
    return {
        **told,
        "severity": found.severity,
        "override": found.override,
        "message": found.message,
        "line": found.place.line,
        "column": found.place.column,
    }


def _problem(problem: Problem) -> dict[str, Any]:
    return {"code": problem.code, "message": problem.message, "path": problem.path, "line": problem.line}


def _dependency(lineage: Lineage, parent: str) -> str:
    return lineage.names.get(parent) or parent.rpartition(".")[2]


def _leaves(addresses: list[str]) -> dict[str, str]:
    """The last part of each address, or all of it where two of this model share it."""
    shared = Counter(address.rpartition(".")[2] for address in set(addresses))
    return {address: leaf if shared[leaf := address.rpartition(".")[2]] == 1 else address for address in addresses}


def explanation_table(told: Mapping[str, Any]) -> Table:
    """One row a model, in the order they run."""
    table = Table("model", "materialization", "verdict", "batches", "reads")
    for name, model in told["models"].items():
        incremental = model.get("incremental", {})
        bounds = [f"{source} {_shown(bound)}" for source, bound in incremental.get("source_bounds", {}).items()]
        verdict = "errors" if model.get("errors") else incremental.get("verdict", "")
        table.add_row(name, model["materialization"], verdict, incremental.get("batch_safety", ""), "\n".join(bounds))
    return table


def report_lines(told: Mapping[str, Any]) -> Iterator[str]:
    """Every finding and every error, with its place."""
    for problem in told.get("errors", []):
        yield f"{problem['path']}:{problem['line']}: {problem['code']}: {problem['message']}"
    for name, model in told["models"].items():
        for problem in model.get("errors", []):
            yield f"{problem['path']}:{problem['line']}: {name}: {problem['code']}: {problem['message']}"
        for found in model.get("incremental", {}).get("findings", []):
            place = f"{model['path']}:{found['line']}:{found['column']}"
            yield f"{place}: {name}: {found['code']}: {found['message']}"


def _shown(bound: Mapping[str, str]) -> str:
    return f"{bound['before']} before, {bound['after']} after" if bound["type"] == "bounded" else bound["type"]
