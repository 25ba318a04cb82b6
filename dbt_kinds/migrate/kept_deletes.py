"""Post-hooks that delete rows of the model's table by what these hold or by what another table holds, such as the keys
that a source has marked as deleted: a kind runs them after a load, as dbt did after a run.
"""

from __future__ import annotations

import re

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from dbt_kinds.analysis.determinism import nondeterministic_calls
from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import MigrationNote, UnrenderableError
from dbt_kinds.migrate.bounds import asks_now
from dbt_kinds.readers.dbt.calls import Argument
from dbt_kinds.readers.dbt.project import DbtProject, ModelFile
from dbt_kinds.readers.dbt.rendering import NAME, THIS, Names, Renderer

HOOK = "post_hook"
_DELETES = re.compile(r"\s*delete\s+from\b", re.IGNORECASE)


def kept_deletes(model: ModelFile, project: DbtProject, dialect: str) -> tuple[str, ...]:
    """The texts of the file's own post-hook if each is one deletion that a kind may do after its load."""
    argument = next((found for call in model.calls if (found := call.argument(HOOK)) is not None), None)
    texts = _texts(argument, project, dialect) if argument is not None else ()
    return texts if all(_is_kept(text, project, dialect) for text in texts) else ()


def kept_notes(deletes: tuple[str, ...]) -> list[MigrationNote]:
    """What to know of a hook that deletes after each load."""
    if not deletes:
        return []
    return [
        MigrationNote(
            MigrateCode.HookKept,
            f"its {HOOK} deletes rows after each load, as it did after each run; a run that finds nothing to load "
            "deletes nothing, and a deleted row that a window reads again stays if the hook no longer names it",
        )
    ]


def deletion(sql: str, dialect: str) -> exp.Delete | None:
    """A statement as a deletion by a condition; None for any other."""
    if not _DELETES.match(sql):
        # what sqlglot does not know it would warn of
        return None
    try:
        tree = sqlglot.parse_one(sql.strip().rstrip(";"), read=dialect)
    except (SqlglotError, RecursionError):
        return None
    given = {name for name, value in tree.args.items() if value}
    return tree if isinstance(tree, exp.Delete) and given == {"this", "where"} else None


def _texts(argument: Argument, project: DbtProject, dialect: str) -> tuple[str, ...]:
    """What is set for the hook: literals, or what a macro of the project returns; nothing if that is not known."""
    renderer = Renderer(project.macros, project.variables, dialect, project.name, Names())
    try:
        given = renderer.render(f"{{% set kinds_given = {argument.text} %}}")[1].get("kinds_given")
    except UnrenderableError:
        return ()
    texts = given if isinstance(given, list) else [given]
    return tuple(texts) if all(isinstance(text, str) for text in texts) else ()


def _is_kept(text: str, project: DbtProject, dialect: str) -> bool:
    """Whether a hook deletes rows, and which ones depends on no run, variable or time."""
    said = set()
    for answer in (False, True):
        names = Names()
        renderer = Renderer(project.macros, project.variables, dialect, project.name, names)
        renderer.incremental = answer
        try:
            said.add(renderer.render(text)[0])
        except UnrenderableError:
            return False
        if names.asked or names.undecided or names.queries:
            return False
    sql = said.pop()
    tree = deletion(sql, dialect)
    if said or tree is None or tree.this.name != THIS:
        return False
    known = {THIS, *names.relations}
    tables = [table.name for table in tree.find_all(exp.Table)]
    return (
        all(name in known for name in NAME.findall(sql))
        and tables.count(THIS) == 1
        and not asks_now(tree)
        and not any(True for _ in nondeterministic_calls(tree))
        and tree.find(exp.Limit, exp.Window) is None
    )
