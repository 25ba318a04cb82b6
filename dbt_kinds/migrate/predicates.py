"""incremental_predicates: what restricted the merge becomes merge_filter, stays, or has no use any more."""

from __future__ import annotations

import re
from collections.abc import Iterator

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left, MigrationNote, UnrenderableError
from dbt_kinds.migrate.conversion import Conversion, MigrateOptions
from dbt_kinds.migrate.parameters import is_constant
from dbt_kinds.migrate.reading import Reading
from dbt_kinds.migrate.settings import Settings
from dbt_kinds.readers.dbt.calls import COMPUTED

_NAMES = frozenset({"incremental_predicates", "predicates"})
_VARIABLE = re.compile(r"kinds_var_\d+\b")
# what a macro writes that is not in the project
_UNKNOWN = re.compile(r"kinds_code_\d+\b")
_SIDE = re.compile(r"(?i)\bDBT_INTERNAL_(DEST|SOURCE)\b")
_COMBINED = (exp.And, exp.Or, exp.Not, exp.Paren)


def take_predicates(
    found: Conversion, reading: Reading, settings: Settings, options: MigrateOptions, *, has_own_strategy: bool
) -> None:
    """Removes the predicates that restricted the merge, or keeps them for a kind that goes by key.

    Args:
        has_own_strategy: whether a macro of the project merges in place of dbt's, and may read them.

    Raises:
        Left (ComputedConfig): they are computed, and would have to be read.
        Left (CustomStrategy): one is no condition of SQL.
    """
    config = settings.config
    predicates = config.get("incremental_predicates") or config.get("predicates")
    if not predicates:
        return
    if found.kind == "incremental_by_time_range":
        found.removed |= _NAMES
        found.notes.append(
            MigrationNote(
                MigrateCode.PredicatesNotUsed,
                "incremental_predicates narrowed the merge; a range is replaced as a whole",
            )
        )
        return
    is_computed = predicates is COMPUTED or (isinstance(predicates, list) and COMPUTED in predicates)
    is_by_key = found.kind == "incremental_by_unique_key"
    if is_computed and not (is_by_key and config.get("incremental_predicates")):
        raise Left(MigrateCode.ComputedConfig, "incremental_predicates is computed; write it out", line=settings.line)
    if not is_by_key:
        return
    texts = list(_texts(reading) if is_computed else [predicates] if isinstance(predicates, str) else predicates)
    chosen = sorted(set(_chosen_by_runs(texts, reading)))
    if chosen:
        found.removed |= _NAMES
        found.notes.append(
            MigrationNote(
                MigrateCode.PredicatesNotUsed,
                f"incremental_predicates narrowed the merge by {', '.join(chosen)}, which a run need not be given any "
                "more; now keys are looked for in the whole table. A merge_filter without variables narrows it",
            )
        )
        return
    others = [
        str(text) for text in texts if not _UNKNOWN.search(str(text)) and not _is_condition(str(text), options.dialect)
    ]
    if others and has_own_strategy:
        found.removed |= _NAMES
        found.notes.append(
            MigrationNote(
                MigrateCode.PredicatesNotUsed,
                f"incremental_predicates has `{others[0]}`, by which the project's own macro narrowed the merge; now "
                "keys are looked for in the whole table. A merge_filter narrows it",
            )
        )
        return
    if others:
        raise Left(
            MigrateCode.CustomStrategy,
            f"incremental_predicates has `{others[0]}`, which is no condition of SQL, so that a macro of the project "
            "reads it; say what it does with merge_filter, or take it out",
            line=settings.line,
        )
    found.notes.append(
        MigrationNote(
            MigrateCode.PredicatesKept,
            "incremental_predicates still says which rows of the table are looked at: a range that is loaded "
            "again changes no others, and a row with the key of another one is left out, which dbt inserted",
        )
    )
    # the kind knows dbt's name, too, and dbt computes the same text as before
    if is_computed:
        return
    renamed = [_renamed(str(text)) for text in texts]
    found.options["merge_filter"] = renamed[0] if len(renamed) == 1 else " and ".join(f"({text})" for text in renamed)
    found.removed |= _NAMES


def _texts(reading: Reading) -> Iterator[str]:
    """The predicates that a template computes, with placeholders for what only a run knows; none if they are not in
    the file, or use something unknown.
    """
    written = next(
        (one for call in reading.model.calls if (one := call.argument("incremental_predicates")) is not None), None
    )
    if written is None:
        return
    try:
        said = reading.renderer.render(f"{{% set kinds_given = {written.text} %}}", **reading.context)[1]
    except UnrenderableError:
        return
    given = said.get("kinds_given")
    yield from map(str, given if isinstance(given, list | tuple) else [given])


def _chosen_by_runs(texts: list[str], reading: Reading) -> Iterator[str]:
    """The variables in predicates whose values runs are given."""
    for text in texts:
        for placeholder in _VARIABLE.findall(str(text)):
            if not is_constant(placeholder, reading.names):
                yield reading.names.variables[placeholder]


def _is_condition(text: str, dialect: str) -> bool:
    """Whether a text can stand in an ON: it compares something, or names a column of one of the two sides."""
    try:
        condition = sqlglot.parse_one(text, into=exp.Condition, read=dialect)
    except SqlglotError:
        # what the database understands may be more than what is read here
        return bool(_SIDE.search(text))
    return _holds(condition)


def _holds(condition: exp.Expr) -> bool:
    if isinstance(condition, _COMBINED):
        return all(_holds(part) for part in (condition.this, condition.args.get("expression")) if part is not None)
    if isinstance(condition, exp.Column):
        return bool(condition.table)
    return isinstance(condition, exp.Predicate | exp.Boolean | exp.Anonymous)


def _renamed(predicate: str) -> str:
    return _SIDE.sub(lambda name: "target" if name[1].upper() == "DEST" else "source", predicate)
