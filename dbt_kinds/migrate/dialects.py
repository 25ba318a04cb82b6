"""The SQL dialect of a project: that of its profile's adapter, of the one that it requires, or what its models show."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import Path

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
# settings that only the adapters of one dialect have
_SETTINGS = {
    "spark": frozenset(
        {
            "auto_liquid_cluster",
            "buckets",
            "clustered_by",
            "databricks_compute",
            "databricks_tags",
            "file_format",
            "liquid_clustered_by",
            "location_root",
            "tblproperties",
            "zorder",
        }
    ),
    "snowflake": frozenset({"automatic_clustering", "copy_grants", "query_tag", "snowflake_warehouse", "transient"}),
    "bigquery": frozenset(
        {"copy_partitions", "hours_to_expiration", "labels", "partition_expiration_days", "require_partition_filter"}
    ),
    "redshift": frozenset({"backup", "dist", "sort", "sort_type"}),
    "trino": frozenset({"partitioned_by", "s3_data_dir", "s3_data_naming", "table_type"}),
    "postgres": frozenset({"indexes", "unlogged"}),
}
_REQUIRED = re.compile(r"\bdbt[-_]([a-z]+)\b")
_REQUIREMENTS = ("requirements*.txt", "pyproject.toml", "Pipfile", "environment.y*ml", "*ockerfile")
# adapters that others are made of
_BASES = {"databricks": "spark", "glue": "spark", "fabricspark": "spark", "redshift": "postgres"}
_SILENT_TAGS = re.compile(r"(?s)\{#.*?#\}|\{%.*?%\}|\{\{-?\s*config\b.*?\}\}")
_TAGS = re.compile(r"(?s)\{\{.*?\}\}")
_SAMPLE = 20
# a repository may hold its project some folders down
_ABOVE = 3


def dialect_of(adapter: str | None, root: Path, texts: Iterable[str], settings: Iterable[Collection[str]] = ()) -> str:
    """The SQL dialect of an adapter; what the project requires, or its models show, if that is not known."""
    return known_dialect(adapter) or required_dialect(root) or guess_dialect(texts, settings)


def guess_dialect(texts: Iterable[str], settings: Iterable[Collection[str]] = ()) -> str:
    """The dialect whose settings most models have, else that indicated by most texts, else the first one that parses
    most of them.

    Args:
        settings: the names of each model's settings.
    """
    sample = list(texts)
    given = [frozenset(names) for names in settings]
    counts = {dialect: sum(1 for names in given if names & own) for dialect, own in _SETTINGS.items()}
    signs = {dialect: sum(1 for text in sample if sign.search(text)) for dialect, sign in _SIGNS}
    found = _most(counts) or _most(signs)
    if found is not None:
        return found
    plain = [_TAGS.sub(" kinds_tag ", _SILENT_TAGS.sub("", text)) for text in sorted(sample, key=len)[:_SAMPLE]]
    return max(_CANDIDATES, key=lambda name: sum(_reads(text, name) for text in plain))


def required_dialect(root: Path) -> str | None:
    """The dialect of the only adapter among the packages that a project requires; its folder says them, or the nearest
    one above that names an adapter.
    """
    for folder in (root.resolve(), *root.resolve().parents[:_ABOVE]):
        texts = [file.read_text("utf-8", "replace") for one in _REQUIREMENTS for file in sorted(folder.glob(one))]
        named = {name for text in texts for name in _REQUIRED.findall(text) if known_dialect(name) is not None}
        named -= {_BASES.get(name) for name in named}
        if named:
            return known_dialect(named.pop()) if len(named) == 1 else None
        if (folder / ".git").exists():
            break
    return None


def _most(counts: dict[str, int]) -> str | None:
    """What is counted more often than anything else."""
    best = max(counts, key=lambda name: counts[name])
    others = max(count for name, count in counts.items() if name != best)
    return best if counts[best] > others else None


def _reads(text: str, dialect: str) -> bool:
    try:
        sqlglot.parse(text, read=dialect)
    except (SqlglotError, RecursionError):
        return False
    return True


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
