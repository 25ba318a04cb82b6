"""Sources that hold the newest state of a row only: one that changes after a window is in no window until the next one
is loaded.
"""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import MigrationNote
from dbt_kinds.migrate.arrival import is_changed
from dbt_kinds.migrate.conversion import Conversion
from dbt_kinds.migrate.meaning import Meaning
from dbt_kinds.migrate.parents import Place
from dbt_kinds.migrate.reading import Reading


def read_until_now(
    found: Conversion, reading: Reading, meanings: list[Meaning], selects: list[exp.Select], unit: str
) -> None:
    """Lets a kind by key whose windows end read the one that is not over, if its source holds the newest state only."""
    for meaning, select in zip(meanings, selects, strict=True):
        if meaning.expression is None or meaning.prunes:
            continue
        places = list(reading.parents.lineage(meaning.expression, select, reading.names))
        names = [column.name for place in places for column in place.expression.find_all(exp.Column)]
        if any(map(is_changed, names)) or any(_is_newest(place) for place in places if place.select is not select):
            found.options["allow_partials"] = True
            found.notes.append(
                MigrationNote(
                    MigrateCode.ReadUntilNow,
                    f"{meaning.written} is when the newest state of a row dates from: allow_partials reads what "
                    f"changed since the last whole {unit}, too; otherwise --full-refresh would leave such a row out "
                    f"until that {unit} is over",
                )
            )
            return


def _is_newest(place: Place) -> bool:
    """Whether a select keeps one row of several for a key, or the newest time of a group."""
    is_numbered = any(
        isinstance(window.this, exp.RowNumber | exp.Rank | exp.DenseRank)
        for window in place.select.find_all(exp.Window)
        if window.find_ancestor(exp.Select) is place.select
    )
    return is_numbered or place.expression.find(exp.AggFunc) is not None
