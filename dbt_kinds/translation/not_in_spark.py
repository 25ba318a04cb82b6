"""The exception for constructs without a counterpart in Spark 3.5."""

from __future__ import annotations

from sqlglot import exp


class NotInSpark(Exception):  # noqa: N818 - becomes an error of the tree with its place
    """A construct that cannot be written for Spark 3.5.

    Attributes:
        node: its node in the tree.
        needs_columns: it could be translated if the columns were known.
    """

    def __init__(self, message: str, node: exp.Expr, *, needs_columns: bool = False) -> None:
        """`message` names the construct and what to write instead."""
        super().__init__(message)
        self.message = message
        self.node = node
        self.needs_columns = needs_columns
