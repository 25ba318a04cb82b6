"""The nesting of Jinja statements in a text: the branches of an `if`, and their contents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from dbt_kinds.readers.dbt.tags import Tag, tags

_CLOSED = frozenset(
    {"if", "for", "macro", "call", "filter", "snapshot", "test", "materialization", "docs", "autoescape"}
)
_BRANCHES = frozenset({"elif", "else"})


@dataclass
class Branch:
    """A part of a block from one tag to the next; `start` and `end` delimit the text between them."""

    tag: Tag
    start: int
    end: int = 0
    children: list[Block | Tag] = field(default_factory=list)


@dataclass
class Block:
    """A statement with an end tag; blocks other than `if` and `for` have one branch."""

    word: str
    branches: list[Branch]
    closing: Tag | None = None

    @property
    def start(self) -> int:
        """Where its first tag begins."""
        return self.branches[0].tag.start

    @property
    def end(self) -> int:
        """After its last tag."""
        return self.closing.end if self.closing is not None else self.branches[-1].end


def nesting(text: str) -> list[Block | Tag]:
    """The blocks and other tags of a text, without comments."""
    root: list[Block | Tag] = []
    open_blocks: list[Block] = []

    def here() -> list[Block | Tag]:
        return open_blocks[-1].branches[-1].children if open_blocks else root

    for tag in tags(text):
        if tag.kind == "comment":
            continue
        word = tag.word if tag.kind == "statement" else ""
        is_long_set = word == "set" and "=" not in tag.code
        if word in _CLOSED or is_long_set:
            block = Block(word, [Branch(tag, tag.end)])
            here().append(block)
            open_blocks.append(block)
        elif word in _BRANCHES and open_blocks:
            open_blocks[-1].branches[-1].end = tag.start
            open_blocks[-1].branches.append(Branch(tag, tag.end))
        elif word.startswith("end") and open_blocks and word == "end" + open_blocks[-1].word:
            block = open_blocks.pop()
            block.branches[-1].end = tag.start
            block.closing = tag
        else:
            here().append(tag)
    return root


def walk(nodes: list[Block | Tag]) -> Iterator[Block | Tag]:
    """Blocks and tags at any depth, each before its contents.

    The tags of the blocks themselves are not included.
    """
    for node in nodes:
        yield node
        if isinstance(node, Block):
            for branch in node.branches:
                yield from walk(branch.children)
