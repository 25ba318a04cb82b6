"""Conditions with variables outside any block, found by the positions of their tags in the text."""

from __future__ import annotations

import re
from collections.abc import Sequence

import sqlglot
from sqlglot import Token, TokenType
from sqlglot.errors import SqlglotError

from dbt_kinds.errors import Left
from dbt_kinds.migrate.filters import Filter, read_condition
from dbt_kinds.readers.dbt.blocks import Block, Branch
from dbt_kinds.readers.dbt.rendering import Renderer
from dbt_kinds.readers.dbt.tags import Tag, line_of, tags

VAR_CALL = re.compile(r"""\bvar\(\s*['"](\w+)['"]""")
_ENDS = frozenset(
    {
        TokenType.AND,
        TokenType.OR,
        TokenType.GROUP_BY,
        TokenType.ORDER_BY,
        TokenType.HAVING,
        TokenType.QUALIFY,
        TokenType.LIMIT,
        TokenType.UNION,
        TokenType.WINDOW,
        TokenType.SEMICOLON,
        TokenType.CLUSTER_BY,
        TokenType.DISTRIBUTE_BY,
        TokenType.SORT_BY,
        TokenType.EXCEPT,
        TokenType.INTERSECT,
        TokenType.LATERAL,
        TokenType.JOIN,
        TokenType.SELECT,
        TokenType.FROM,
    }
)


def masked(text: str) -> str:
    """The text with each printing tag replaced by a name of the same length, and other tags by spaces.

    Positions do not change.
    """
    parts, at = [], 0
    for tag in tags(text):
        length = tag.end - tag.start
        parts += [text[at : tag.start], "k" * length if tag.kind == "expression" else " " * length]
        at = tag.end
    return "".join([*parts, text[at:]])


def variable_tags(text: str) -> list[Tag]:
    """The tags that print a variable."""
    return [tag for tag in tags(text) if tag.kind == "expression" and VAR_CALL.search(tag.code)]


def outside_filters(
    text: str, places: Sequence[Tag], dialect: str, renderer: Renderer, context: dict[str, object]
) -> tuple[list[Filter], list[Tag]]:
    """The conditions that contain tags, grouped by WHERE, and the tags that are in no condition that can be parsed."""
    try:
        tokens = sqlglot.tokenize(masked(text), read=dialect)
    except SqlglotError:
        return [], list(places)
    groups: dict[int, Filter] = {}
    unread: list[Tag] = []
    done: set[int] = set()
    for tag in places:
        found = _condition(tokens, tag)
        if found is None:
            unread.append(tag)
            continue
        where, first, last, lead = found
        start, end = tokens[first].start, tokens[last].end + 1
        if start in done:
            continue
        done.add(start)
        try:
            comparison = read_condition(text, start, end, dialect, renderer, context)
        except Left:
            unread.append(tag)
            continue
        if where not in groups:
            branch = Branch(tag._replace(start=start, end=start), start, end)
            block = Block("outside", [branch], tag._replace(start=end, end=end))
            groups[where] = Filter(
                block, "", ends_with_and=False, comparisons=[], body=(start, end), line=line_of(text, start)
            )
        groups[where].comparisons.append(comparison)
        if tokens[lead].token_type is TokenType.AND:
            groups[where].ands.append((tokens[lead].start, tokens[lead].end + 1))
    return list(groups.values()), unread


def _condition(tokens: Sequence[Token], tag: Tag) -> tuple[int, int, int, int] | None:
    """The condition around a tag: the index of its WHERE, of its first and last token, and of the preceding WHERE or
    AND.
    """
    at = next((index for index, token in enumerate(tokens) if token.start <= tag.start < token.end + 1), None)
    if at is None:
        return None
    lead = _before(tokens, at)
    if lead is None:
        return None
    where = lead
    while tokens[where].token_type is TokenType.AND:
        before = _before(tokens, where - 1)
        if before is None:
            return None
        where = before
    last, depth, between = lead, 0, False
    for index in range(lead + 1, len(tokens)):
        kind = tokens[index].token_type
        depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
        if depth < 0:
            break
        if depth == 0 and kind is TokenType.BETWEEN:
            between = True
        elif depth == 0 and kind is TokenType.AND and between:
            between = False
        elif depth == 0 and kind in _ENDS:
            if kind is TokenType.OR:
                return None
            break
        last = index
    return (where, lead + 1, last, lead) if last >= at else None


def _before(tokens: Sequence[Token], at: int) -> int | None:
    """The WHERE, or the AND between two conditions, that precedes a token in the same parentheses."""
    depth = 0
    for index in range(at, -1, -1):
        kind = tokens[index].token_type
        depth += (kind is TokenType.R_PAREN) - (kind is TokenType.L_PAREN)
        if depth > 0:
            continue
        depth = min(depth, 0)
        if kind is TokenType.WHERE:
            return index
        if kind is TokenType.AND and not _is_of_between(tokens, index):
            return index
        if kind in (
            TokenType.OR,
            TokenType.SELECT,
            TokenType.ON,
            TokenType.HAVING,
            TokenType.QUALIFY,
            TokenType.CASE,
            TokenType.FROM,
        ):
            return None
    return None


def _is_of_between(tokens: Sequence[Token], at: int) -> bool:
    depth = 0
    for index in range(at - 1, -1, -1):
        kind = tokens[index].token_type
        depth += (kind is TokenType.R_PAREN) - (kind is TokenType.L_PAREN)
        if depth < 0:
            return False
        if depth == 0 and kind is TokenType.BETWEEN:
            return True
        if depth == 0 and kind in (TokenType.AND, TokenType.WHERE, TokenType.OR):
            return False
    return False
