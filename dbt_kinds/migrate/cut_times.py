"""Times that may be dates or timestamps, as far as is known, and of which the query itself makes days or hours."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import MigrationNote
from dbt_kinds.migrate.durations import UNITS
from dbt_kinds.migrate.meaning import Meaning
from dbt_kinds.migrate.trace import Trace

# where date_trunc takes the name of the unit first
_NAMES_UNIT_FIRST = frozenset({"spark", "databricks", "spark2", "snowflake", "postgres", "redshift", "trino", "duckdb"})


@dataclass(frozen=True)
class Cut:
    """A filter by the day or hour that its column becomes in the output; `suffix` is that of the time variables."""

    meaning: Meaning
    suffix: str
    notes: list[MigrationNote]


def cut_of(meaning: Meaning, followed: Trace, dialect: str) -> Cut | None:
    """A filter by what its column becomes in the output; None if that is no day or hour.

    Windows consist of whole ones, since the newest of them in the table is what the filter compares.
    """
    unit = _newest_unit(meaning, followed)
    is_written = unit == "day" or dialect in _NAMES_UNIT_FIRST
    if unit is None or meaning.upper or not is_written:
        return None
    # a cast makes a date of a date, a timestamp and a text alike
    cut = f"cast({meaning.written} as date)" if unit == "day" else f"date_trunc('{unit}', {meaning.written})"
    note = MigrationNote(
        MigrateCode.TypeFromName,
        f"nothing says whether {meaning.written} is a date or a timestamp: it is compared as the {unit} that the query "
        "makes of it",
    )
    return Cut(replace(meaning, written=cut), "date" if unit == "day" else "dt", [note])


def _newest_unit(meaning: Meaning, followed: Trace) -> str | None:
    """The unit to which the output column is truncated whose newest value bounds a filter; None if it is not."""
    if not isinstance(meaning.expression, exp.Column):
        return None
    units = {followed.outputs.get((bound.column or "").lower()) for bound in meaning.lower if bound.base == "latest"}
    unit = units.pop() if len(units) == 1 and len(meaning.lower) == 1 else None
    return unit if unit in UNITS else None
