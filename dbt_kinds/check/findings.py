"""What `dbt-kinds check` finds: verdicts as `explain` shows them, with places in the authors' files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dbt_kinds.analysis.catalogue import Catalogue
from dbt_kinds.analysis.cumulative import classify_cumulative
from dbt_kinds.analysis.parsing import Place
from dbt_kinds.analysis.safety import Slicing, classify
from dbt_kinds.check.compiled_project import CompiledModel, CompiledProject
from dbt_kinds.errors import UnknownOverrideError
from dbt_kinds.explain import VERSION, incremental_entry

_LEVELS = {"refusal": "error", "error": "error", "warning": "warning"}


def checked(project: CompiledProject) -> dict[str, Any]:
    """The object that `--json` prints: like that of explain, for the models that are checked."""
    return {"version": VERSION, "models": {model.name: _model(model, project.catalogue) for model in project.models}}


def is_refused(told: Mapping[str, Any]) -> bool:
    """Whether something is wrong with a model."""
    return any(found["severity"] != "warning" for _, found in _findings(told))


def report_lines(told: Mapping[str, Any]) -> Iterator[str]:
    """Every finding with its place."""
    for model, found in _findings(told):
        yield f"{model['path']}:{found['line']}: {found['code']}: {found['message']}"


def annotation_lines(told: Mapping[str, Any]) -> Iterator[str]:
    """Every finding as a workflow command of GitHub, which shows it beside the line. Follows GitHub's page Workflow
    commands for GitHub Actions.
    """
    for model, found in _findings(told):
        place = f"file={_property(model['path'])},line={found['line']},title={_property(found['code'])}"
        yield f"::{_LEVELS[found['severity']]} {place}::{_text(found['message'])}"


def _model(model: CompiledModel, catalogue: Catalogue) -> dict[str, Any]:
    told: dict[str, Any] = {"path": model.path, "materialization": model.kind}
    if model.query is None:
        return {**told, "errors": [_error("UnreadableQuery", model.problem)]}
    if model.kind == "cumulative_aggregate":
        cumulation = classify_cumulative(model.query, catalogue)
        if cumulation.findings:
            errors = [_error(found.code, found.message, _line(model, found.place)) for found in cumulation.findings]
            return {**told, "errors": errors}
        return {**told, "cumulative": {"unique_key": list(cumulation.unique_key), "combine": dict(cumulation.combine)}}
    series = model.timeseries
    if series is None:
        return {**told, "errors": [_error("TimeColumnMissing", "it names no time_column; write it into its meta")]}
    overrides = model.meta.get("safety_overrides") or {}
    given = overrides.items() if isinstance(overrides, Mapping) else ()
    lifted = frozenset(str(key) for key, is_on in given if is_on)
    slicing = Slicing(
        series.partition_column, series.event_time_column, series.granularity, series.week_start, (), lifted
    )
    try:
        verdict = classify(model.query, slicing, catalogue)
    except UnknownOverrideError as error:
        return {**told, "errors": [_error("UnknownKey", str(error))]}
    told["incremental"] = incremental_entry(catalogue, slicing, verdict)
    for entry, found in zip(told["incremental"]["findings"], verdict.findings, strict=True):
        entry["line"] = _line(model, found.place)
    return told


def _line(model: CompiledModel, place: Place) -> int:
    """The line of the author's file that a line of the compiled query is; where none is alike, the first."""
    assert model.query is not None
    compiled = [line.strip() for line in model.query.text.splitlines()]
    written = [line.strip() for line in model.raw_code.splitlines()]
    wanted = compiled[place.line - 1] if place.line <= len(compiled) else ""
    alike = [number for number, line in enumerate(written, 1) if line and line == wanted]
    # of several the one as far from the end: what is rendered away stands mostly on top
    from_end = len(compiled) - place.line
    return min(alike, key=lambda number: abs(len(written) - number - from_end), default=1)


def _error(code: str, message: str, line: int = 1) -> dict[str, Any]:
    return {"code": code, "severity": "error", "message": message, "line": line}


def _findings(told: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    for model in told["models"].values():
        for found in (*model.get("errors", ()), *model.get("incremental", {}).get("findings", ())):
            yield model, found


def _text(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _text(text).replace(":", "%3A").replace(",", "%2C")
