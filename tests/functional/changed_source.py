"""A table that changes and a folder that files land in, with models of the kinds that go by what changed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.functional.formats import table_format
from tests.functional.project import Project
from tests.functional.test_events import events, land

COLUMNS = [{"name": "id", "data_type": "int", "not_null": True}, {"name": "v", "data_type": "int"}]
Rows = Counter[tuple[int, int]]


@dataclass
class ChangedSource:
    """A table of Iceberg or Delta, `(id int, v int)`, and files with the same columns, some of whose lines are to be rejected."""

    sql: Callable[[str], Any]
    landing: Path
    luck: random.Random
    rows: Rows = field(default_factory=Rows)
    landed: Rows = field(default_factory=Rows)
    rejected: Counter[str] = field(default_factory=Counter)
    files: int = 0

    def create(self, project: Project) -> None:
        self.landing.mkdir()
        self.sql(f"create table {{schema}}.source (id int, v int) using {table_format()}")
        sources = f"sources: [{{name: src, schema: {project.schema}, tables: [{{name: source}}]}}]"
        (project.folder / "models" / "sources.yml").write_text(sources)

    def change(self) -> Rows:
        """Rows come or go, and files land; returns the rows that the table gained."""
        before = self.rows.copy()
        for _ in range(self.luck.randrange(1, 4)):
            row = (self.luck.randrange(30), self.luck.randrange(9))
            if self.luck.random() < 0.6 or not self.rows:
                self.sql(f"insert into {{schema}}.source values {row}")
                self.rows[row] += 1
            else:
                row = self.luck.choice(sorted(self.rows))
                self.sql(f"delete from {{schema}}.source where id = {row[0]} and v = {row[1]}")
                del self.rows[row]
        for _ in range(self.luck.randrange(3)):
            self._land()
        return self.rows - before

    def _land(self) -> None:
        self.files += 1
        rows = [(self.luck.randrange(30), self.luck.randrange(9)) for _ in range(self.luck.randrange(4))]
        lines = [f'{{"id": {id_}, "v": {v}}}' for id_, v in rows]
        if self.luck.random() < 0.4:
            lines.append(f'{{"id": "no number {self.files}"}}')
            self.rejected[lines[-1]] += 1
        land(self.landing, f"{self.files:04}.jsonl", lines)
        self.landed.update(rows)


SOURCE = "source('src', 'source')"


def gained(project: Project, file_format: str, **meta: Any) -> None:
    """A model that appends what the table gained."""
    query = f"select id, v from {{{{ dbt_kinds.changes_of({SOURCE}) }}}} as a"
    given = {"start": None, "capture": "snapshot", **meta}
    project.kind(f"gained_{file_format}", query, kind="append", config=f"file_format='{file_format}'", **given)


def grouped(project: Project, file_format: str, **meta: Any) -> None:
    """A model whose rows are replaced by id."""
    given = {"start": None, "group_key": "id", "empty_source": "delete", **meta}
    query = f"select id, v from {{{{ {SOURCE} }}}}"
    project.kind(f"grouped_{file_format}", query, kind="tracked", config=f"file_format='{file_format}'", **given)


def landed(project: Project, file_format: str, landing: Path, **meta: Any) -> None:
    """A model of the lines of files."""
    events(project, f"landed_{file_format}", landing, file_format, columns=COLUMNS, **meta)
