"""The types of the package's time variables, which decide how arithmetic on them is written."""

from __future__ import annotations

from sqlglot import exp

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
