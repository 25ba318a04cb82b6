"""What readers of YAML about models need from the reader of the models, for any tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from dbt_kinds.diagnostics import Diagnostic
from dbt_kinds.kinds import SourceTable, SqlText
from dbt_kinds.placeholders import Placeholders
from dbt_kinds.readers.yaml_nodes import YamlNode
from dbt_kinds.translation.star_expansion import Columns


class ReadModels(Protocol):
    """The models of a project after reading."""

    @property
    def sources(self) -> Mapping[str, SourceTable]:
        """The tables that the project reads but does not build, by key."""

    def key_of(self, name: str) -> str:
        """The key of a model or source by its name as written."""

    def has_model(self, key: str) -> bool:
        """Whether a key belongs to a model, including refused ones."""

    def columns_of(self, key: str) -> Columns | None:
        """The columns of a model or source, None if unknown."""

    def expression(self, text: str, what: str, node: YamlNode) -> str:
        """Translates an expression from the project's dialect to Spark.

        Args:
            what: a description of the expression, for messages.

        Raises:
            CompileError: it cannot be written for Spark.
        """

    def query(
        self, text: str, what: str, placeholders: Placeholders, node: YamlNode
    ) -> tuple[SqlText, list[Diagnostic]]:
        """Translates a query from the project's dialect to Spark, with remarks.

        Args:
            placeholders: the meaning of placeholder names in the text.

        Raises:
            CompileError: it is not a query, or cannot be written for Spark.
        """
