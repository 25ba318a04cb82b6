"""Times that may be dates or timestamps, as far as is known, and of which the query itself makes days or hours."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left, MigrationNote
from dbt_kinds.migrate.durations import UNITS
from dbt_kinds.migrate.meaning import Meaning
from dbt_kinds.migrate.trace import Trace

# where date_trunc takes the name of the unit first
_NAMES_UNIT_FIRST = frozenset({"spark", "databricks", "spark2", "snowflake", "postgres", "redshift", "trino", "duckdb"})


def as_cut(meaning: Meaning, followed: Trace, dialect: str, left: Left) -> tuple[Meaning, str, list[MigrationNote]]:
    """The filter by the day or hour that its column becomes in the output, with the suffix of the time variables.

    Windows consist of whole ones, since the newest of them in the table is what the filter compares.

    Args:
        left: the reason for which its type is not known.

    Raises:
        Left: the reason given; the column does not become one.
    """
    unit = _newest_unit(meaning, followed)
    is_written = unit == "day" or dialect in _NAMES_UNIT_FIRST
    if left.code != MigrateCode.UnknownColumnType.name or unit is None or meaning.upper or not is_written:
        raise left
    # a cast makes a date of a date, a timestamp and a text alike
    cut = f"cast({meaning.written} as date)" if unit == "day" else f"date_trunc('{unit}', {meaning.written})"
    note = MigrationNote(
        MigrateCode.TypeFromName,
        f"nothing says whether {meaning.written} is a date or a timestamp: it is compared as the {unit} that the query "
        "makes of it",
    )
    return replace(meaning, written=cut), "date" if unit == "day" else "dt", [note]


def _newest_unit(meaning: Meaning, followed: Trace) -> str | None:
    """The unit to which the output column is truncated whose newest value bounds a filter; None if it is not."""
    if not isinstance(meaning.expression, exp.Column):
        return None
    units = {followed.outputs.get((bound.column or "").lower()) for bound in meaning.lower if bound.base == "latest"}
    unit = units.pop() if len(units) == 1 and len(meaning.lower) == 1 else None
    return unit if unit in UNITS else None
