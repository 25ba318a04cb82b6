"""Macros of a project that take the place of dbt's own strategies: what they do is not read."""

from __future__ import annotations

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import MigrationNote
from dbt_kinds.migrate.conversion import MigrateOptions
from dbt_kinds.migrate.settings import SPARK_ADAPTERS, Settings
from dbt_kinds.readers.dbt.project import DbtProject

_MERGE = ("get_merge_sql", "get_incremental_merge_sql")
_APPEND = ("get_insert_into_sql", "get_incremental_append_sql")
_DEFAULT = ("get_incremental_default_sql",)
_WRITING = {
    "merge": _MERGE,
    "append": _APPEND,
    "delete+insert": ("get_delete_insert_merge_sql", "get_incremental_delete_insert_sql"),
    "insert_overwrite": (
        "get_insert_overwrite_sql",
        "get_insert_overwrite_merge_sql",
        "get_incremental_insert_overwrite_sql",
    ),
}


def own_strategy(settings: Settings, project: DbtProject, options: MigrateOptions) -> list[MigrationNote]:
    """A note on the project's macro that writes the rows of a strategy in place of dbt's; none if dbt's own does."""
    default = (*_DEFAULT, *(_MERGE if settings.unique_key else _APPEND))
    names = _WRITING[settings.strategy] if settings.strategy is not None else default
    adapter = options.adapter or options.dialect
    prefixes = ("", "default__", f"{adapter}__", *(("spark__",) if adapter in SPARK_ADAPTERS else ()))
    own = [prefix + name for name in names for prefix in prefixes if prefix + name in project.macros]
    return [
        MigrationNote(
            MigrateCode.OwnStrategy,
            f"the project's own macro {name} writes in place of dbt's, and is not read: the kind does what dbt's does. "
            "Compare the tables, such as with dbt-kinds verify",
        )
        for name in own[:1]
    ]
