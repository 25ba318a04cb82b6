"""Whether a key is unique: delete+insert replaces all rows of a key, whereas a kind by key has one row per key."""

from __future__ import annotations

import re

from sqlglot import exp

from dbt_kinds.errors import KeptAsTest, KeyIsChecked, KeyMayRepeat, MigrationNote
from dbt_kinds.migrate.conversion import MigrateOptions
from dbt_kinds.migrate.reading import Reading
from dbt_kinds.migrate.settings import Settings

# whose adapters delete and insert if a model has a key and names no strategy
_DELETING_ADAPTERS = frozenset({"duckdb", "postgres", "redshift"})
_NAME_OF_A_ROW = re.compile(r"(?:.*_)?(?:id|ids|key|uuid|guid|pk|sk|hash|hk)|.*(?<=[a-z])(?:Id|ID|Key)")


def row_key_notes(reading: Reading, settings: Settings, options: MigrateOptions) -> list[MigrationNote]:
    """The notes on the key of a model that becomes a kind by key; empty if it is known to be unique.

    Raises:
        KeyMayRepeat: rows are deleted and inserted by a key that nothing shows to be unique.
    """
    adapter = options.adapter or options.dialect
    is_deleting = settings.strategy == "delete+insert" or (settings.strategy is None and adapter in _DELETING_ADAPTERS)
    key = frozenset(name.lower() for name in settings.unique_key)
    if any(unique <= key for unique in reading.model.properties.unique):
        return []
    if reading.trees and all(_has_one_row_of(tree, key) for tree in reading.trees):
        return []
    written = ", ".join(settings.unique_key)
    if not is_deleting:
        return [
            KeyIsChecked(
                f"a load stops at two rows of a {written}, and at one that is NULL, where dbt kept them on a first "
                "load and on "
                f"--full-refresh; test that {written} is unique and not null, or set duplicate_keys and null_keys"
            )
        ]
    if len(key) == 1 and not _NAME_OF_A_ROW.fullmatch(settings.unique_key[0]):
        raise KeyMayRepeat(
            f"delete+insert replaces all rows of a {written}, and a kind by key has one row of each; test in YAML that "
            f"{written} is unique, or name the columns that tell rows apart",
            line=settings.line,
        )
    return [
        KeptAsTest(f"delete+insert took several rows of a key, which are refused now; test that {written} is unique")
    ]


def _has_one_row_of(tree: exp.Query, key: frozenset[str]) -> bool:
    """Whether the query itself returns one row per key: it groups by exactly the key, or keeps the first row of
    each.
    """
    if not isinstance(tree, exp.Select):
        return False
    group = tree.args.get("group")
    if group is not None and group.expressions:
        return {_grouped_name(tree, part) for part in group.expressions} <= key
    if tree.args.get("distinct") is not None:
        return {projection.alias_or_name.lower() for projection in tree.expressions} <= key
    qualify = tree.args.get("qualify")
    kept = qualify.this if qualify is not None else None
    if isinstance(kept, exp.EQ) and isinstance(kept.this, exp.Window) and isinstance(kept.this.this, exp.RowNumber):
        return {_grouped_name(tree, part) for part in kept.this.args.get("partition_by") or []} <= key
    return False


def _grouped_name(select: exp.Select, part: exp.Expr) -> str:
    """The output name of a GROUP BY item, a number or an expression; '' if it is not in the output."""
    if isinstance(part, exp.Literal) and part.is_int and 0 < int(part.this) <= len(select.expressions):
        return select.expressions[int(part.this) - 1].alias_or_name.lower()  # type: ignore[no-any-return]
    for projection in select.expressions:
        if projection.unalias() == part or (isinstance(part, exp.Column) and projection.alias == part.name):
            return projection.alias_or_name.lower()  # type: ignore[no-any-return]
    return part.name.lower() if isinstance(part, exp.Column) and select.is_star else ""
