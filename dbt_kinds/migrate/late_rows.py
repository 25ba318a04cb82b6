"""How far windows look back, so that late rows are seen as before."""

from __future__ import annotations

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left, MigrationNote
from dbt_kinds.migrate.conversion import Conversion
from dbt_kinds.migrate.durations import intervals_back
from dbt_kinds.migrate.kind_choice import APPENDING
from dbt_kinds.migrate.meaning import Meaning


def set_lookback(
    found: Conversion, meanings: list[Meaning], unit: str, stamps: frozenset[str], computed: tuple[str, ...]
) -> None:
    """Sets the lookback: how far the filters look back, and for the newest value of the table at least one interval.

    A newest value stands still while the source is late, whereas an interval that has been loaded is not loaded again.

    Args:
        stamps: columns of the table with the time at which a run wrote a row.
        computed: the functions whose values for a row change each time it is read.

    Raises:
        Left (ArrivalWithoutKey): rows that are appended would be read again.
    """
    looked_back = reach_of(meanings, unit)
    written = meanings[0].written
    if found.kind == APPENDING:
        if looked_back:
            raise Left(
                MigrateCode.ArrivalWithoutKey,
                f"{written} says when rows arrived, and rows are read again without a key to tell them by; set "
                "unique_key, "
                f"or say --event {written} where it says when they happened",
                line=meanings[0].filter.line,
            )
        return
    newest = [bound for meaning in meanings for bound in meaning.lower if bound.base == "latest"]
    if newest:
        again = f", and computes {', '.join(computed)} of those rows anew" if computed and not looked_back else ""
        looked_back = looked_back or 1
        is_stamp = any(bound.column is not None and bound.column.lower() in stamps for bound in newest)
        is_of_parts = any(bound.among for bound in newest)
        since = (
            f"that came since the last run that wrote any, however long ago it was by {written}"
            if is_stamp
            else f"however late {'each of its sources' if is_of_parts else 'the source'} was, as long as they came in "
            f"the order of {written}"
        )
        if not all(meaning.is_strict for meaning in meanings if meaning.lower):
            since += ", and the newest ones again in each run"
        before = f"the {unit} before" if looked_back == 1 else f"{looked_back} {unit}s before"
        found.notes.append(
            MigrationNote(
                MigrateCode.LateRows,
                f"the filter found rows {since}; now each run reads {before} again{again}. Set a longer lookback, or "
                "lookback: auto, if rows come later than that",
            )
        )
    if looked_back:
        found.options["lookback"] = looked_back


def reach_of(meanings: list[Meaning], unit: str) -> int:
    """How many intervals the filters look back."""
    bounds = [bound for meaning in meanings for bound in meaning.lower]
    return max((intervals_back(bound.shift, unit, bound.truncated) for bound in bounds), default=0)
