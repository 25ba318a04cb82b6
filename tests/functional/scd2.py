"""What a table of SCD type 2 holds."""

from __future__ import annotations

from tests.functional.project import Project
from tests.unit.scd2_sql import Columns


def stored(project: Project, table: str, columns: Columns, valid_from: str, valid_to: str) -> list[list[str | None]]:
    """The rows of a table as texts, by the names of columns; none where there is no such table."""
    if not project.table_exists(table):
        return []
    texts = ", ".join(f"cast(`{name}` as string)" for name in [*(name for name, _ in columns), valid_from, valid_to])
    return sorted(([*row] for row in project.sql(f"select {texts} from {{schema}}.{table}")), key=repr)
