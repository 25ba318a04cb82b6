"""Keys: delete+insert replaces all rows of a key, which a kind by key does if it is told to."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.errors import CustomStrategy, KeyIsChecked, ReplacedTogether
from dbt_kinds.migrate.conversion import Conversion, MigrateOptions
from dbt_kinds.migrate.reading import Reading
from dbt_kinds.migrate.settings import Settings

_NARROWING = ("incremental_predicates", "predicates", "merge_update_columns", "merge_exclude_columns")
# whose adapters delete and insert if a model has a key and names no strategy
_DELETING_ADAPTERS = frozenset({"duckdb", "postgres", "redshift"})


def set_key(found: Conversion, reading: Reading, settings: Settings, options: MigrateOptions) -> None:
    """Sets the key of a kind by key, and what it does with several rows of one key.

    Raises:
        CustomStrategy: all rows of a key are replaced, and a setting narrows which.
    """
    found.options["unique_key"] = list(settings.unique_key)
    adapter = options.adapter or options.dialect
    is_deleting = settings.strategy == "delete+insert" or (settings.strategy is None and adapter in _DELETING_ADAPTERS)
    key = frozenset(name.lower() for name in settings.unique_key)
    if any(unique <= key for unique in reading.model.properties.unique):
        return
    if reading.trees and all(_has_one_row_of(tree, key) for tree in reading.trees):
        return
    written = ", ".join(settings.unique_key)
    if not is_deleting:
        found.notes.append(
            KeyIsChecked(
                f"a load stops at two rows of one {written}, and at one that is NULL, where dbt kept them on a first "
                f"load and on --full-refresh; test that {written} is unique and not null, or set duplicate_keys and "
                "null_keys"
            )
        )
        return
    narrowed = [name for name in _NARROWING if settings.config.get(name)]
    if narrowed:
        raise CustomStrategy(
            f"{narrowed[0]} narrows what delete+insert deletes; write what it means with merge_filter by hand",
            line=settings.line,
        )
    found.options["duplicate_keys"] = "replace_all"
    found.notes.append(
        ReplacedTogether(
            f"all rows of a {written} are replaced together, as before; those of one {written} have to be in one "
            "window, as they had to be in one run, and a NULL stops a load"
        )
    )


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
