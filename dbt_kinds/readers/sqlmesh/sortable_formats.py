"""Formats of string time columns as Spark patterns, if their strings sort chronologically."""

from __future__ import annotations

import re

from sqlglot.time import format_time

from dbt_kinds.translation.dialects import dialect_of

# from the year downwards; the runtime accepts no others
_PARTS = {"%Y": "yyyy", "%m": "MM", "%d": "dd", "%H": "HH", "%M": "mm", "%S": "ss"}
_SHORT = {"%F": "%Y-%m-%d", "%T": "%H:%M:%S"}
# sqlglot marks directives with how strictly they are read; all of ours write two digits
_MARKED = re.compile(r"(%-?[A-Za-z])(?:strict|three|enlower)")
_PIECE = re.compile(r"%-?.|'[^']*'|[A-Za-z]+|.", re.DOTALL)
_ANY_SPELLING = re.compile(r"yyyy|hh24|hh|mi|mm|dd|ss", re.IGNORECASE)
_MEANT = {"yyyy": "%Y", "hh24": "%H", "hh": "%H", "mi": "%M", "dd": "%d", "ss": "%S"}


class UnsortableFormat(ValueError):  # noqa: N818 - becomes an error with its place
    """A format whose strings do not sort chronologically, or an invalid one; says what to write instead."""


def sortable_format(text: str, dialect: str) -> str:
    """A dialect's time format as a Spark pattern; strftime is accepted in every dialect.

    Raises:
        UnsortableFormat: its parts do not run from the year downwards, or it has letters unknown to the dialect.
    """
    strftime = text
    if "%" not in text:
        source = dialect_of(dialect)
        strftime = _MARKED.sub(r"\1", format_time(text, source.TIME_MAPPING, source.TIME_TRIE) or text)
    for short, long in _SHORT.items():
        strftime = strftime.replace(short, long)
    written: list[str] = []
    parts: list[str] = []
    for piece in _PIECE.findall(strftime):
        if piece.startswith("%"):
            parts.append(piece)
            written.append(_PARTS.get(piece, ""))
        elif piece.startswith("'") and len(piece) > 1:
            written.append(piece)
        elif piece.isalpha() and piece.isascii():
            # between parts a letter such as T is literal; without % it is a part that the dialect lacks
            if "%" not in text:
                raise UnsortableFormat(f"has '{piece}', which is no part of a time in {dialect or 'SQL'}{_hint(text)}")
            written.append(f"'{piece}'")
        else:
            written.append(piece)
    if not parts or parts != list(_PARTS)[: len(parts)]:
        hint = _hint(text) if "%" not in text else "; as in %Y-%m-%d or %Y%m%d%H"
        raise UnsortableFormat(f"does not sort as time does: its parts must run from the year downwards{hint}")
    return "".join(written)


def _hint(text: str) -> str:
    """The probable meaning of the format if its letters are conventional, in a spelling accepted in every dialect."""

    def meant(found: re.Match[str]) -> str:
        word = found[0].lower()
        if word == "mm":
            return "%M" if re.search("hh", text[: found.start()], re.IGNORECASE) else "%m"
        return _MEANT[word]

    guess = _ANY_SPELLING.sub(meant, text)
    found = re.findall("%.", guess)
    return f"; write '{guess}'" if found and found == list(_PARTS)[: len(found)] else "; write it as %Y-%m-%d"
