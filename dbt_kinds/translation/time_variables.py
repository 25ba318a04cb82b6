"""The types of the package's time variables, which decide how arithmetic on them is written."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.kinds import TimeVariable
from dbt_kinds.placeholders import Placeholders

_TYPES = {
    "dt": exp.DType.TIMESTAMPTZ,
    "dtntz": exp.DType.TIMESTAMP,
    "date": exp.DType.DATE,
    "ds": exp.DType.VARCHAR,
    "ts": exp.DType.VARCHAR,
    "tstz": exp.DType.VARCHAR,
    "epoch": exp.DType.DOUBLE,
    "millis": exp.DType.BIGINT,
    "hour": exp.DType.INT,
}


def time_type(name: str) -> exp.DType:
    """The type of a time variable."""
    return _TYPES[name.split("_")[1]]


def type_placeholders(tree: exp.Expr, placeholders: Placeholders) -> None:
    """Declares the types of time variables to sqlglot, which decide how date arithmetic is written."""
    for column in tree.find_all(exp.Column):
        placeholder = placeholders.by_name.get(column.name)
        if isinstance(placeholder, TimeVariable):
            column.type = exp.DataType(this=time_type(placeholder.name))
