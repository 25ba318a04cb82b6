"""Keeps the comments that sqlglot's parser drops, those of words that no node of the tree stands for, as WHEN or ON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from sqlglot import Token, exp

# an empty line of a longer comment; readers have signs of their own in it
_EMPTY = re.compile("[\\s\ue000-\uf8ff]*")
# a private-use Unicode character, which no comment contains
_TAG = re.compile("\ue5c2(\\d+)\ue5c2")
# a comment in front of ROWS BETWEEN UNBOUNDED PRECEDING AND … passes over all of these words
_MOVES = 8
# whose comments sqlglot does not write, by what they are part of
_NEVER_WRITTEN: dict[type[exp.Expr], tuple[type[exp.Expr], ...]] = {
    exp.Identifier: (exp.Column, exp.Table),
    exp.Order: (exp.Window,),
}


def parse_with_comments(
    tokens: list[Token], parse: Callable[[list[Token]], Iterable[exp.Expr | None]]
) -> list[exp.Expr]:
    """Parses tokens; a comment that the tree lacks moves on to the token that follows."""
    if not any(token.comments for token in tokens):
        return [tree for tree in parse(tokens) if tree is not None]
    texts = [text for token in tokens for text in token.comments]
    numbers = iter(range(len(texts)))
    held = [[next(numbers) for _ in token.comments] for token in tokens]
    for move in range(_MOVES):
        tagged = [
            _with_comments(token, [f"\ue5c2{number}\ue5c2{texts[number]}" for number in numbers_here])
            for token, numbers_here in zip(tokens, held, strict=True)
        ]
        trees = [tree for tree in parse(tagged) if tree is not None]
        kept = {number for tree in trees for node in tree.walk() for number in _written_with(node)}
        if len(kept) == len(texts) or move == _MOVES - 1:
            break
        held = _moved_on(held, kept)
    for tree in trees:
        for node in tree.walk():
            if node.comments:
                texts_of_node = (_TAG.sub("", comment) for comment in node.comments)
                node.comments = [text for text in texts_of_node if not _EMPTY.fullmatch(text)]
    return trees


def _written_with(node: exp.Expr) -> Iterator[int]:
    """The numbers of the comments that are written with a node: not those of a part of a dotted name, for one."""
    unwritten = _NEVER_WRITTEN.get(type(node), ())
    if node.comments and not isinstance(node.parent, unwritten):
        yield from (int(number) for number in _TAG.findall("".join(node.comments)))


def _with_comments(token: Token, comments: list[str]) -> Token:
    if not comments and not token.comments:
        return token
    return Token(token.token_type, token.text, token.line, token.col, token.start, token.end, comments)


def _moved_on(held: list[list[int]], kept: set[int]) -> list[list[int]]:
    """The comments of each token, of which those that are not kept go to the next one, before its own."""
    found: list[list[int]] = []
    carried: list[int] = []
    for numbers in held:
        found.append(carried + [number for number in numbers if number in kept])
        carried = [number for number in numbers if number not in kept]
    found[-1] += carried
    return found
