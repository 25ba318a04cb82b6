"""Which models of a smelt project read which, their dbt names, and what each reader may know about its inputs."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from dbt_kinds.analysis.addresses import short_names
from dbt_kinds.analysis.catalogue import Catalogue, Relation
from dbt_kinds.analysis.parsing import Place, Query, parse_query, place_in
from dbt_kinds.analysis.resolution import build_scope
from dbt_kinds.analysis.scopes import Scope
from dbt_kinds.analysis.tree import table_name
from dbt_kinds.codes import CheckCode
from dbt_kinds.diagnostics import Diagnostic
from dbt_kinds.errors import UnreadableQueryError
from dbt_kinds.readers.smelt.configuration import type_of
from dbt_kinds.readers.smelt.expansion import Expansion, written_out
from dbt_kinds.readers.smelt.project import Model, SmeltProject

DIALECT = "spark"
PREFIX = "smelt."

_LITERALS = {
    **dict.fromkeys(("dt", "ts", "tstz"), "TIMESTAMP '2024-01-01'"),
    "dtntz": "TIMESTAMP_NTZ '2024-01-01'",
    "date": "DATE '2024-01-01'",
    "ds": "'2024-01-01'",
    **dict.fromkeys(("epoch", "millis", "hour"), "0"),
}
EXECUTION_TIME = re.compile(rf"\{{\{{-?\s*dbt_kinds\.execution_(?P<kind>{'|'.join(_LITERALS)})\(\s*\)\s*-?\}}\}}")


@dataclass
class Lineage:
    """A project's models with their queries, in an order in which they can run."""

    order: list[str] = field(default_factory=list)
    queries: dict[str, Query] = field(default_factory=dict)
    scopes: dict[str, Scope] = field(default_factory=dict)
    parents: dict[str, list[str]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    problems: dict[str, list[Diagnostic]] = field(default_factory=dict)
    catalogue: Catalogue = field(default_factory=Catalogue)


def resolve(project: SmeltProject) -> Lineage:
    """Parses every model and finds its parents. Unparsable or unknown ones are problems of the model."""
    lineage = Lineage(names=dbt_names([*project.models, *project.seeds]))
    for address, model in project.models.items():
        wrong = list(model.configuration.problems)
        lineage.problems[address] = wrong
        lineage.parents[address] = []
        expansion = written_out(model.sql, project.functions, with_literals(model.sql))
        for call in expansion.wrong:
            wrong.append(Diagnostic.of(call.code, call.message, model.path, place_in(model.sql, call.offset).line))
        if expansion.wrong:
            continue
        try:
            parsed = parse_query(with_literals(expansion.text), DIALECT)
        except UnreadableQueryError as error:
            where = " (with the functions it calls written out)" if expansion.edits else ""
            wrong.append(Diagnostic.of(CheckCode.UnreadableQuery, f"{error}{where}", model.path, _first_line(model)))
            continue
        query = lineage.queries[address] = parsed._replace(
            text=expansion.text, author=functools.partial(_author_place, model.sql, expansion)
        )
        for node, name in _references(query.tree):
            parent = _found(project, name)
            if parent is not None:
                lineage.parents[address] += [parent] if parent not in lineage.parents[address] else []
            else:
                wrong.append(_not_found(query, node, name, model.path))
    lineage.order = _sorted(project.models, lineage)
    lineage.catalogue = _catalogue(project, lineage)
    return lineage


def with_literals(sql: str) -> str:
    """The text with calls of `execution_ts` and its siblings replaced by literals of their types, at unchanged
    positions.
    """

    def literal(call: re.Match[str]) -> str:
        return _LITERALS[call["kind"].lower()].ljust(len(call[0]))

    return EXECUTION_TIME.sub(literal, sql)


def dbt_names(addresses: Iterable[str]) -> dict[str, str]:
    """The last part of each address; if several share it, the whole path."""
    return {address: name.replace(".", "__") for address, name in short_names(addresses).items()}


def _references(tree: exp.Expr) -> list[tuple[exp.Expr, str]]:
    found: list[tuple[exp.Expr, str]] = []
    for node in tree.find_all(exp.Table):
        name = table_name(node) if isinstance(node.this, (exp.Identifier, exp.Dot)) else ""
        name = name or node.sql(DIALECT).replace("`", "")
        if name.lower().startswith(PREFIX):
            found.append((node, name[len(PREFIX) :]))
    return found


def _author_place(sql: str, expansion: Expansion, offset: int) -> Place:
    return place_in(sql, expansion.original(offset))


def _found(project: SmeltProject, name: str) -> str | None:
    known = {address.lower(): address for address in (*project.models, *project.sources, *project.seeds)}
    name = name.lower()
    return known.get(name) or known.get(f"seeds.{name}")


def _not_found(query: Query, node: exp.Expr, name: str, path: str) -> Diagnostic:
    line = query.place(node).line
    if name.lower().startswith("sources."):
        message = f"no source is called smelt.{name}; add a YAML file with its columns at that path"
        return Diagnostic.of(CheckCode.UndefinedSource, message, path, line)
    return Diagnostic.of(CheckCode.UndefinedModelRef, f"no model or seed is called smelt.{name}", path, line)


def _first_line(model: Model) -> int:
    offset = len(model.sql) - len(model.sql.lstrip())
    return place_in(model.sql, offset).line


def _sorted(models: Mapping[str, Model], lineage: Lineage) -> list[str]:
    """Parents first, otherwise by name; models in a cycle come last, each with a problem."""
    waiting, done = sorted(models, key=lambda address: lineage.names[address]), list[str]()
    while waiting:
        ready = next(
            (one for one in waiting if all(of not in models or of in done for of in lineage.parents[one])), None
        )
        if ready is None:
            for address in waiting:
                message = (
                    f"it reads itself, by way of {', '.join(sorted(set(waiting) & set(lineage.parents[address])))}"
                )
                problem = Diagnostic.of(
                    CheckCode.CircularReference, message, models[address].path, models[address].line
                )
                lineage.problems[address].append(problem)
            return done + waiting
        waiting.remove(ready)
        done.append(ready)
    return done


def _catalogue(project: SmeltProject, lineage: Lineage) -> Catalogue:
    relations: dict[str, Relation] = {}
    for address, source in project.sources.items():
        types = {name: type_of(column) for name, column in source.columns.items()}
        relations[PREFIX + address] = Relation(address, types or None, source.timeseries)
    for address in project.seeds:
        relations[PREFIX + address] = relations[PREFIX + address.removeprefix("seeds.")] = Relation(address)
    for address in lineage.order:
        configuration, query = project.models[address].configuration, lineage.queries.get(address)
        relation = Relation(address, None, configuration.timeseries)
        if query is not None and not any(
            found.code is CheckCode.CircularReference for found in lineage.problems[address]
        ):
            scope = lineage.scopes[address] = build_scope(query.tree, Catalogue(relations))
            said = {name.lower(): type_of(column) for name, column in configuration.columns.items()}
            if not scope.is_open:
                columns = {output.name: said.get(output.name) or output.term.kind or "" for output in scope.outputs}
                relation = replace(relation, columns=columns)
            if configuration.materialization == "ephemeral":
                relation = replace(relation, timeseries=None, inlined=query.tree)
        relations[PREFIX + address] = relation
    return Catalogue(relations)
