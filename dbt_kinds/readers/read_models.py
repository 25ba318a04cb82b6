"""What YAML about models may ask of the reader of the models, whichever tool they are of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from dbt_kinds.kinds import Note, SourceTable, SqlText
from dbt_kinds.marks import Marks
from dbt_kinds.readers.yaml_nodes import YamlNode
from dbt_kinds.translation.star import Columns


class ReadModels(Protocol):
    """The models of a project, after they were read."""

    @property
    def sources(self) -> Mapping[str, SourceTable]:
        """The tables that the project reads and does not build, by key."""

    def key_of(self, name: str) -> str:
        """The key of a model or source by its name as it is written."""

    def has_model(self, key: str) -> bool:
        """Whether a key is that of a model, refused ones among them."""

    def columns_of(self, key: str) -> Columns | None:
        """The columns of a model or source, None when they are not known."""

    def expression(self, text: str, what: str, node: YamlNode) -> str:
        """An expression of the project's dialect for Spark.

        Args:
            what: what it is, for messages.

        Raises:
            CompileError: it cannot be written for Spark.
        """

    def query(self, text: str, what: str, marks: Marks, node: YamlNode) -> tuple[SqlText, list[Note]]:
        """A query of the project's dialect for Spark, and what is to say about it.

        Args:
            marks: of the names in the text that stand for something else.

        Raises:
            CompileError: it is no query, or cannot be written for Spark.
        """
