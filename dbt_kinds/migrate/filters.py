"""The `is_incremental()` blocks of a model: which are filters, and what they compare."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Literal

import sqlglot
from jinja2 import nodes
from sqlglot import TokenType
from sqlglot.errors import SqlglotError

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left, NoFilter, UnrenderableError
from dbt_kinds.migrate.conditions import IN_FILTER, Comparison, conditions_in, other_cte
from dbt_kinds.migrate.substitution import Template, substituted
from dbt_kinds.readers.dbt.blocks import Block, Branch, walk
from dbt_kinds.readers.dbt.calls import expression
from dbt_kinds.readers.dbt.tags import Tag, line_of, without_comments

Mode = Literal["incremental", "full", "mixed", "none"]
_ALWAYS = frozenset({"execute", "true"})
_BEFORE_TABLE = re.compile(r"(?i)\b(?:from|join)\Z")
_TOLD_OF_WORDS = {
    **dict.fromkeys(("select", "with", "from"), IN_FILTER),
    **dict.fromkeys(("join", "left", "inner"), "a kind has no join of some runs only: join for all, and filter rows"),
}


@dataclass
class Filter:
    """A block whose incremental branch consists of conditions."""

    block: Block
    keyword: str
    ends_with_and: bool
    comparisons: list[Comparison]
    body: tuple[int, int]
    ands: list[tuple[int, int]] = field(default_factory=list)
    otherwise: Branch | None = None
    otherwise_comparisons: list[Comparison] = field(default_factory=list)
    first_load: Block | None = None
    index: int = 0
    line: int = 0
    writes_keyword: bool = False
    kept: list[Comparison] = field(default_factory=list)

    def keep_common(self, first: Filter) -> None:
        """Divides the conditions of a macro into those that the first load has, too, and those that differ."""
        common = {part.meaning for part in self.comparisons} & {part.meaning for part in first.comparisons}
        self.kept = [part for part in self.comparisons if part.meaning in common]
        self.comparisons = [part for part in self.comparisons if part.meaning not in common]
        self.otherwise_comparisons = [part for part in first.comparisons if part.meaning not in common]

    @property
    def marker(self) -> str:
        """The name of a condition that represents the block."""
        return f"kinds_block_{self.index}"

    @property
    def marked(self) -> str:
        """The text that represents the block when SQL is parsed."""
        words = [self.keyword, self.marker, "and" if self.ends_with_and else ""]
        return f" {' '.join(word for word in words if word)} "


def mode_of(test: str) -> Mode:
    """What a Jinja condition says about is_incremental(): true only on incremental runs, only on others, or neither."""
    if "is_incremental" not in test:
        return "none"
    node = expression(test)
    return _mode(node) if node is not None else "mixed"


def _mode(node: nodes.Node) -> Mode:
    if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name == "is_incremental":
        return "incremental" if not node.args and not node.kwargs else "mixed"
    if isinstance(node, nodes.Not):
        inner = _mode(node.node)
        return {"incremental": "full", "full": "incremental"}.get(inner, "mixed")  # type: ignore[return-value]
    if isinstance(node, nodes.And):
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if _is_always(one):
                return _mode(other)
    return "mixed"


def _is_always(node: nodes.Node) -> bool:
    """Whether it is true in every incremental run: execute, not flags.FULL_REFRESH, not should_full_refresh()."""
    if isinstance(node, nodes.Const):
        return node.value is True
    if isinstance(node, nodes.Name):
        return node.name in _ALWAYS
    if isinstance(node, nodes.Not):
        inner = node.node
        if isinstance(inner, nodes.Call) and isinstance(inner.node, nodes.Name):
            return inner.node.name == "should_full_refresh"
        return isinstance(inner, nodes.Getattr) and inner.attr == "FULL_REFRESH"
    return False


def incremental_blocks(tree: list[Block | Tag]) -> list[Block]:
    """The `if` blocks whose conditions call is_incremental()."""
    return [
        node
        for node in walk(tree)
        if isinstance(node, Block)
        and node.word == "if"
        and any("is_incremental" in branch.tag.rest for branch in node.branches)
    ]


def branches_of(text: str, block: Block) -> tuple[Branch | None, Branch | None]:
    """The branch of incremental runs and the branch of other runs.

    Raises:
        NoFilter (SecondUseOfIsIncremental): the conditions depend on more than that.
    """
    line = line_of(text, block.start)
    if block.word == "macro":
        return block.branches[0], None
    modes = [mode_of(branch.tag.rest) for branch in block.branches]
    if (
        len(block.branches) > 2
        or modes[0] in ("mixed", "none")
        or (len(modes) == 2 and block.branches[1].tag.word != "else")
    ):
        raise NoFilter(
            MigrateCode.SecondUseOfIsIncremental,
            f"`{block.branches[0].tag.code}` decides more than whether a run is incremental; split it by hand",
            line=line,
        )
    other = block.branches[1] if len(block.branches) == 2 else None
    return (block.branches[0], other) if modes[0] == "incremental" else (other, block.branches[0])


def read_filter(template: Template, block: Block) -> Filter:
    """Parses a block as a filter.

    Raises:
        NoFilter (SecondUseOfIsIncremental): it is not a filter.
        NoFilter (UnreadableBlock): its conditions cannot be parsed.
        Left (ElseBranchDiffers): incremental runs have no branch of their own.
    """
    text = template.text
    line = line_of(text, block.start)
    if block.word == "if" and _BEFORE_TABLE.search(without_comments(text[: block.start]).rstrip()):
        raise Left(
            MigrateCode.SecondUseOfIsIncremental,
            "the block chooses the table that is read, and a kind reads one in each run; read that of the first load, "
            "and filter its rows",
            line=line,
        )
    incremental, otherwise = branches_of(text, block)
    if incremental is None:
        raise Left(
            MigrateCode.ElseBranchDiffers,
            "only the first load has something here; a kind has no first load of its own",
            line=line,
        )
    found = read_branch(template, incremental)
    found.block, found.otherwise, found.line = block, otherwise, line
    if otherwise is not None:
        if text[otherwise.start : otherwise.end].strip():
            try:
                other = read_branch(template, otherwise, is_first_load=True)
            except NoFilter as error:
                raise Left(
                    MigrateCode.ElseBranchDiffers,
                    "the first load has other logic than no filter or a fixed start",
                    line=line_of(text, otherwise.start),
                ) from error
            if other.keyword != found.keyword or other.ends_with_and != found.ends_with_and:
                raise Left(
                    MigrateCode.ElseBranchDiffers,
                    "the two branches do not have the same shape",
                    line=line_of(text, otherwise.start),
                )
            found.otherwise_comparisons = other.comparisons
        elif not found.keyword and not found.ends_with_and:
            raise NoFilter(
                MigrateCode.UnreadableBlock, "a condition without where or and has nothing in its place", line=line
            )
    return found


def prints_conditions(piece: Template) -> bool:
    """Whether a piece of a template prints conditions alone, or nothing, in each run."""
    renderer = piece.renderer
    try:
        for renderer.incremental in (False, True):
            said = piece.rendered(piece.text)
            if said.strip():
                branch = Branch(Tag("expression", 0, 0, "", 0), 0, len(said))
                read_branch(replace(piece, text=said, context={}), branch)
    except (NoFilter, UnrenderableError):
        return False
    finally:
        renderer.incremental = True
    return True


def read_branch(template: Template, branch: Branch, *, is_first_load: bool = False) -> Filter:
    """Parses a branch that has conditions alone.

    Raises:
        NoFilter (SecondUseOfIsIncremental): it has something else.
        NoFilter (UnreadableBlock): its conditions cannot be parsed.
    """
    made = substituted(template, branch.start, branch.end, writes_lengths=is_first_load)
    try:
        tokens = sqlglot.tokenize(made.text, read=made.dialect)
    except SqlglotError as error:
        raise NoFilter(MigrateCode.UnreadableBlock, "the block cannot be read as SQL", line=made.line) from error
    if not tokens:
        raise NoFilter(MigrateCode.SecondUseOfIsIncremental, "the block has no condition", line=made.line)
    keyword, ends_with_and, keyword_at = "", False, tokens[0].start
    if tokens[0].token_type in (TokenType.WHERE, TokenType.AND):
        keyword = tokens[0].text.lower()
        tokens = tokens[1:]
    elif tokens[0].text.lower() in ("having", "qualify", "join", "left", "inner", "with", "or", "from", "select", ","):
        word = tokens[0].text
        named = [token.text for token in tokens[1:2]]
        if word == "," and [token.token_type for token in tokens[2:4]] == [TokenType.ALIAS, TokenType.L_PAREN]:
            raise other_cte(named[0], made)
        told = _TOLD_OF_WORDS.get(word.lower(), "write it for all runs, and the filter between start_*() and end_*()")
        raise NoFilter(
            MigrateCode.SecondUseOfIsIncremental,
            f"the block begins with `{word}`, which is no filter of rows; {told}",
            line=made.line,
        )
    if tokens and tokens[-1].token_type is TokenType.AND:
        ends_with_and = True
        tokens = tokens[:-1]
    if not tokens:
        raise NoFilter(MigrateCode.SecondUseOfIsIncremental, "the block has no condition", line=made.line)
    read = conditions_in(tokens, made)
    found = Filter(Block("if", []), keyword, ends_with_and, read.comparisons, (branch.start, branch.end), read.ands)
    found.writes_keyword = bool(keyword) and made.is_in_tag(keyword_at)
    return found
