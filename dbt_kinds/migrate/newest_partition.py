"""The newest partition of a table of BigQuery: dbt-bigquery has a name for it, and INFORMATION_SCHEMA its beginning."""

from __future__ import annotations

from dataclasses import replace

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left
from dbt_kinds.migrate.bounds import Bound
from dbt_kinds.migrate.durations import coarser
from dbt_kinds.migrate.meaning import Meaning
from dbt_kinds.migrate.settings import Settings


def with_newest_partition(meaning: Meaning, settings: Settings) -> Meaning:
    """A filter by the newest partition as one by the newest value of the column that the table is partitioned by.

    Raises:
        Left (BoundOfAnotherColumn): the table is not partitioned by a time.
    """
    if not any(bound.partition for bound in meaning.lower):
        return meaning
    unit = settings.partition_unit
    if unit is None:
        raise Left(
            MigrateCode.BoundOfAnotherColumn,
            f"{meaning.written} is compared with the newest partition, and the model is not partitioned by a time; set "
            "partition_by, or compare with the newest value of a column",
            line=meaning.filter.line,
        )
    return replace(meaning, lower=[_of_column(bound, settings.partition_by[0], unit) for bound in meaning.lower])


def _of_column(bound: Bound, column: str, unit: str) -> Bound:
    if bound.partition is None:
        return bound
    truncated = coarser(bound.truncated, unit) if bound.partition == "beginning" else bound.truncated
    return replace(bound, column=column, truncated=truncated, partition=None)
