"""Hooks that only delete recent rows of the model's own table, which are loaded again: a window does that itself."""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left, MigrationNote, UnrenderableError
from dbt_kinds.migrate.bounds import Bound, read_bound
from dbt_kinds.migrate.conversion import Conversion, MigrateOptions
from dbt_kinds.migrate.durations import intervals_back
from dbt_kinds.migrate.meaning import Meaning
from dbt_kinds.migrate.reading import Reading
from dbt_kinds.migrate.settings import Settings
from dbt_kinds.readers.dbt.rendering import THIS


def take_deletes(
    found: Conversion, reading: Reading, settings: Settings, meanings: list[Meaning], unit: str, options: MigrateOptions
) -> None:
    """Removes the hooks that delete what is loaded again, and looks back as far as they delete.

    Raises:
        Left (OwnStateTable): one deletes something else.
    """
    for hook, text in settings.deletes:
        bound = _bound(reading, text, str(found.options.get("time_column") or ""), options)
        starts = [one for meaning in meanings for one in meaning.lower]
        if bound is None or not starts:
            raise Left(
                MigrateCode.OwnStateTable,
                f"its {hook} deletes rows of the table, which no window replaces",
                line=settings.line,
            )
        deleted = intervals_back(bound.shift, unit, bound.truncated)
        read = max(intervals_back(one.shift, unit, one.truncated) for one in starts)
        # after the deletion the newest value of the table is older
        is_followed = hook.startswith("pre") and any(one.base == "latest" for one in starts)
        if deleted > read and not is_followed:
            raise Left(
                MigrateCode.OwnStateTable, f"its {hook} deletes more than what is loaded again", line=settings.line
            )
        if max(deleted, read):
            found.options["lookback"] = max(deleted, found.options.get("lookback", 0))
        found.removed.add(hook)
        found.notes.append(
            MigrationNote(MigrateCode.HookRemoved, f"its {hook} is removed: a window replaces the rows that it deleted")
        )


def _bound(reading: Reading, text: str, column: str, options: MigrateOptions) -> Bound | None:
    """From where a hook deletes all rows of the table; None for one that does anything else."""
    try:
        sql = reading.renderer.render(text)[0]
        tree = sqlglot.parse_one(sql.strip().rstrip(";"), read=options.dialect)
    except (UnrenderableError, SqlglotError, RecursionError):
        return None
    where = tree.args.get("where") if isinstance(tree, exp.Delete) else None
    condition = where.this if where is not None and tree.this.name == THIS else None
    if not isinstance(condition, exp.GT | exp.GTE) or not isinstance(condition.this, exp.Column):
        return None
    if condition.this.name.lower() != column.lower():
        return None
    bound = read_bound(condition.expression, reading.names, options.dialect)
    return bound if bound is not None and bound.base in ("now", "latest") else None
