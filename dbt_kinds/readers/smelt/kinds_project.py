"""A smelt project as models of kinds: classified, and with its bounds written into the queries."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from dbt_kinds.analysis.batches import Bound
from dbt_kinds.analysis.catalogue import Relation, Timeseries
from dbt_kinds.analysis.cumulative import classify_cumulative
from dbt_kinds.analysis.findings import Finding
from dbt_kinds.analysis.pushdown import Reference, pushed_down, without_semicolon
from dbt_kinds.analysis.safety import Slicing, classify
from dbt_kinds.analysis.safety_metadata import safety_metadata
from dbt_kinds.codes import CompileCode
from dbt_kinds.diagnostics import Diagnostic, Place
from dbt_kinds.kinds import Column, Jinja, Kind, Model, Project, Seed, SkippedModel, SourceTable, SqlText
from dbt_kinds.placeholders import Placeholders
from dbt_kinds.readers.names import project_name
from dbt_kinds.readers.smelt import project as smelt
from dbt_kinds.readers.smelt.backbuilding import backbuild_margins
from dbt_kinds.readers.smelt.configuration import Configuration, type_of
from dbt_kinds.readers.smelt.lineage import EXECUTION_TIME, Lineage, resolve


def read_kinds_project(root: Path, name: str | None, *, allow_downgrade: bool) -> Project:
    """Reads and classifies a whole project. Refused models are left out; if downgrades are allowed and none of their
    findings is an error, they become tables that every run rebuilds.

    Raises:
        UnreadableProjectError, UnreadableConfigurationError: there is no project, or no readable smelt.yml.
    """
    found = smelt.read_project(root)
    reader = _Reader(found, resolve(found), allow_downgrade)
    project = Project(project_name(name or root.resolve().name), smelt.PROJECT_FILE, is_all_or_nothing=True)
    for address in reader.lineage.order:
        node = reader.model(address)
        if isinstance(node, SkippedModel):
            project.left_out.append(node)
        else:
            project.models.append(node)
    reader.add_backbuild_margins(project.models)
    project.seeds = [_seed(found, reader.lineage, address) for address in sorted(found.seeds)]
    project.sources = [_source(source) for _, source in sorted(found.sources.items())]
    project.notes = [_problem_note(problem) for problem in found.problems]
    return project


class _Reader:
    def __init__(self, project: smelt.SmeltProject, lineage: Lineage, allow_downgrade: bool) -> None:
        self.project, self.lineage, self.allow_downgrade = project, lineage, allow_downgrade
        self.bounds: dict[str, Mapping[str, Bound]] = {}
        self.relations = {relation.address: relation for relation in lineage.catalogue.relations.values()}
        self.inlined = {
            address: lineage.queries[address]
            for address, model in project.models.items()
            if model.configuration.materialization == "ephemeral" and address in lineage.queries
        }

    def model(self, address: str) -> Model | SkippedModel:
        """A model as read, or what rules it out."""
        written, problems = self.project.models[address], self.lineage.problems[address]
        configuration, place = written.configuration, Place(written.path, written.line)
        notes = [_warning_note(warning, place) for warning in configuration.warnings]
        if problems:
            refused = [_problem_note(problem) for problem in problems]
            return SkippedModel(address, configuration.materialization, place, "refused", [*notes, *refused])
        model = Model(
            address,
            address,
            configuration.materialization,
            place,
            self.lineage.names[address],
            None,
            self.lineage.names[address],
            description=configuration.description,
            columns=_columns(configuration.columns),
            notes=notes,
            kind=Kind(configuration.kind),
        )
        _set_plain(model, configuration)
        if configuration.slicing is not None:
            refused = self._slice(model, configuration)
        elif model.kind is Kind.CUMULATIVE_AGGREGATE:
            refused = self._cumulate(model)
            model.options |= configuration.on_change
        else:
            refused, model.query = [], self._query(address, None)
            if configuration.timeseries is not None:
                # not sliced itself, but its sources are also read by the models that read it in slices
                of = configuration.timeseries
                slicing = Slicing(of.partition_column, of.event_time_column, of.granularity, of.week_start)
                self.bounds[address] = classify(self.lineage.queries[address], slicing, self.lineage.catalogue).bounds
        if refused:
            return SkippedModel(address, configuration.materialization, place, "refused", [*notes, *refused])
        return model

    def add_backbuild_margins(self, models: Iterable[Model]) -> None:
        """Sets how much more each model must build for its readers."""
        margins = backbuild_margins([model.key for model in models], self.bounds)
        for model in models:
            if model.key in margins and model.kind is Kind.INCREMENTAL_BY_TIME_RANGE:
                model.options["backbuild_margins"] = {
                    self.lineage.names[reader]: {"before": before.iso, "after": after.iso}
                    for reader, (before, after) in sorted(margins[model.key].items())
                }

    def _slice(self, model: Model, configuration: Configuration) -> list[Diagnostic]:
        slicing = configuration.slicing
        assert slicing is not None
        verdict = classify(self.lineage.queries[model.key], slicing, self.lineage.catalogue)
        if not verdict.is_admitted:
            notes = [_finding_note(found, model.place.file) for found in verdict.findings]
            if not self.allow_downgrade or any(found.severity == "error" for found in verdict.findings):
                return notes
            codes = ", ".join(sorted({found.reason for found in verdict.findings}))
            message = f"{model.name} may not run on slices of time ({codes}) and is built anew by every run"
            model.notes.append(Diagnostic(CompileCode.Downgraded, "person", model.place, message))
            model.kind, model.query = Kind.FULL, self._query(model.key, None)
            return []
        self.bounds[model.key] = verdict.bounds
        model.query = self._query(model.key, verdict.bounds)
        model.settings["event_time"] = slicing.event_time_column
        model.options |= {"time_column": slicing.partition_column, "interval_unit": slicing.granularity}
        if slicing.week_start != "monday":
            model.options["week_start"] = slicing.week_start
        if verdict.batches is not None and verdict.batches.batch_size is not None:
            model.options["batch_size"] = verdict.batches.batch_size
        if slicing.overrides:
            model.options["safety_overrides"] = dict.fromkeys(sorted(slicing.overrides), True)
        model.options |= configuration.on_change
        if slicing.unique_key:
            model.options["smelt"] = {"unique_key": list(slicing.unique_key)}
        model.options["safety"] = safety_metadata(verdict)
        return []

    def _cumulate(self, model: Model) -> list[Diagnostic]:
        cumulation = classify_cumulative(self.lineage.queries[model.key], self.lineage.catalogue)
        if cumulation.findings:
            return [_finding_note(found, model.place.file) for found in cumulation.findings]
        driving = self.relations[str(cumulation.driving_source)].timeseries
        assert driving is not None
        self.bounds[model.key] = cumulation.bounds
        model.query = self._query(model.key, cumulation.bounds)
        model.options |= _time_options(driving)
        model.options |= {"unique_key": list(cumulation.unique_key), "combine": dict(cumulation.combine)}
        model.options["safety"] = safety_metadata()
        return []

    def _query(self, address: str, bounds: Mapping[str, Bound] | None) -> SqlText:
        """The author's query for dbt; for a model without bounds with plain references only."""
        placeholders = Placeholders()

        def placeholder(call: str) -> str:
            return placeholders.name_of(Jinja(f"{{{{ {call} }}}}"))

        text = pushed_down(
            self.lineage.queries[address],
            self.lineage.catalogue,
            bounds or {},
            self._reference,
            inlined=self.inlined if bounds is not None else None,
            written=placeholder,
        )
        text = EXECUTION_TIME.sub(lambda call: placeholder(f"dbt_kinds.execution_{call['kind']}()"), text)
        return SqlText(without_semicolon(text), placeholders.by_name)

    def _reference(self, relation: Relation) -> Reference:
        source = self.project.sources.get(relation.address)
        if source is not None:
            return Reference(f"source('{source.schema}', '{source.table}')", source.table)
        name = self.lineage.names[relation.address]
        return Reference(f"ref('{name}')", name)


def _set_plain(model: Model, configuration: Configuration) -> None:
    if configuration.tags:
        model.settings["tags"] = list(configuration.tags)
    if configuration.owner:
        model.options["owner"] = configuration.owner


def _time_options(series: Timeseries) -> dict[str, Any]:
    week = {"week_start": series.week_start} if series.week_start != "monday" else {}
    return {"time_column": series.partition_column, "interval_unit": series.granularity, **week}


def _columns(said: Mapping[str, Any]) -> list[Column]:
    return [
        Column(
            name,
            type_of(of) or None,
            str(of["description"]) if isinstance(of, Mapping) and of.get("description") else None,
            {key: of[key] for key in ("default", "backfill") if key in of} if isinstance(of, Mapping) else {},
        )
        for name, of in said.items()
    ]


def _source(source: smelt.Source) -> SourceTable:
    series = source.timeseries
    return SourceTable(
        source.schema,
        source.schema,
        source.table,
        Place(source.path, 1),
        source.table,
        is_declared=True,
        description=source.description,
        columns=_columns(source.columns),
        settings={
            **({"event_time": series.event_time_column} if series is not None else {}),
            **({"tags": list(source.tags)} if source.tags else {}),
        },
        options={
            **(_time_options(series) if series is not None else {}),
            **({"owner": source.owner} if source.owner else {}),
        },
    )


def _seed(project: smelt.SmeltProject, lineage: Lineage, address: str) -> Seed:
    path = project.seeds[address]
    with (project.root / path).open(encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.reader(file) if row]
    name = lineage.names[address]
    seed = Seed(address, address, "seed", Place(path, 1), name, None, name)
    seed.header = [column.strip() for column in rows[0]] if rows else []
    seed.rows = [[value if value != "" else None for value in row] for row in rows[1:]]
    return seed


def _problem_note(problem: Diagnostic) -> Diagnostic:
    return replace(problem, severity="refused")


def _finding_note(found: Finding, path: str) -> Diagnostic:
    return Diagnostic(found.code, "refused", Place(path, found.place.line), found.message)


def _warning_note(warning: str, place: Place) -> Diagnostic:
    """The note for a warning, whose text begins with its place."""
    found = re.match(r"(?P<file>.+?):(?P<line>\d+): (?P<message>.*)", warning, re.DOTALL)
    if found is None:
        return Diagnostic(CompileCode.ConfigurationIgnored, "note", place, warning)
    return Diagnostic(
        CompileCode.ConfigurationIgnored, "note", Place(found["file"], int(found["line"])), found["message"]
    )
