"""SQL of the semantic layer: `{users.status}` is the column, and the dialect becomes Spark's."""

from __future__ import annotations

import re

from dbt_kinds.errors import CompileError
from dbt_kinds.readers.read_models import ReadModels
from dbt_kinds.readers.yaml_nodes import YamlNode

REFERENCE = re.compile(r"\{\s*([A-Za-z_][\w.]*)\s*\}")
_RESERVED = frozenset(
    {"nanosecond", "microsecond", "millisecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year"}
    | {"metric_time"}
)


def spark_sql(
    node: YamlNode, own: frozenset[str], models: ReadModels, unsupported: type[CompileError], what: str
) -> str:
    """An expression over the columns of one model, for Spark.

    Raises:
        CompileError: of the given class, when it reads another model; others of its SQL.
    """
    text = with_columns(node, own, unsupported, what)
    return models.expression(text, what, node)


def with_columns(node: YamlNode, own: frozenset[str], unsupported: type[CompileError], what: str) -> str:
    """An expression with columns instead of references to them."""

    def column(found: re.Match[str]) -> str:
        holder, _, name = found[1].rpartition(".")
        if holder and holder.lower() not in own:
            message = f"{what} reads {found[1]}, which is another model's; dbt's semantic models read one model"
            raise node.error(unsupported, message)
        return name

    return REFERENCE.sub(column, node.text()).strip()


def element_name(text: str) -> str:
    """A name that dbt's semantic layer takes: two characters or more, no `__`, no `_` at an end, no word for a time."""
    name = re.sub(r"_{2,}", "_", re.sub(r"[^a-z0-9_]+", "_", text.lower())).strip("_")
    if not name or not name[0].isalpha():
        name = f"n_{name}".rstrip("_")
    return f"{name}_value" if len(name) < 2 or name in _RESERVED else name
