"""One model on trial: both ways of loading it in one database, and what a history makes of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import duckdb

from dbt_kinds.prove.comparison import Comparison, columns_of, rows_of
from dbt_kinds.prove.histories import History
from dbt_kinds.prove.new_model import NEW_TABLE, NewModel
from dbt_kinds.prove.old_model import OldModel
from dbt_kinds.prove.rendering import OLD_TABLE
from dbt_kinds.prove.sources import Inputs


@dataclass
class Trial:
    """Both ways to load a model, over the same inputs.

    Attributes:
        varying: the columns, in lower case, that depend on when a query runs.
    """

    connection: duckdb.DuckDBPyConnection
    inputs: Inputs
    old: OldModel
    new: NewModel
    varying: frozenset[str]

    def set_clock(self, moment: datetime) -> None:
        """Lets queries see a moment as now."""
        self.connection.execute(f"set variable kinds_now = timestamptz '{moment:%Y-%m-%d %H:%M:%S}+00'")

    def play(self, history: History) -> Comparison:
        """Plays a history.

        Raises:
            OldFailedError: a run of the old model fails.
            StoppedError: a run of the kind stops.
        """
        self.inputs.create(self.connection, history)
        self.old.forget()
        self.new.forget()
        self.new.options["start"] = f"{history.first.replace(day=1):%Y-%m-%d}"
        last: datetime | None = None
        for night in history.nights:
            moment = history.at(night.minute)
            self.set_clock(moment)
            self.old.run(moment, last, history.first, full_refresh=night.full_refresh)
            self.new.run(moment, full_refresh=night.full_refresh)
            last = moment
        assert last is not None
        self.old.whole(last, history.first)
        return self._compared()

    def _compared(self) -> Comparison:
        types = columns_of(self.connection, OLD_TABLE)
        columns = [name for name in types if name.lower() not in self.varying]
        old, new, whole = (rows_of(self.connection, table, columns) for table in (OLD_TABLE, NEW_TABLE, "kinds_whole"))
        times = [at for at, name in enumerate(columns) if types[name].startswith(("DATE", "TIMESTAMP"))]
        return Comparison(tuple(columns), old, new, whole, tuple(times))
