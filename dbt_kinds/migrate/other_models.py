"""What other models of a project make of a column that is a time by its name: a timestamp of a number it counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from dbt_kinds.migrate.epochs import number_used
from dbt_kinds.migrate.parents import Parents, Place
from dbt_kinds.migrate.trace import sources_of
from dbt_kinds.readers.dbt.rendering import Names

Relation = tuple[str, ...]


@dataclass(frozen=True)
class Use:
    """An expression of another model that makes a timestamp of a number; `unit` is what that counts since 1970."""

    model: str
    written: str
    unit: str


def use_elsewhere(
    expression: exp.Expr, select: exp.Select, names: Names, parents: Parents, model: str | None
) -> Use | None:
    """How another model makes a timestamp of a filtered column, if it is a number there.

    It has to read the column of this model, or of one that this model reads; a loader's own column, such as
    `_loaded_at`, is the same in each of its tables.

    Args:
        model: the name of the model with the filter.
    """
    if not isinstance(expression, exp.Column):
        return None
    name = expression.name
    wanted = {relation for place in parents.lineage(expression, select, names) for relation in _relations(place)}
    if model is not None:
        wanted.add(("ref", model))
    for other in parents.project.models:
        text = other.text.lower()
        is_near = name.startswith("_") or any(relation[-1].lower() in text for relation in wanted)
        if other.name == model or not is_near or name.lower() not in text:
            continue
        query = parents.query(other.name)
        for read in query.tree.find_all(exp.Select) if query is not None else ():
            used = number_used(read, exp.column(name))
            if query is None or used is None or used[1] is None:
                continue
            column = next(found for found in used[0].find_all(exp.Column) if found.name.lower() == name.lower())
            if name.startswith("_") or any(
                wanted & set(_relations(place)) for place in parents.lineage(column, read, query.names)
            ):
                return Use(other.name, " ".join(used[0].sql(parents.dialect).split())[:80], used[1])
    return None


def _relations(place: Place) -> Iterator[Relation]:
    """The relations that the columns of an expression may come from; a table that is named as a model is that model."""
    tables = {column.table.lower() for column in place.expression.find_all(exp.Column)}
    for source in sources_of(place.select):
        if isinstance(source, exp.Table) and (not tables - {""} or source.alias_or_name.lower() in tables):
            relation = place.names.relations.get(source.name, ("ref", source.name))
            yield relation if relation[0] == "source" else ("ref", relation[-1])
