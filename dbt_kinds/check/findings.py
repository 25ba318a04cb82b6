"""The findings of `dbt-kinds check`: verdicts as in `explain`, with positions in the authors' files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from dbt_kinds.analysis.batches import Bound
from dbt_kinds.analysis.catalogue import Catalogue
from dbt_kinds.analysis.cumulative import classify_cumulative
from dbt_kinds.analysis.parsing import Place, Query
from dbt_kinds.analysis.safety import Slicing, classify
from dbt_kinds.analysis.safety_metadata import safety_metadata
from dbt_kinds.analysis.tree import table_name
from dbt_kinds.check.compiled_project import CompiledModel, CompiledProject
from dbt_kinds.codes import CheckCode
from dbt_kinds.errors import UnknownOverrideError
from dbt_kinds.verdicts import VERSION, cumulative_entry, incremental_entry

_TOP = Place(1, 1)


@dataclass(frozen=True)
class CheckedModel:
    """A model with its reported entry, the bounds of its sources, and, if it is admitted, its proof. `narrow` are
    the addresses of sources of which its own conditions read too little or an unknown part; a condition that refers
    to no source counts as ''.
    """

    model: CompiledModel
    told: Mapping[str, Any]
    bounds: Mapping[str, Bound] = field(default_factory=dict)
    proof: Mapping[str, Any] | None = None
    narrow: frozenset[str] = frozenset()


def check_project(project: CompiledProject) -> list[CheckedModel]:
    """Classifies every model that is to be checked."""
    return [_checked(model, project) for model in project.models]


def told_of(checked: Iterable[CheckedModel]) -> dict[str, Any]:
    """The object that `--json` prints: like that of explain, for the checked models."""
    return {"version": VERSION, "models": {one.model.name: dict(one.told) for one in checked}}


def _checked(model: CompiledModel, project: CompiledProject) -> CheckedModel:
    catalogue = project.catalogue
    told: dict[str, Any] = {"path": model.path, "materialization": model.kind}
    if model.name in project.refusals:
        return _wrong(model, told, _error(CheckCode.UnreadableSchedule, project.refusals[model.name]))
    if model.query is None:
        return _wrong(model, told, _error(CheckCode.UnreadableQuery, model.problem))
    for address in _addresses(model.query, catalogue):
        if address in project.refusals:
            message = f"it reads {address}, and nothing follows from its time: {project.refusals[address]}"
            return _wrong(model, told, _error(CheckCode.UnreadableSchedule, message))
    if model.kind == "cumulative_aggregate":
        cumulation = classify_cumulative(model.query, catalogue)
        if cumulation.findings:
            errors = [_error(found.code, found.message, _place(model, found.place)) for found in cumulation.findings]
            return _wrong(model, told, *errors)
        told["cumulative"] = cumulative_entry(cumulation)
        return CheckedModel(model, told, cumulation.bounds, safety_metadata())
    series = model.timeseries
    if series is None:
        return _wrong(
            model, told, _error(CheckCode.TimeColumnMissing, "it names no time_column; write it into its meta")
        )
    overrides = model.meta.get("safety_overrides") or {}
    given = overrides.items() if isinstance(overrides, Mapping) else ()
    lifted = frozenset(str(key) for key, is_on in given if is_on)
    slicing = Slicing(
        series.partition_column, series.event_time_column, series.granularity, series.week_start, (), lifted
    )
    try:
        verdict = classify(model.query, slicing, catalogue)
    except UnknownOverrideError as error:
        return _wrong(model, told, _error(CheckCode.UnknownKey, str(error)))
    told["incremental"] = incremental_entry(catalogue, slicing, verdict)
    for entry, found in zip(told["incremental"]["findings"], verdict.findings, strict=True):
        entry["line"], entry["column"] = _place(model, found.place)
    proof = safety_metadata(verdict) if verdict.is_admitted else None
    narrow = frozenset(found.source or "" for found in verdict.findings if found.code is CheckCode.narrow_read)
    return CheckedModel(model, told, verdict.bounds, proof, narrow)


def _addresses(query: Query, catalogue: Catalogue) -> Iterator[str]:
    """What a query reads."""
    for table in query.tree.find_all(exp.Table):
        relation = catalogue.find(table_name(table))
        if relation is not None:
            yield relation.address


def _wrong(model: CompiledModel, told: Mapping[str, Any], *errors: dict[str, Any]) -> CheckedModel:
    return CheckedModel(model, {**told, "errors": list(errors)})


def _place(model: CompiledModel, place: Place) -> Place:
    """The position in the author's file of a position in the compiled query; the beginning if no line matches."""
    assert model.query is not None
    compiled, written = model.query.text.splitlines(), model.raw_code.splitlines()
    line = compiled[place.line - 1] if place.line <= len(compiled) else ""
    alike = [number for number, own in enumerate(written, 1) if own.strip() and own.strip() == line.strip()]
    if not alike:
        return _TOP
    # of several matches, the one equally far from the end: most text that rendering removes is at the top
    from_end = len(compiled) - place.line
    number = min(alike, key=lambda number: abs(len(written) - number - from_end))
    return Place(number, place.column + _indentation(written[number - 1]) - _indentation(line))


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _error(code: CheckCode, message: str, place: Place = _TOP) -> dict[str, Any]:
    return {"code": code.name, "severity": "error", "message": message, "line": place.line, "column": place.column}
