"""Keys: what a kind by key does with several rows of one key, and with none."""

from __future__ import annotations

import re

from sqlglot import exp

from dbt_kinds.analysis.tree import conjuncts
from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left, MigrationNote
from dbt_kinds.migrate.conversion import Conversion, MigrateOptions
from dbt_kinds.migrate.parents import cte_of
from dbt_kinds.migrate.reading import Reading
from dbt_kinds.migrate.settings import Settings
from dbt_kinds.migrate.trace import sources_of

_COLUMN = re.compile(r"[\w ]+|[`\"\[].+[`\"\]]")
# whose adapters delete and insert if a model has a key and names no strategy
_DELETING_ADAPTERS = frozenset({"duckdb", "postgres", "redshift"})
# what makes several rows of one
_GENERATORS = (exp.UDTF, exp.Explode, exp.ExplodeOuter, exp.Posexplode, exp.Inline, exp.Stack, exp.GenerateSeries)
_GENERATING = frozenset({"stack", "json_tuple", "inline", "inline_outer", "flatten", "generate_series"})


def set_key(found: Conversion, reading: Reading, settings: Settings, options: MigrateOptions) -> None:
    """Sets the key of a kind by key, and what it does with several rows of one key.

    Raises:
        Left (ComputedConfig): the key is an expression.
        Left (CustomStrategy): all rows of a key are replaced, and a setting narrows which.
    """
    for name in settings.unique_key:
        if not _COLUMN.fullmatch(name.strip()):
            raise Left(
                MigrateCode.ComputedConfig,
                f"unique_key is the expression `{name}`; select it as a column, and name that",
                line=settings.line,
            )
    found.options["unique_key"] = list(settings.unique_key)
    adapter = options.adapter or options.dialect
    is_deleting = settings.strategy == "delete+insert" or (settings.strategy is None and adapter in _DELETING_ADAPTERS)
    key = frozenset(name.lower() for name in settings.unique_key)
    properties = reading.model.properties
    is_unique = any(unique <= key for unique in properties.unique) or (
        bool(reading.trees) and all(_has_one_row_of(tree, key) for tree in reading.trees)
    )
    written = ", ".join(settings.unique_key)
    if is_deleting and not is_unique:
        narrowed = settings.narrowing
        if narrowed:
            raise Left(
                MigrateCode.CustomStrategy,
                f"{narrowed[0]} narrows what delete+insert deletes; write what it means with merge_filter by hand",
                line=settings.line,
            )
        found.options["duplicate_keys"] = "replace_all"
        found.notes.append(
            MigrationNote(
                MigrateCode.ReplacedTogether,
                f"all rows of one {written} are replaced together, as before; those of one {written} have to be in one "
                "window, as they had to be in one run, and a NULL stops a load",
            )
        )
    elif not is_unique:
        when = "" if found.options.get("insert_only") else " on a first load and on --full-refresh"
        found.notes.append(
            MigrationNote(
                MigrateCode.KeyIsChecked,
                f"a load stops at two rows of one {written}, and at one that is NULL, where dbt kept them{when}; test "
                f"that {written} is unique and not null, or set duplicate_keys and null_keys",
            )
        )
    elif not all(_is_never_null(reading, name) for name in key - properties.not_null):
        found.notes.append(
            MigrationNote(
                MigrateCode.KeyIsChecked,
                f"a load stops at a row whose {written} is NULL, which dbt inserted; test that it is not null, or set "
                "null_keys",
            )
        )


def _is_never_null(reading: Reading, name: str) -> bool:
    """Whether a column of the output is a hash of values that are never NULL."""
    return bool(reading.trees) and all(_is_hash(tree, name) for tree in reading.trees)


def _is_hash(query: exp.Expr | None, name: str, depth: int = 0) -> bool:
    query = _unwrapped(query)
    if not isinstance(query, exp.Select) or depth > 20:
        return False
    made = next((one.unalias() for one in query.expressions if one.alias_or_name.lower() == name), None)
    # what dbt_utils.generate_surrogate_key writes
    if isinstance(made, exp.Anonymous) and made.name.lower() == "kinds_key":
        return True
    sources = list(sources_of(query))
    below = _name_below(query, name)
    if len(sources) != 1 or not below:
        return False
    return _is_hash(_query_of(sources[0]), below, depth + 1)


def _has_one_row_of(query: exp.Expr | None, key: frozenset[str], depth: int = 0) -> bool:
    """Whether a query itself returns one row per key: it groups by exactly the key, or keeps one row of each, there or
    in what it selects from.
    """
    query = _unwrapped(query)
    if not isinstance(query, exp.Select) or depth > 20:
        return False
    group = query.args.get("group")
    if group is not None and group.expressions:
        return {_grouped_name(query, part) for part in group.expressions} <= key
    if query.args.get("distinct") is not None and {one.alias_or_name.lower() for one in query.expressions} <= key:
        return True
    qualify = query.args.get("qualify")
    if qualify is not None and any(
        _is_first_of(query, _window_of(query, part), key) for part in conjuncts(qualify.this)
    ):
        return True
    return _passes_one_row_of(query, key, depth)


def _passes_one_row_of(select: exp.Select, key: frozenset[str], depth: int) -> bool:
    """Whether a select has at most one row for each row of its only source, which has one per key."""
    sources = list(sources_of(select))
    multiplies = bool(select.args.get("joins") or select.args.get("laterals")) or any(
        isinstance(node, _GENERATORS) or (isinstance(node, exp.Anonymous) and node.name.lower() in _GENERATING)
        for projection in select.expressions
        for node in projection.walk()
    )
    if multiplies or len(sources) != 1:
        return False
    inner = _unwrapped(_query_of(sources[0]))
    below = frozenset(_name_below(select, name) for name in key)
    if not isinstance(inner, exp.Select) or "" in below:
        return False
    where = select.args.get("where")
    if where is not None and any(_is_first_of(inner, _window_of(inner, part), below) for part in conjuncts(where.this)):
        return True
    return _has_one_row_of(inner, below, depth + 1)


def _query_of(source: exp.Expr) -> exp.Expr | None:
    """The query that a source of a select names or is; None if it is a table."""
    inner: exp.Expr | None = cte_of(source) if isinstance(source, exp.Table) else source.this
    return inner


def _unwrapped(query: exp.Expr | None) -> exp.Expr | None:
    while isinstance(query, exp.Subquery | exp.Paren):
        query = query.this
    return query


def _window_of(select: exp.Select, condition: exp.Expr) -> exp.Expr | None:
    """The numbering that a condition compares with 1, written there or under a name of the select."""
    if not isinstance(condition, exp.EQ) or not _is_one(condition.expression):
        return None
    if not isinstance(condition.this, exp.Column):
        return condition.this  # type: ignore[no-any-return]
    return next((one.unalias() for one in select.expressions if one.alias == condition.this.name), None)


def _is_first_of(select: exp.Select, window: exp.Expr | None, key: frozenset[str]) -> bool:
    """Whether rows are numbered within columns of the key."""
    if not isinstance(window, exp.Window) or not isinstance(window.this, exp.RowNumber):
        return False
    return {_grouped_name(select, part) for part in window.args.get("partition_by") or []} <= key


def _is_one(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and node.name == "1"


def _name_below(select: exp.Select, name: str) -> str:
    """The column of the source that an output column is; '' if it is none as it is."""
    for projection in select.expressions:
        if projection.alias_or_name.lower() == name and not projection.is_star:
            column = projection.unalias()
            return column.name.lower() if isinstance(column, exp.Column) else ""
    return name if select.is_star else ""


def _grouped_name(select: exp.Select, part: exp.Expr) -> str:
    """The output name of a GROUP BY item, a number or an expression; '' if it is not in the output."""
    if isinstance(part, exp.Literal) and part.is_int and 0 < int(part.this) <= len(select.expressions):
        return select.expressions[int(part.this) - 1].alias_or_name.lower()  # type: ignore[no-any-return]
    for projection in select.expressions:
        if projection.unalias() == part or (isinstance(part, exp.Column) and projection.alias == part.name):
            return projection.alias_or_name.lower()  # type: ignore[no-any-return]
    return part.name.lower() if isinstance(part, exp.Column) and select.is_star else ""
