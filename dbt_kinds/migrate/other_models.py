"""What other models of a project make of a column that is a time by its name: a timestamp of a number it counts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from dbt_kinds.migrate.epochs import made_time
from dbt_kinds.migrate.parents import NumberUse, Parents, Place
from dbt_kinds.migrate.trace import sources_of
from dbt_kinds.readers.dbt.rendering import Names

_MAKES_TIMES = re.compile(r"unix|epoch|1970|to_timestamp|timestamp_(?:milli)?s|/\s*1000|/\s*1e3", re.IGNORECASE)


def use_elsewhere(
    expression: exp.Expr, select: exp.Select, names: Names, parents: Parents, model: str | None
) -> NumberUse | None:
    """How another model makes a timestamp of a filtered column, if it is a number there.

    It has to read the column of this model, or of one that this model reads; a loader's own column, such as
    `_loaded_at`, is the same in each of its tables.

    Args:
        model: the name of the model with the filter.
    """
    if not isinstance(expression, exp.Column):
        return None
    if parents.number_uses is None:
        parents.number_uses = list(_all_uses(parents))
    name = expression.name.lower()
    uses = [use for use in parents.number_uses if use.column.name.lower() == name and use.model != model]
    if not uses or name.startswith("_"):
        return next(iter(uses), None)
    wanted = {relation for place in parents.lineage(expression, select, names) for relation in _relations(place)}
    if model is not None:
        wanted.add(("ref", model))
    for use in uses:
        places = parents.lineage(use.column, use.select, use.names)
        if any(relation in wanted for place in places for relation in _relations(place)):
            return use
    return None


def _all_uses(parents: Parents) -> Iterator[NumberUse]:
    for model in parents.project.models:
        query = parents.query(model.name) if _MAKES_TIMES.search(model.text) else None
        for node in query.tree.walk() if query is not None else ():
            made = made_time(node)
            select = node.find_ancestor(exp.Select)
            if query is None or made is None or select is None or not isinstance(made[0], exp.Column):
                continue
            written = " ".join(node.sql(parents.dialect).split())[:80]
            yield NumberUse(made[0], select, query.names, model.name, written, made[1])


def _relations(place: Place) -> Iterator[tuple[str, ...]]:
    """The relations that the columns of an expression may come from; a table that is named as a model is that model."""
    tables = {column.table.lower() for column in place.expression.find_all(exp.Column)}
    for source in sources_of(place.select):
        if isinstance(source, exp.Table) and (not tables - {""} or source.alias_or_name.lower() in tables):
            relation = place.names.relations.get(source.name, ("ref", source.name))
            yield relation if relation[0] == "source" else ("ref", relation[-1])
