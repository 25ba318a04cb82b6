"""Literals: strings in unusual quotes, converted to ordinary ones, and integers that are written out."""

from __future__ import annotations

from sqlglot import exp

_TEXTS = (exp.RawString, exp.National)


def plain_literals(tree: exp.Expr, dialect: str) -> exp.Expr:
    """The tree with `r'…'`, `$$…$$` and `N'…'` as literals, which other translations expect."""
    for node in list(tree.find_all(*_TEXTS)):
        text = exp.Literal.string(node.name)
        text.comments = node.comments
        if node is tree:
            return text
        node.replace(text)
    return tree


def whole(value: exp.Expr | None) -> int | None:
    """The value of an integer that is written out, with or without a minus; None of anything else."""
    inner = value.unnest() if value is not None else None
    if isinstance(inner, exp.Neg):
        number = whole(inner.this)
        return None if number is None else -number
    return int(inner.name) if isinstance(inner, exp.Literal) and inner.is_int else None
