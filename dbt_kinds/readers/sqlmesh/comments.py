"""Comments on lines of their own, which sqlglot would move after the code they precede.

sqlglot attaches a comment to a node and forgets on which side it was. So comments above a line are marked with a sign
before parsing; when SQL is generated, those of a projection are put above it again, and the signs are removed.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from dbt_kinds.translation.scan import stretches

# private-use Unicode characters, which no comment contains
_ABOVE, _ABOVE_NEXT = "\ue5c0", "\ue5c1"
_SIGNS = re.compile(f"[{_ABOVE}{_ABOVE_NEXT}]")
_HOLDER = "kinds_comment_{}"
_HELD = re.compile(r"\bkinds_comment_(\d+),[ \t]*(\n?)")
# nodes that begin with their first part, so that a comment above it belongs to the whole
_BEGINS_WITH_ITS_FIRST = (
    exp.Alias,
    exp.Binary,
    exp.Between,
    exp.In,
    exp.Cast,
    exp.Column,
    exp.Window,
    exp.Bracket,
    exp.AtTimeZone,
)


@dataclass
class SignedText:
    """A text with signs at its comments, and their positions."""

    text: str
    places: list[int] = field(default_factory=list)

    def offset(self, before: int) -> int:
        """Maps an offset of the text without signs to the text with them."""
        return before + bisect_left(self.places, before)


def signed(text: str) -> SignedText:
    """The text with a sign in every comment that is on lines of its own."""
    if "--" not in text and "/*" not in text:
        return SignedText(text)
    pieces: list[str] = []
    places: list[int] = []
    for stretch in stretches(text):
        part = text[stretch.start : stretch.end]
        line_begin = text.rfind("\n", 0, stretch.start) + 1
        is_own = stretch.kind == "comment" and not text[line_begin : stretch.start].strip()
        if is_own and part[:2] in ("--", "/*") and part[2:3] not in ("+", "!"):
            sign = _ABOVE_NEXT if _follows(text, stretch.end) == "," else _ABOVE
            # MySQL's `--` requires a following space
            at = 3 if part[2:3] == " " else 2
            places.append(stretch.start + at)
            part = part[:at] + sign + part[at:]
        pieces.append(part)
    return SignedText("".join(pieces), places)


def unsigned(text: str) -> str:
    """A text without signs."""
    return _SIGNS.sub("", text)


def _follows(text: str, start: int) -> str:
    """The first character of code after a position."""
    for stretch in stretches(text[start:]):
        part = text[start + stretch.start : start + stretch.end].strip()
        if stretch.kind != "comment" and part:
            return part[0]
    return ""


def settle_comments(tree: exp.Expr) -> None:
    """Moves comments above a projection to its root, before parts of it are rewritten; those above a condition to what
    is in front of it, and those of a CASE to its branches.
    """
    for clause in tree.find_all(exp.Where, exp.Having):
        _settle_above(clause.this, clause)
    for case in tree.find_all(exp.Case):
        for branch in case.args["ifs"]:
            above = [unsigned(comment) for node in _left_spine(branch.this) for comment in _taken(node, _ABOVE)]
            branch.comments = [*(branch.comments or []), *above]
    for select in tree.find_all(exp.Select):
        items = select.expressions
        for position, item in enumerate(items):
            above = [comment for node in _left_spine(item) for comment in _taken(node, _ABOVE)]
            if above:
                item.comments = [*above, *(item.comments or [])]
            below = [comment for node in item.walk() for comment in _taken(node, _ABOVE_NEXT)]
            if below and position + 1 < len(items):
                following = items[position + 1]
                signs = [comment.replace(_ABOVE_NEXT, _ABOVE) for comment in below]
                following.comments = [*signs, *(following.comments or [])]
            elif below:
                item.comments = [*(item.comments or []), *map(unsigned, below)]


def _settle_above(condition: exp.Expr, before: exp.Expr) -> None:
    """Comments above `b` of `a AND b` belong to AND, those above `a` to WHERE."""
    if isinstance(condition, exp.Connector):
        _settle_above(condition.this, before)
        _settle_above(condition.expression, condition)
        return
    above = [unsigned(comment) for node in _left_spine(condition) for comment in _taken(node, _ABOVE)]
    if above:
        before.comments = [*(before.comments or []), *above]


def _left_spine(node: exp.Expr) -> Iterator[exp.Expr]:
    while True:
        yield node
        first = (
            node.args.get("table") if isinstance(node, exp.Column) and node.args.get("table") else node.args.get("this")
        )
        # `x is not null`
        is_behind = isinstance(node, exp.Not) and isinstance(first, exp.Predicate)
        if not (isinstance(node, _BEGINS_WITH_ITS_FIRST) or is_behind) or not isinstance(first, exp.Expr):
            return
        node = first


def _taken(node: exp.Expr, sign: str) -> list[str]:
    """Removes and returns the comments of a node that have a sign."""
    comments = node.comments or []
    found = [comment for comment in comments if sign in comment[:2]]
    if found:
        node.comments = [comment for comment in comments if sign not in comment[:2]]
    return found


class LiftedComments:
    """Comments above projections, each held by a separate projection while the SQL is generated."""

    def __init__(self, tree: exp.Expr) -> None:
        """Inserts a holder before every projection with a comment above it."""
        self._texts: list[str] = []
        self._selects: list[tuple[exp.Select, list[exp.Expr]]] = []
        for select in list(tree.find_all(exp.Select)):
            items = list(select.expressions)
            written: list[exp.Expr] = []
            for item in items:
                above = _taken(item, _ABOVE)
                for comment in above:
                    written.append(exp.column(_HOLDER.format(len(self._texts))))
                    self._texts.append(unsigned(comment))
                written.append(item)
            if len(written) > len(items):
                self._selects.append((select, items))
                select.set("expressions", written)

    def put_back(self, text: str) -> str:
        """The generated text with the comments in place of their holders, which are removed from the tree."""
        for select, items in self._selects:
            select.set("expressions", items)

        def comment(found: re.Match[str]) -> str:
            safe = self._texts[int(found[1])].strip().replace("*/", "* /").replace("/*", "/ *")
            # a select on one line stays on one line
            return f"/* {safe} */{found[2] or ' '}"

        return _HELD.sub(comment, text)


def without_doubled_parentheses(tree: exp.Expr) -> exp.Expr:
    """The tree with `((x))` as `(x)`, and `CAST((f(x)) AS INT)` as `CAST(f(x) AS INT)`."""
    for paren in list(tree.find_all(exp.Paren)):
        is_call = isinstance(paren.this, exp.Func) and not isinstance(paren.this, exp.Binary)
        if is_call and isinstance(paren.parent, exp.Cast) and not paren.comments:
            paren.replace(paren.this)
            continue
        while isinstance(paren.this, exp.Paren):
            inner = paren.this
            if inner.comments:
                paren.add_comments(inner.comments)
            paren.set("this", inner.this)
    return tree
