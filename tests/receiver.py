"""A receiver of changes, which ends where the table is."""

from __future__ import annotations

import json
from collections import Counter, defaultdict

from dbt_kinds.push.changes import Change, Keys

# the rows of each key, as texts
Table = dict[str, Counter[str]]


class Receiver:
    """Remembers ids, and shrugs at a delete of what it does not have."""

    def __init__(self, keys: Keys) -> None:
        self.keys = keys
        self.ids: set[str] = set()
        self.table: Table = defaultdict(Counter)

    def take(self, change: Change) -> None:
        if change.id in self.ids:
            return
        self.ids.add(change.id)
        rows = self.table[json.dumps(change.key)]
        if self.keys == "unique_key":
            rows.clear()
        elif change.old is not None:
            rows[json.dumps(change.old)] = max(0, rows[json.dumps(change.old)] - 1)
        if change.row is not None:
            rows[json.dumps(change.row)] += 1


def held(table: Table) -> Table:
    return {key: +rows for key, rows in table.items() if +rows}
