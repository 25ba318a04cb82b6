"""Replaces references in a model's text by `window_of` with the derived bounds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from dbt_kinds.analysis.batches import Bound
from dbt_kinds.analysis.catalogue import Catalogue, Relation
from dbt_kinds.analysis.edits import Edit
from dbt_kinds.analysis.margins import Margin, read_iso
from dbt_kinds.analysis.parsing import Query, span
from dbt_kinds.analysis.pushdown import window_of
from dbt_kinds.analysis.tree import table_name
from dbt_kinds.analysis.units import nests

_TEXT = r"""(?:'[^'\\{}]*'|"[^"\\{}]*")"""
_CALL = rf"(?P<call>(?P<function>ref|source)\(\s*(?P<first>{_TEXT})\s*(?:,\s*(?P<second>{_TEXT})\s*)?\))"
_REFERENCE = re.compile(rf"(?<![\w.]){_CALL}")
_PLAIN = re.compile(rf"\{{\{{[-+]?\s*{_CALL}\s*[-+]?\}}\}}")
_WINDOWED = re.compile(rf"\{{\{{[-+]?\s*dbt_kinds\.window_of\(\s*{_CALL}(?P<rest>[^{{}}]*?)\)\s*[-+]?\}}\}}")
_SIDE = re.compile(r"""\b(?P<side>before|after)\s*=\s*(?P<quote>['"])(?P<margin>[^'"]*)(?P=quote)""")
_PLAIN_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Exchange:
    """The edits of a file, and a message for each source whose references could not be replaced."""

    edits: tuple[Edit, ...]
    unplaced: tuple[str, ...]


def exchanged(
    text: str,
    query: Query,
    catalogue: Catalogue,
    bounds: Mapping[str, Bound],
    narrow: frozenset[str],
    formatted: frozenset[str],
) -> Exchange:
    """The edits that make a model's file read from every bounded source what its windows need.

    References to a source are replaced if the text has as many as the compiled query has tables, because they then
    correspond in order. An existing `window_of` is kept, except for a source of which too little is read: there it is
    widened.

    Args:
        narrow: the addresses of relations of which the query's conditions read too little.
        formatted: the addresses of relations whose time column is a string or number with a format.
    """
    edits, unplaced = [], []
    for address, bound in bounds.items():
        if bound.kind != "bounded":
            continue
        relation = next(found for found in catalogue.relations.values() if found.address == address)
        tables = list(_tables(query, catalogue, address))
        places = [found for found in (*_PLAIN.finditer(text), *_WINDOWED.finditer(text)) if _address(found) == address]
        named = [found for found in _REFERENCE.finditer(text) if _address(found) == address]
        if not len(tables) == len(places) == len(named):
            unplaced.append(
                f"{address} is read through a variable, a macro, a loop or an ephemeral model; there write "
                f"{window_of('…', _typed(relation), bound)} by hand"
            )
            continue
        plain = [found for found in places if "rest" not in found.re.groupindex]
        if plain and address in formatted:
            unplaced.append(f"the time of {address} needs a format that is not known; write window_of by hand")
            continue
        for found, table in zip(sorted(places, key=re.Match.start), tables, strict=True):
            if "rest" in found.re.groupindex:
                edits += list(_widened(found, bound)) if address in narrow else []
            else:
                call = f"{{{{ {window_of(found['call'], _typed(relation), bound)} }}}}"
                alias = "" if table.alias else f" as {_quoted(table.name)}"
                edits.append(Edit(found.start(), found.end(), call + alias))
    return Exchange(tuple(edits), tuple(unplaced))


def _tables(query: Query, catalogue: Catalogue, address: str) -> Iterator[exp.Table]:
    """The tables of a source in the query, in text order."""
    found = [
        table
        for table in query.tree.find_all(exp.Table)
        if (relation := catalogue.find(table_name(table))) is not None and relation.address == address
    ]
    yield from sorted(found, key=lambda table: span(table)[0])


def _address(found: re.Match[str]) -> str:
    first, second = (found[name][1:-1] if found[name] else None for name in ("first", "second"))
    if found["function"] == "source":
        return f"{first}.{second}"
    return second or first or ""


def _typed(relation: Relation) -> Relation:
    """Treats a column of unknown type as dates: whole days are right for timestamps as well."""
    series = relation.timeseries
    assert series is not None
    if relation.column_type(series.partition_column) or not nests("day", series.unit):
        return relation
    return replace(relation, columns={**(relation.columns or {}), series.partition_column: "date"})


def _widened(found: re.Match[str], bound: Bound) -> Iterator[Edit]:
    """The sides that do not reach far enough, widened."""
    start, rest, said = found.start("rest"), found["rest"], set[str]()
    for side in _SIDE.finditer(rest):
        said.add(side["side"])
        needed = bound.before if side["side"] == "before" else bound.after
        if not _covers(read_iso(side["margin"]) or Margin(), needed):
            yield Edit(start + side.start("margin"), start + side.end("margin"), needed.iso)
    for name, needed in (("before", bound.before), ("after", bound.after)):
        if name not in said and not _covers(Margin(), needed):
            at = start + len(rest.rstrip().removesuffix(","))
            yield Edit(at, at, f", {name}='{needed.iso}'")


def _covers(read: Margin, needed: Margin) -> bool:
    return read.months >= needed.months and read.micros >= needed.micros


def _quoted(name: str) -> str:
    return name if _PLAIN_NAME.fullmatch(name) else f"`{name}`"
