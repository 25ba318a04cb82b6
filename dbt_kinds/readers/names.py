"""Names with the characters that dbt and Spark accept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable


def dbt_name(text: str) -> str:
    """A name with only the characters of unquoted names in dbt and Spark."""
    return re.sub(r"[^a-z0-9_]", "_", text.lower())


# dbt takes none of them for a project (BANNED_PROJECT_NAMES)
_WORDS_OF_DBT = (
    "_sql_results adapter api column config context database env env_var exceptions execute flags fromjson fromyaml "
    "graph invocation_id load_agate_table load_result log model modules post_hooks pre_hooks ref render return "
    "run_started_at schema source sql sql_now store_result store_raw_result target this tojson toyaml "
    "try_or_compiler_error var write"
)
# packages that come with dbt, an adapter, or us; dbt takes no two of one name
_PACKAGES = ("dbt", "dbt_databricks", "dbt_kinds", "dbt_spark")
_RESERVED = frozenset({*_WORDS_OF_DBT.split(), *_PACKAGES})


def project_name(text: str) -> str:
    """A valid name of a dbt project: letters, digits and underscores, not beginning with a digit, no word or package of
    dbt's.
    """
    name = dbt_name(text)
    return f"project_{name}" if name[:1].isdigit() or name in _RESERVED else name


def slug(text: str) -> str:
    """A name for groups and the like, without repeated underscores."""
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_") or "unnamed"


def node_names(places: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The dbt names of tables by schema and table: the table's, or `<schema>__<table>` if several would share it.

    A longer name may equal another table's short one, so this is repeated until none is shared.
    """
    names = {place: place[1] for place in sorted(places)}
    while shared := sorted(name for name, count in Counter(names.values()).items() if count > 1):
        for name in shared:
            group = [place for place, given in names.items() if given == name]
            short = [place for place in group if place[1] == name]
            # `a.b__c` and `a__b.c` are both `a__b__c`; the first one keeps it, so that the loop ends
            for place in short or group[1:]:
                names[place] = f"{place[0]}__{names[place]}"
    return names
