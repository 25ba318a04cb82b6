"""Blocks of the first load alone, which belong to the filter beside them."""

from __future__ import annotations

import sqlglot
from sqlglot import TokenType
from sqlglot.errors import SqlglotError

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left, NoFilter
from dbt_kinds.migrate.conditions import MORE
from dbt_kinds.migrate.filters import Filter, mode_of, read_branch
from dbt_kinds.migrate.substitution import Template, masked
from dbt_kinds.readers.dbt.blocks import Block
from dbt_kinds.readers.dbt.tags import line_of


def is_first_load(block: Block) -> bool:
    """Whether only the first load has something in a block."""
    return block.word == "if" and len(block.branches) == 1 and mode_of(block.branches[0].tag.rest) == "full"


def take_first_load(template: Template, block: Block, filters: list[Filter]) -> None:
    """Takes a block of the first load as the other branch of the filter beside it.

    Raises:
        Left (ElseBranchDiffers): no filter is in the same WHERE, or it is not of the same shape.
    """
    line = line_of(template.text, block.start)
    problem = Left(
        MigrateCode.ElseBranchDiffers,
        "only the first load has something here, and no filter of the other runs is beside it; a kind has no first "
        "load of its own",
        line=line,
    )
    beside = [
        found
        for found in filters
        if found.otherwise is None
        and found.first_load is None
        and found.block.word == "if"
        and _is_beside(template, found.block, block)
    ]
    if not beside:
        raise problem
    found = beside[0]
    try:
        other = read_branch(template, block.branches[0], is_first_load=True)
    except NoFilter as error:
        raise problem from error
    if {other.keyword, found.keyword} == {"where", "and"} or other.ends_with_and != found.ends_with_and:
        raise problem
    found.first_load, found.otherwise_comparisons = block, other.comparisons


def _is_beside(template: Template, one: Block, other: Block) -> bool:
    """Whether only conditions are between two blocks."""
    first, second = sorted((one, other), key=lambda block: block.start)
    try:
        tokens = sqlglot.tokenize(masked(template.text[first.end : second.start]), read=template.dialect)
    except SqlglotError:
        return False
    depth = 0
    for token in tokens:
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if depth < 0 or (depth == 0 and token.token_type in MORE - {TokenType.WHERE}):
            return False
    return depth == 0
