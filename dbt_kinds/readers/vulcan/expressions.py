"""SQL of the semantic layer: `{users.status}` becomes the column, and the dialect Spark's."""

from __future__ import annotations

import re

from dbt_kinds.codes import CompileCode
from dbt_kinds.readers.read_models import ReadModels
from dbt_kinds.readers.yaml_nodes import YamlNode

REFERENCE = re.compile(r"\{\s*([A-Za-z_][\w.]*)\s*\}")
_RESERVED = frozenset(
    {"nanosecond", "microsecond", "millisecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year"}
    | {"metric_time"}
)


def spark_sql(node: YamlNode, own: frozenset[str], models: ReadModels, unsupported: CompileCode, what: str) -> str:
    """An expression over the columns of one model, for Spark.

    Raises:
        CompileError: of the given class, if it reads another model; others from its SQL.
    """
    text = with_columns(node, own, unsupported, what)
    return models.expression(text, what, node)


def with_columns(node: YamlNode, own: frozenset[str], unsupported: CompileCode, what: str) -> str:
    """An expression with references to its columns replaced by the columns."""

    def column(found: re.Match[str]) -> str:
        holder, _, name = found[1].rpartition(".")
        if holder and holder.lower() not in own:
            message = f"{what} reads {found[1]}, which is another model's; dbt's semantic models read one model"
            raise node.error(unsupported, message)
        return name

    return REFERENCE.sub(column, node.text()).strip()


def element_name(text: str) -> str:
    """A name valid in dbt's semantic layer: two or more characters, no `__`, no `_` at either end, no time keyword."""
    name = re.sub(r"_{2,}", "_", re.sub(r"[^a-z0-9_]+", "_", text.lower())).strip("_")
    if not name or not name[0].isalpha():
        name = f"n_{name}".rstrip("_")
    return f"{name}_value" if len(name) < 2 or name in _RESERVED else name
