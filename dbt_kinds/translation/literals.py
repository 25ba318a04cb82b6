"""Strings in unusual quotes, converted to ordinary literals."""

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
