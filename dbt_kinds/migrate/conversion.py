"""The proposal for one model: the kind, its options, the edits of its file, and remarks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dbt_kinds.analysis.edits import Edit
from dbt_kinds.errors import MigrationNote


@dataclass(frozen=True)
class MigrateOptions:
    """The options of the command.

    Attributes:
        arrival: columns with a row's arrival time, regardless of their names.
        event: columns with a row's event time.
        adapter: dbt's adapter if known; it determines the default strategy.
        inlines_macros: whether the text of a macro that writes a query may take the place of its call.
    """

    dialect: str = "spark"
    adapter: str | None = None
    start: str | None = None
    cron: str | None = None
    arrival: tuple[str, ...] = ()
    event: tuple[str, ...] = ()
    accept_full_reads: bool = False
    inlines_macros: bool = False


@dataclass
class Conversion:
    """A kind that is equivalent to the hand-written loading.

    Attributes:
        removed: the arguments of config() that go.
        renamed: those that get another name, with that name.
    """

    kind: str
    options: dict[str, Any] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)
    renamed: dict[str, str] = field(default_factory=dict)
    edits: list[Edit] = field(default_factory=list)
    notes: list[MigrationNote] = field(default_factory=list)


@dataclass(frozen=True)
class Found:
    """How a model was loaded, for reports."""

    strategy: str | None = None
    unique_key: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()

    def data(self) -> Mapping[str, Any]:
        """The data for `--json`."""
        return {"strategy": self.strategy, "unique_key": list(self.unique_key), "patterns": list(self.patterns)}
