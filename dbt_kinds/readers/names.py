"""Names in the letters that dbt and Spark take."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable


def dbt_name(text: str) -> str:
    """A name in the letters of dbt's and Spark's unquoted names."""
    return re.sub(r"[^a-z0-9_]", "_", text.lower())


def slug(text: str) -> str:
    """A name for groups and the like, without a run of underscores."""
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_") or "unnamed"


def node_names(places: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The names in dbt of tables by schema and table: the table's, or `<schema>__<table>` where several would share it.

    A longer name may be another table's short one, so this is repeated until none is shared.
    """
    names = {place: place[1] for place in sorted(places)}
    while shared := sorted(name for name, count in Counter(names.values()).items() if count > 1):
        for name in shared:
            group = [place for place, given in names.items() if given == name]
            short = [place for place in group if place[1] == name]
            # `a.b__c` and `a__b.c` are both `a__b__c`; the first may keep it, so that this ends
            for place in short or group[1:]:
                names[place] = f"{place[0]}__{names[place]}"
    return names
