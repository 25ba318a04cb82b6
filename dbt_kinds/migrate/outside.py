"""Conditions with variables or the current time outside any block, found by the positions of their tags in the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import sqlglot
from sqlglot import Token, TokenType
from sqlglot.errors import SqlglotError

from dbt_kinds.errors import Left, UnrenderableError
from dbt_kinds.migrate.conditions import CLAUSES, Comparison, read_condition
from dbt_kinds.migrate.filters import Filter
from dbt_kinds.migrate.substitution import Template, masked
from dbt_kinds.readers.dbt.blocks import Block, Branch, nesting, walk
from dbt_kinds.readers.dbt.tags import Tag, line_of, tags

VAR_CALL = re.compile(r"""\b(?:env_)?var\(\s*['"](\w+)['"]""")
_VARIABLE = re.compile(r"kinds_var_\d+\b")
_CLOCK = re.compile(
    r"current_(?:date|timestamp|datetime)|now|getdate|sysdate|sysdatetime|sysutcdatetime|getutcdate|localtimestamp|curdate|today",
    re.IGNORECASE,
)
_NO_CONDITION = re.compile(r"(?:config|ref|source|this)\b")
_ENDS = CLAUSES | {
    TokenType.AND,
    TokenType.CLUSTER_BY,
    TokenType.DISTRIBUTE_BY,
    TokenType.SORT_BY,
    TokenType.EXCEPT,
    TokenType.INTERSECT,
    TokenType.LATERAL,
}


def _bounding_places(template: Template, tokens: Sequence[Token]) -> Iterator[int]:
    """The positions of tags that print a variable or the current time, and of the current time in SQL."""
    text, names = template.text, template.renderer.names
    for tag in tags(text):
        if tag.kind != "expression" or _NO_CONDITION.match(tag.code):
            continue
        try:
            said = template.rendered("{{ " + tag.code + " }}")
        except UnrenderableError:
            continue
        if any(name in names.variables for name in _VARIABLE.findall(said)) or _CLOCK.search(said):
            yield tag.start
    # what stands only for some targets, such as few rows for development, bounds no other
    conditional = [node for node in walk(nesting(text)) if isinstance(node, Block) and node.word == "if"]
    for token in tokens:
        if _CLOCK.fullmatch(token.text) and not any(node.start <= token.start < node.end for node in conditional):
            yield token.start


def outside_filters(
    template: Template,
    blocks: Sequence[Block],
    bounds: Callable[[Comparison], bool],
) -> list[Filter]:
    """The conditions outside of blocks that bound what is read, grouped by WHERE.

    Args:
        bounds: whether a condition does, of those that contain a variable or the current time.
    """
    text = template.text
    try:
        tokens = sqlglot.tokenize(masked(text), read=template.dialect)
    except SqlglotError:
        return []
    groups: dict[int, Filter] = {}
    done: set[int] = set()
    for place in sorted(_bounding_places(template, tokens)):
        found = condition_at(tokens, place)
        if found is None or any(block.start <= place < block.end for block in blocks):
            continue
        where, first, last, lead = found
        start, end = tokens[first].start, tokens[last].end + 1
        if start in done:
            continue
        done.add(start)
        try:
            comparison = read_condition(template, start, end)
        except Left:
            continue
        if not bounds(comparison):
            continue
        if where not in groups:
            tag = Tag("expression", start, start, "", start)
            block = Block("outside", [Branch(tag, start, end)], tag._replace(start=end, end=end))
            groups[where] = Filter(
                block, "", ends_with_and=False, comparisons=[], body=(start, end), line=line_of(text, start)
            )
        groups[where].comparisons.append(comparison)
        if tokens[lead].token_type is TokenType.AND:
            groups[where].ands.append((tokens[lead].start, tokens[lead].end + 1))
    return list(groups.values())


def condition_at(tokens: Sequence[Token], place: int) -> tuple[int, int, int, int] | None:
    """The condition around a position: the indexes of its WHERE, its first and last token, and what precedes it."""
    at = next((index for index, token in enumerate(tokens) if token.start <= place < token.end + 1), None)
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
