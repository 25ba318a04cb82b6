"""What a query reads: timeseries sources with their time columns, and look-ups, which are everything else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from sqlglot import exp

from dbt_kinds.analysis.units import granularity_unit


@dataclass(frozen=True)
class Timeseries:
    """The time of a model or source: `partition_column` is `event_time_column` truncated to the granularity."""

    partition_column: str
    event_time_column: str
    granularity: str
    week_start: str = "monday"

    @property
    def unit(self) -> str:
        """The granularity; weeks that begin on Sunday are a unit of their own."""
        return granularity_unit(self.granularity, self.week_start)


@dataclass(frozen=True)
class Relation:
    """A table that queries read. `columns` maps names to Spark types, None if unknown. `inlined` is the query of a
    relation without a table of its own: its readers read what the query reads.
    """

    address: str
    columns: Mapping[str, str] | None = None
    timeseries: Timeseries | None = None
    inlined: exp.Expr | None = None

    def column_type(self, name: str) -> str | None:
        """The type of a column, matched case-insensitively; None if unknown."""
        types = {column.lower(): kind for column, kind in (self.columns or {}).items()}
        kind = types.get(name.lower())
        return kind.lower() if kind else None

    @property
    def value_unit(self) -> str | None:
        """The unit that the partition column's values are truncated to; None for instants, where it is the event
        time itself.
        """
        series = self.timeseries
        if series is None:
            return None
        is_event_time = series.partition_column.lower() == series.event_time_column.lower()
        if is_event_time and self.column_type(series.partition_column) != "date":
            return None
        return series.unit

    @property
    def leaf(self) -> str:
        """The last part of the address."""
        return self.address.rpartition(".")[2]


@dataclass(frozen=True)
class Catalogue:
    """All known relations, by the names that queries use for them."""

    relations: Mapping[str, Relation] = field(default_factory=dict)

    def find(self, name: str) -> Relation | None:
        """The relation with a dotted name, matched case-insensitively."""
        return self._in_lower_case.get(name.lower())

    def with_relations(self, relations: Mapping[str, Relation]) -> Catalogue:
        """A copy of the catalogue with relations added or replaced."""
        written = {name.lower() for name in relations}
        kept = {name: relation for name, relation in self.relations.items() if name.lower() not in written}
        return Catalogue({**kept, **relations})

    @cached_property
    def _in_lower_case(self) -> dict[str, Relation]:
        return {written.lower(): relation for written, relation in self.relations.items()}
