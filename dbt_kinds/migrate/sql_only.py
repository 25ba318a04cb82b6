"""Compares the old and the new version of a model without a warehouse: the columns returned and the tables read."""

from __future__ import annotations

from pathlib import Path

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from dbt_kinds.dbt_profiles import adapter_of
from dbt_kinds.errors import UnrenderableError, VerifyError
from dbt_kinds.migrate.dialects import dialect_of
from dbt_kinds.migrate.verify import model_of_kind, read_old_text
from dbt_kinds.readers.dbt.project import DbtProject, read_project
from dbt_kinds.readers.dbt.rendering import THIS, Names, Renderer


def compare_texts(root: Path, name: str, old: Path | None = None) -> list[str]:
    """The differences, as sentences; empty if there are none.

    Raises:
        VerifyError: there is no old version, or one of the two cannot be parsed as SQL.
    """
    project = read_project(root)
    model = model_of_kind(project, name)
    old_text = read_old_text(root, model, old)
    dialect = dialect_of(adapter_of(root, project.profile), root, [old_text])
    before, after = (_shape(text, project, dialect, name) for text in (old_text, model.text))
    found = []
    if before[0] != after[0]:
        found.append(f"{name}: columns differ: {', '.join(before[0])} before, {', '.join(after[0])} now")
    for tables, others, when in ((before[1], after[1], "before"), (after[1], before[1], "now")):
        if tables - others:
            found.append(f"{name}: reads {', '.join(sorted(tables - others))} only {when}")
    return found


def _shape(text: str, project: DbtProject, dialect: str, name: str) -> tuple[list[str], set[str]]:
    names = Names()
    try:
        sql, _ = Renderer(project.macros, project.variables, dialect, project.name, names).render(text)
        tree = sqlglot.parse_one(sql, read=dialect)
    except (UnrenderableError, SqlglotError) as error:
        raise VerifyError(f"{name} cannot be read as SQL: {' '.join(str(error).split())[:160]}") from error
    if not isinstance(tree, exp.Query):
        raise VerifyError(f"{name} is no query")
    ctes = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    read = {table.name.lower() for table in tree.find_all(exp.Table)} - ctes - {THIS}
    tables = {".".join(names.relations[table][1:]) if table in names.relations else table for table in read}
    return [column.lower() for column in tree.named_selects], tables
