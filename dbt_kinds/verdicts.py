"""Reports on classified models, as data and as text, shared by `explain` and `check`.

The format is that of section 9 of the specification, without empty keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.table import Table

from dbt_kinds.analysis.addresses import short_names
from dbt_kinds.analysis.batches import Bound
from dbt_kinds.analysis.catalogue import Catalogue
from dbt_kinds.analysis.cumulative import Cumulation
from dbt_kinds.analysis.findings import Finding
from dbt_kinds.analysis.safety import Slicing, Verdict
from dbt_kinds.codes import CheckCode
from dbt_kinds.diagnostics import Diagnostic, Place

VERSION = 1


def incremental_entry(catalogue: Catalogue, slicing: Slicing, verdict: Verdict) -> dict[str, Any]:
    """The entry for a model that runs on slices of time."""
    leaves = short_names([*verdict.bounds, *(found.source for found in verdict.findings if found.source)])
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


def cumulative_entry(cumulation: Cumulation) -> dict[str, Any]:
    """The entry for a cumulative aggregate without defects."""
    return {
        "driving_source": (cumulation.driving_source or "").rpartition(".")[2],
        "unique_key": list(cumulation.unique_key),
        "combine": dict(cumulation.combine),
    }


def findings_in(told: Mapping[str, Any]) -> Iterator[tuple[str | None, Diagnostic]]:
    """All findings, each with the model that it is in; the project's, which have none, come first."""
    for found in told.get("errors", ()):
        yield None, _diagnostic(found["path"], found)
    for name, model in told["models"].items():
        for found in (*model.get("errors", ()), *model.get("incremental", {}).get("findings", ())):
            yield name, _diagnostic(found.get("path", model["path"]), found)


def is_refused(told: Mapping[str, Any]) -> bool:
    """Whether a model is refused or the project has an error."""
    return any(found.severity != "warning" for _, found in findings_in(told))


def verdict_table(told: Mapping[str, Any]) -> Table:
    """One row per model, in execution order."""
    table = Table("model", "materialization", "verdict", "batches", "reads")
    for name, model in told["models"].items():
        incremental = model.get("incremental", {})
        bounds = [f"{source} {_shown(bound)}" for source, bound in incremental.get("source_bounds", {}).items()]
        verdict = "errors" if model.get("errors") else incremental.get("verdict", "")
        table.add_row(name, model["materialization"], verdict, incremental.get("batch_safety", ""), "\n".join(bounds))
    return table


def report_lines(told: Mapping[str, Any]) -> Iterator[str]:
    """Every finding and every error, with its place."""
    for model, found in findings_in(told):
        place = found.place if not found.place.column else f"{found.place}:{found.place.column}"
        yield ": ".join(str(part) for part in (place, model, found.code, found.message) if part)


def _diagnostic(path: str, found: Mapping[str, Any]) -> Diagnostic:
    place = Place(path, found["line"], found.get("column", 0))
    return Diagnostic(CheckCode[found["code"]], found.get("severity", "error"), place, found["message"])


def _bound(bound: Bound, column: str) -> dict[str, str]:
    if bound.kind != "bounded":
        return {"type": bound.kind}
    return {"type": "bounded", "partition_col": column, "before": bound.before.iso, "after": bound.after.iso}


def _finding(found: Finding, leaves: Mapping[str, str]) -> dict[str, Any]:
    told: dict[str, Any] = {"code": found.code.name}
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


def _shown(bound: Mapping[str, str]) -> str:
    return f"{bound['before']} before, {bound['after']} after" if bound["type"] == "bounded" else bound["type"]
