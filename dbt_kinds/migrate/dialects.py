"""The SQL dialect of a project: that of its profile's adapter, or the one that parses most of its models."""

from __future__ import annotations

import re
from collections.abc import Iterable

import sqlglot
from sqlglot import Dialect, exp
from sqlglot.errors import ParseError, SqlglotError

# what Spark itself reads
SPARK = frozenset({"spark", "databricks", "spark2"})
_CANDIDATES = ("spark", "snowflake", "bigquery", "redshift", "postgres", "trino", "duckdb")
# constructs that only one dialect has
_SIGNS = (
    (
        "bigquery",
        re.compile(
            r"\b(?:timestamp_sub|date_sub\([^)]*interval|timestamp_trunc|datetime_sub|safe_cast|generate_date_array|date_diff\()",
            re.I,
        ),
    ),
    (
        "snowflake",
        re.compile(
            r"\b(?:dateadd\s*\(\s*'?\w+'?\s*,|flatten\s*\(|::variant|to_timestamp_ntz|sysdate\(\)|iff\s*\()", re.I
        ),
    ),
    ("redshift", re.compile(r"\b(?:getdate\(\)|diststyle|sortkey)", re.I)),
    (
        "spark",
        re.compile(
            r"\b(?:from_unixtime|date_sub\([^,()]+,\s*\d|lateral view|file_format|interval \d+ days?\b|distribute by)",
            re.I,
        ),
    ),
    ("postgres", re.compile(r"\b(?:now\(\)\s*-\s*interval\s*'|generate_series|::jsonb)", re.I)),
)
# adapters of another name than their dialect, or of a dialect that resembles another one
_DIALECTS = {
    **dict.fromkeys(("glue", "fabricspark", "watsonx_spark"), "spark"),
    **dict.fromkeys(("sqlserver", "synapse", "fabric"), "tsql"),
    **dict.fromkeys(("athena", "dremio", "watsonx_presto"), "trino"),
    **dict.fromkeys(("vertica", "greenplum", "yellowbrick", "cratedb"), "postgres"),
    "impala": "hive",
}
_TAGS = re.compile(r"(?s)\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}")
_SAMPLE = 40


def guess_dialect(texts: Iterable[str]) -> str:
    """The dialect indicated by most models, else the first one that parses most of them."""
    sample = list(texts)
    signs = {name: sum(1 for text in sample if sign.search(text)) for name, sign in _SIGNS}
    best = max(signs, key=lambda name: signs[name], default="spark")
    if signs.get(best, 0) > max((count for name, count in signs.items() if name != best), default=0):
        return best
    plain = [_TAGS.sub(" kinds_tag ", text) for text in sample[:_SAMPLE]]
    return max(_CANDIDATES, key=lambda name: sum(_reads(text, name) for text in plain)) if plain else "spark"


def _reads(text: str, dialect: str) -> bool:
    try:
        sqlglot.parse(text, read=dialect)
    except (SqlglotError, RecursionError):
        return False
    return True


def dialect_of(adapter: str | None, texts: Iterable[str]) -> str:
    """sqlglot's name for the SQL dialect of an adapter; that of the models if it is unknown, or there is none."""
    return known_dialect(adapter) or guess_dialect(texts)


def known_dialect(adapter: str | None) -> str | None:
    """sqlglot's name for the SQL dialect of an adapter; None if it knows none."""
    dialect = _DIALECTS.get(adapter or "", adapter or "")
    return dialect if dialect and Dialect.get(dialect) is not None else None


def statement_of(sql: str, dialect: str) -> exp.Expr:
    """The only statement of a text; comments may follow its semicolon.

    Raises:
        SqlglotError: it cannot be parsed, or there are several.
    """
    found = [one for one in sqlglot.parse(sql, read=dialect) if one is not None and not isinstance(one, exp.Semicolon)]
    if len(found) != 1:
        raise ParseError(f"{len(found)} statements where one is expected")
    return found[0]
