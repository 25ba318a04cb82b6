"""Converts data-quality checks to tests that warn: the package's if there is an equivalent, else a custom query."""

from __future__ import annotations

import re
from decimal import Decimal
from math import ceil, floor
from typing import Any

from dbt_kinds.codes import CompileCode
from dbt_kinds.diagnostics import Diagnostic
from dbt_kinds.errors import CompileError
from dbt_kinds.kinds import (
    DataTest,
    Model,
    ModelReference,
    Project,
    Seed,
    SourceReference,
    SourceTable,
    SqlText,
    TestDefinition,
    TimeVariable,
)
from dbt_kinds.placeholders import Placeholders, used_placeholders
from dbt_kinds.readers.names import slug
from dbt_kinds.readers.read_models import ReadModels
from dbt_kinds.readers.time_names import time_variable
from dbt_kinds.readers.vulcan.documents import CheckDocument
from dbt_kinds.readers.vulcan.rules import Comparison, is_failed_rows, needs_history, read_comparison
from dbt_kinds.readers.yaml_nodes import YamlNode

_RUN_VALUE = re.compile(r"'?\$\{\s*(\w+)\s*\}'?")
_READ = frozenset({"name", "description", "tags", "fail query", "fail condition", "fail_query", "fail_condition"})
Tested = Model | Seed | SourceTable

# SQL for metrics; {0} is the column
_AGGREGATES = {
    "missing_count": "count(*) - count({0})",
    "missing_percent": "100.0 * (count(*) - count({0})) / count(*)",
    "distinct_count": "count(distinct {0})",
    "count_distinct": "count(distinct {0})",
    "duplicate_percent": "100.0 * (count({0}) - count(distinct {0})) / count(*)",
    "count": "count({0})",
    "sum": "sum({0})",
    "avg": "avg({0})",
    "min": "min({0})",
    "max": "max({0})",
    "stddev": "stddev({0})",
    "stddev_samp": "stddev_samp({0})",
    "stddev_pop": "stddev_pop({0})",
    "variance": "variance({0})",
    "median": "percentile({0}, 0.5)",
    "avg_length": "avg(length({0}))",
    "min_length": "min(length({0}))",
    "max_length": "max(length({0}))",
}


def read_checks(documents: list[CheckDocument], project: Project, models: ReadModels) -> None:
    """Adds the checks to what they test; unsupported ones are noted."""
    nodes: dict[str, Tested] = dict(models.sources)
    nodes.update({seed.key: seed for seed in project.seeds})
    nodes.update({model.key: model for model in project.models})
    names = {definition.name for definition in project.tests}
    for document in documents:
        tested = nodes.get(models.key_of(document.model))
        notes: list[Diagnostic] = tested.notes if tested is not None else project.notes
        try:
            if tested is None:
                message = (
                    f"{document.rule} is on {document.model}, which is not in the dbt project; name one of its models"
                )
                raise document.node.error(CompileCode.UnknownAudit, message)
            _CheckReader(document, tested, project, models, names).read()
        except CompileError as error:
            # a check is not the model: if refused, it is noted for the project
            (project.notes if error.code.severity == "refused" else notes).append(error.diagnostic)


class _CheckReader:
    """Reads one check."""

    def __init__(
        self, document: CheckDocument, tested: Tested, project: Project, models: ReadModels, names: set[str]
    ) -> None:
        self.document = document
        self.tested = tested
        self.project = project
        self.models = models
        self.names = names
        self.rule = document.rule.strip()

    def read(self) -> None:
        """Adds the test."""
        if needs_history(self.rule):
            message = f"{self.rule} of {self.document.model} compares with past results, which dbt does not keep"
            raise self._error(CompileCode.HistoryCheck, message)
        if is_failed_rows(self.rule):
            self._add_singular(self._failed_rows())
            return
        comparison = read_comparison(self.rule)
        if comparison is None:
            message = (
                f"'{self.rule}' is no check that this version reads; write a comparison, or failed rows and a query"
            )
            raise self._error(CompileCode.UnknownAudit, message)
        test = None if self._uses_run() else self._shipped(comparison)
        if test is not None:
            self._finish(test)
        else:
            self._add_singular(self._comparison_query(comparison))

    def _error(self, code: CompileCode, message: str) -> CompileError:
        return self.document.node.error(code, message)

    def _sql(self, text: str, node: YamlNode | None = None) -> str:
        return self.models.expression(text, f"check '{self.rule}'", node or self.document.node)

    def _uses_run(self) -> bool:
        return any("${" in node.text() for node in self.document.filters)

    def _filter(self, placeholders: Placeholders) -> str | None:
        """The combined conditions of pack and rule; `${execution_ds}` is the time of the run."""
        conditions = []
        for node in self.document.filters:
            text = _with_times(node, placeholders)
            conditions.append(self._sql(text, node))
        if not conditions:
            return None
        return conditions[0] if len(conditions) == 1 else " and ".join(f"({condition})" for condition in conditions)

    def _shipped(self, rule: Comparison) -> DataTest | None:
        """The equivalent test of the package, if there is one."""
        metric, operator, bounds = rule.metric, rule.operator, rule.bounds
        if metric == "row_count" and not rule.arguments and operator in (">", ">="):
            # a table has an integer number of rows
            threshold = floor(bounds[0]) if operator == ">" else ceil(bounds[0]) - 1
            if threshold < 0:
                raise self._error(
                    CompileCode.AuditArgument, f"'{self.rule}' holds for every table; remove it, or raise its number"
                )
            return DataTest("dbt_kinds.number_of_rows", {"threshold": threshold})
        if metric == "duplicate_count" and rule.arguments and operator == "=" and bounds[0] == 0:
            columns = [self._sql(argument) for argument in rule.arguments]
            return DataTest("dbt_kinds.unique_combination_of_columns", {"columns": columns})
        if len(rule.arguments) != 1:
            return None
        column = self._sql(rule.arguments[0])
        if metric in ("missing_count", "missing_percent") and operator == "=" and bounds[0] == 0:
            return DataTest("not_null", column=column)
        if metric == "missing_percent" and operator == "<":
            share = 1 - bounds[0] / 100
            if not 0 <= share <= 1:
                raise self._error(CompileCode.AuditArgument, f"'{self.rule}': a percentage lies between 0 and 100")
            return DataTest("dbt_kinds.not_null_proportion", {"threshold": _plain(share)}, column=column)
        names = {"avg": "mean_in_range", "stddev": "stddev_in_range"}
        if metric in names:
            limits = self._limits(rule)
            return DataTest(f"dbt_kinds.{names[metric]}", limits, column=column) if limits else None
        is_least = metric == "min" and operator in (">", ">=")
        is_greatest = metric == "max" and operator in ("<", "<=")
        if is_least or is_greatest:
            return DataTest("dbt_kinds.accepted_range", self._limits(rule), column=column)
        return None

    def _limits(self, rule: Comparison) -> dict[str, Any]:
        """The bounds of a range test; empty if the operator does not define a range."""
        low, high = _plain(rule.bounds[0]), _plain(rule.bounds[-1])
        if rule.operator == "between":
            if rule.bounds[0] > rule.bounds[1]:
                raise self._error(
                    CompileCode.AuditArgument, f"'{self.rule}': the first bound is greater than the second"
                )
            return {"min_v": low, "max_v": high}
        key = {">": "min_v", ">=": "min_v", "<": "max_v", "<=": "max_v"}.get(rule.operator)
        if key is None:
            return {}
        return {key: low, **({} if "=" in rule.operator else {"inclusive": False})}

    def _comparison_query(self, rule: Comparison) -> SqlText:
        """A query that returns the measured value if the comparison does not hold."""
        placeholders = Placeholders()
        where = self._filter(placeholders)
        table = placeholders.name_of(self._reference())
        source = f"{table}\n  where {where}" if where else table
        if rule.operator in ("between", "not between"):
            condition = f"value {rule.operator} {_plain(rule.bounds[0])} and {_plain(rule.bounds[1])}"
        else:
            condition = f"value {rule.operator} {_plain(rule.bounds[0])}"
        text = (
            f"select value\nfrom (\n  select {self._aggregate(rule)} as value\n  from {source}\n) as measured\n"
            f"where not ({condition})"
        )
        if rule.metric == "duplicate_count":
            keys = ", ".join(self._sql(argument) for argument in rule.arguments)
            text = text.replace(
                f"from {source}", f"from (select count(*) as copies from {source} group by {keys}) as groups"
            )
        return SqlText(text, used_placeholders(text, placeholders.by_name))

    def _aggregate(self, rule: Comparison) -> str:
        if rule.metric == "row_count" and not rule.arguments:
            return "count(*)"
        if rule.metric == "duplicate_count" and rule.arguments:
            # values that occur at least twice, as in Vulcan
            return "count_if(copies > 1)"
        if rule.metric == "percentile" and len(rule.arguments) == 2:
            share = _share(rule.arguments[1])
            if share is not None:
                return f"percentile({self._sql(rule.arguments[0])}, {share})"
        template = _AGGREGATES.get(rule.metric)
        if template is None or len(rule.arguments) != 1:
            known = ", ".join(("row_count", "duplicate_count", "percentile", *_AGGREGATES))
            message = (
                f"'{self.rule}': {rule.metric} is no metric of one column that this version reads, which are {known}"
            )
            raise self._error(CompileCode.UnknownAudit, message)
        return template.replace("{0}", self._sql(rule.arguments[0]))

    def _failed_rows(self) -> SqlText:
        """The query of `failed rows`, or one for the rows that satisfy its condition."""
        settings = self.document.settings
        query = settings.get("fail query") or settings.get("fail_query")
        condition = settings.get("fail condition") or settings.get("fail_condition")
        if query is None and condition is None:
            raise self._error(CompileCode.BadPropertyValue, "failed rows has no query; add 'fail query: SELECT …'")
        if query is None:
            assert condition is not None
            placeholders = Placeholders()
            where = self._filter(placeholders)
            wrong = self._sql(_with_times(condition, placeholders), condition)
            table = placeholders.name_of(self._reference())
            text = f"select *\nfrom {table}\nwhere {f'({where}) and ({wrong})' if where else wrong}"
            return SqlText(text, used_placeholders(text, placeholders.by_name))
        placeholders = Placeholders()
        sql, notes = self.models.query(_with_times(query, placeholders), f"check {self._label()}", placeholders, query)
        if self.document.filters:
            message = (
                f"check {self._label()} has a filter, which a query of its own does not get; write it into the query"
            )
            self.tested.notes.append(self.document.filters[0].error(CompileCode.PropertyDropped, message).diagnostic)
        self.project.notes.extend(note for note in notes if note not in self.project.notes)
        return sql

    def _reference(self) -> ModelReference | SourceReference:
        if isinstance(self.tested, SourceTable):
            return SourceReference(self.tested.source, self.tested.name)
        return ModelReference(self.tested.key)

    def _label(self) -> str:
        name = self.document.settings.get("name")
        table = self.tested.table if isinstance(self.tested, SourceTable) else self.tested.node
        return slug(name.text()) if name is not None else slug(f"{table}_{self.rule}")[:100].strip("_")

    def _free_label(self) -> str:
        label = self._label()
        made = next(
            name for name in (label, *(f"{label}_{number}" for number in range(2, 10000))) if name not in self.names
        )
        self.names.add(made)
        return made

    def _config(self) -> dict[str, Any]:
        settings = self.document.settings
        config: dict[str, Any] = {"severity": "warn"}
        tags = settings.get("tags")
        if tags is not None:
            config["tags"] = tags.texts()
        origin = {key: node.value() for key, node in settings.items() if key not in _READ}
        if self.document.dimension is not None:
            origin.setdefault("dimension", self.document.dimension)
        if origin:
            config["meta"] = {"origin": origin}
        return config

    def _description(self) -> str | None:
        node = self.document.settings.get("description")
        return node.text() if node is not None else None

    def _finish(self, test: DataTest) -> None:
        placeholders = Placeholders()
        where = self._filter(placeholders)
        test.config = self._config()
        if where is not None:
            test.config["where"] = where
        test.label = self._free_label()
        test.description = self._description()
        self.tested.tests.append(test)

    def _add_singular(self, query: SqlText) -> None:
        definition = TestDefinition(
            name=self._free_label(),
            query=query,
            place=self.document.node.place,
            is_generic=False,
            config=self._config(),
            description=self._description(),
        )
        self.project.tests.append(definition)


def _with_times(node: YamlNode, placeholders: Placeholders) -> str:
    """A text with placeholders for the run's values.

    Raises:
        CompileError: a value does not exist in dbt (HistoryCheck).
    """

    def put(found: re.Match[str]) -> str:
        macro = time_variable(found[1])
        if macro is None:
            message = (
                f"${{{found[1]}}} is a value of Vulcan's runs, which dbt does not have; write the condition without it"
            )
            raise node.error(CompileCode.HistoryCheck, message)
        return placeholders.name_of(TimeVariable(macro))

    return _RUN_VALUE.sub(put, node.text())


def _plain(number: Decimal) -> int | float:
    return int(number) if number == number.to_integral_value() else float(number)


def _share(text: str) -> str | None:
    try:
        number = Decimal(text.strip())
    except ArithmeticError:
        return None
    share = number / 100 if number > 1 else number
    return str(share) if number.is_finite() and 0 <= share <= 1 else None
