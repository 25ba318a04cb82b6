"""Rewrites `#` and `//` comments, which some dialects have, as `--`, which every parser knows."""

from __future__ import annotations

import re
from functools import lru_cache

from dbt_kinds.translation.dialects import dialect_of

# strings and other comments, within which neither begins a comment
_OTHER = r"""
    --[^\n]* | /\*.*?(?:\*/|\Z) | \{\#.*?(?:\#\}|\Z) | \{\{.*?(?:\}\}|\Z) | \$\$.*?(?:\$\$|\Z)
  | '{3}.*?(?:'{3}|\Z) | "{3}.*?(?:"{3}|\Z)
  | '(?:[^'\\]|''|\\.)*(?:'|\Z) | "(?:[^"\\]|""|\\.)*(?:"|\Z) | `[^`]*(?:`|\Z)
"""


def with_dashes(text: str, dialect: str | None = None) -> str:
    """The text with all line comments beginning with `--`; line numbers do not change.

    Args:
        dialect: the dialect of the comments; None if not known yet, when `#` counts as a comment.
    """
    signs = _signs(dialect) if dialect is not None else ("#",)
    if not any(sign in text for sign in signs):
        return text
    return _pattern(signs).sub(
        lambda found: found[0] if found["comment"] is None else f"-- {found['comment'].lstrip()}", text
    )


@lru_cache(maxsize=32)
def _signs(dialect: str) -> tuple[str, ...]:
    comments = dialect_of(dialect).tokenizer_class.COMMENTS
    return tuple(sorted((sign for sign in comments if isinstance(sign, str) and sign != "--"), key=len, reverse=True))


@lru_cache(maxsize=32)
def _pattern(signs: tuple[str, ...]) -> re.Pattern[str]:
    escaped = "|".join(re.escape(sign).replace("/", "[/]") for sign in signs)
    return re.compile(rf"(?:{_OTHER})|(?:{escaped})(?P<comment>[^\n]*)", re.VERBOSE | re.DOTALL)
