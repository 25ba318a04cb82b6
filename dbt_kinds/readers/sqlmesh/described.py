"""A project's models as seen by YAML about them."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from dbt_kinds.codes import CompileCode
from dbt_kinds.diagnostics import Diagnostic
from dbt_kinds.kinds import SourceTable, SqlText
from dbt_kinds.placeholders import Placeholders
from dbt_kinds.readers.sqlmesh.context import ProjectContext, lookup
from dbt_kinds.readers.sqlmesh.external import text_value
from dbt_kinds.readers.sqlmesh.kind_values import spark_expression
from dbt_kinds.readers.sqlmesh.queries import prepare, to_spark
from dbt_kinds.readers.sqlmesh.tables import name_of_text
from dbt_kinds.readers.yaml_nodes import YamlNode
from dbt_kinds.translation.star_expansion import Columns


class DescribedModels:
    """The interface of the MODEL file reader for the reader of YAML about models."""

    def __init__(self, context: ProjectContext) -> None:
        """`context` holds the models that were read."""
        self._context = context
        self._dialect = context.config.dialect or ""

    @property
    def sources(self) -> Mapping[str, SourceTable]:
        """The tables that the project reads but does not build."""
        return self._context.tables.sources

    def key_of(self, name: str) -> str:
        """The key of a name, without the project's own catalog."""
        return self._context.tables.key_of(name_of_text(name, self._dialect))

    def has_model(self, key: str) -> bool:
        """Whether a model has this key."""
        return key in self._context.tables.models

    def columns_of(self, key: str) -> Columns | None:
        """The columns of a model or source."""
        return self._context.columns_of(key)

    def expression(self, text: str, what: str, node: YamlNode) -> str:
        """An expression for Spark."""
        return spark_expression(text_value(what, text, node.file, node.text_line, self._dialect))

    def query(
        self, text: str, what: str, placeholders: Placeholders, node: YamlNode
    ) -> tuple[SqlText, list[Diagnostic]]:
        """A query for Spark."""
        scope = self._context.scope(node.file, self._dialect)
        scope.placeholders, scope.model_name = placeholders, what
        prepared = prepare(text, scope, node.text_line)
        if not isinstance(prepared.tree, exp.Query):
            raise node.error(
                CompileCode.SqlParseError, f"{what} is no query; write a SELECT of the rows that are wrong"
            )
        sql = to_spark(prepared, self._context.tables, None, lookup(self._context, scope))
        return sql, scope.notes
