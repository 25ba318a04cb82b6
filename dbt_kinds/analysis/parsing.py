"""Parsing with the position of every construct: sqlglot itself only keeps those of names."""

from __future__ import annotations

import functools
from bisect import bisect_right
from collections.abc import Callable
from typing import Any, NamedTuple

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ParseError, TokenError

from dbt_kinds.errors import UnreadableQueryError

START, END = "from_offset", "to_offset"


class Place(NamedTuple):
    """Line and column, both counted from 1."""

    line: int
    column: int


class Query(NamedTuple):
    """A parsed query and its text; offsets in the tree are offsets of this text. `author` maps an offset to a place
    if the author's text differs.
    """

    text: str
    tree: exp.Expr
    dialect: str
    author: Callable[[int], Place] | None = None

    def place(self, node: exp.Expr) -> Place:
        """Where a construct begins; for one in an inlined query, where this query begins."""
        offset = span(node if self.holds(node) else self.tree)[0]
        return self.author(offset) if self.author is not None else place_in(self.text, offset)

    def holds(self, node: exp.Expr) -> bool:
        """Whether a construct is in this text, not in that of an inlined query."""
        return node.root() is self.tree


def parse_query(text: str, dialect: str) -> Query:
    """Parses one query. Raises UnreadableQueryError with the parser's message and position."""
    of = Dialect.get_or_raise(dialect)
    # a file may begin with a byte order mark, which sqlglot takes for a name; offsets stay
    text = text.replace("\ufeff", " ")
    try:
        trees = _placing_parser(type(of))(dialect=of).parse(of.tokenize(text), text)
    except (ParseError, TokenError) as error:
        raise UnreadableQueryError(f"this is not a query of {dialect}: {str(error).splitlines()[0]}") from error
    # a comment after the last semicolon is parsed as a statement of its own
    found = [tree for tree in trees if tree is not None and not isinstance(tree, exp.Semicolon)]
    if len(found) != 1 or not isinstance(found[0], exp.Query):
        raise UnreadableQueryError(f"expected one query, found {len(found)} statements that are no single SELECT")
    return Query(text, found[0], dialect)


def span(node: exp.Expr) -> tuple[int, int]:
    """Where a construct begins and (exclusive) ends in the text."""
    meta = node.meta
    if START in meta:
        return meta[START], meta[END]
    inner = [name.meta for name in node.find_all(exp.Expr) if "start" in name.meta or START in name.meta]
    starts = [found.get(START, found.get("start", 0)) for found in inner]
    ends = [found[END] if END in found else found.get("end", 0) + 1 for found in inner]
    return (min(starts), max(ends)) if inner else (0, 0)


def place_in(text: str, offset: int) -> Place:
    """The line and column of an offset."""
    breaks = [at for at, letter in enumerate(text) if letter == "\n"]
    line = bisect_right(breaks, offset - 1)
    return Place(line + 1, offset - (breaks[line - 1] + 1 if line else 0) + 1)


# the methods of the parser that parse one of the constructs whose position is needed, and whether they are called after
# the token that opens it
_CONSTRUCTS = {
    "_parse_function": False,
    "_parse_having": False,
    "_parse_limit": False,
    "_parse_offset": False,
    "_parse_interval": False,
    "_parse_table_sample": False,
    "_parse_primary": False,
    "_parse_in": True,
    "parse_set_operation": False,
    "_parse_table": False,
}


@functools.cache
def _placing_parser(dialect: type[Dialect]) -> type[Any]:
    def placing(name: str, is_behind: bool) -> Any:
        def parse(self: Any, *args: Any, **kwargs: Any) -> Any:
            opening = self._prev if is_behind else self._curr
            result = getattr(super(parser, self), name)(*args, **kwargs)
            if isinstance(result, exp.Expr) and opening is not None and self._prev is not None:
                _set_span(result, opening.start, self._prev.end + 1)
            return result

        return parse

    def parse_expression(self: Any, instance: Any, *args: Any, **kwargs: Any) -> Any:
        result = super(parser, self).expression(instance, *args, **kwargs)
        if isinstance(result, exp.Distinct) and self._prev is not None:
            _set_span(result, self._prev.start, self._prev.end + 1)
        return result

    methods: dict[str, Any] = {name: placing(name, is_behind) for name, is_behind in _CONSTRUCTS.items()}
    parser: type[Any] = type("PlacingParser", (dialect.parser_class,), {**methods, "expression": parse_expression})
    return parser


def _set_span(node: exp.Expr, start: int, end: int) -> None:
    node.meta.setdefault(START, start)
    node.meta.setdefault(END, end)
    if isinstance(node, (exp.Window, exp.Table)):
        node.meta[END] = max(node.meta[END], end)
