"""GLOB patterns as regular expressions."""

from __future__ import annotations

import re

from sqlglot import exp

from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.rewrites import rewrites

_PART = re.compile(
    r"(?P<any>\*)|(?P<one>\?)|\[(?P<no>[!^]?)(?P<characters>\]?[^]]*)\]|(?P<escaped>\\.)|(?P<text>.)", re.DOTALL
)


@rewrites(exp.Glob)
def glob(node: exp.Glob, dialect: str) -> exp.Expr:
    """`text glob 'pattern'`.

    Raises:
        NotInSpark: the pattern is not a literal.
    """
    pattern = node.expression.unnest()
    if not isinstance(pattern, exp.Literal):
        raise NotInSpark("GLOB with a pattern that is no literal has no counterpart in Spark; write RLIKE", node)
    found = "".join(_regular(part) for part in _PART.finditer(pattern.name))
    # $ would also match before a final newline
    return exp.RegexpLike(this=node.this.copy(), expression=exp.Literal.string(rf"(?s)\A{found}\z"))


def _regular(part: re.Match[str]) -> str:
    if part["any"]:
        return ".*"
    if part["one"]:
        return "."
    if part["characters"] is not None:
        characters = re.sub(r"([\[\]\\&^])", r"\\\1", part["characters"])
        return f"[{'^' if part['no'] else ''}{characters}]"
    return re.escape(part["escaped"][1] if part["escaped"] else part["text"])
