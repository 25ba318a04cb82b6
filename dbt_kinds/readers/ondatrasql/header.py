"""Splits a model file into the header's directives, the author's comments and the SQL, with positions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from dbt_kinds.translation.scan import stretches

DIRECTIVES = (
    *("kind", "unique_key", "group_key", "incremental", "incremental_initial", "partitioned_by", "sorted_by"),
    *("description", "constraint", "audit", "warning", "sink", "column", "extension", "expose", "fetch"),
)
REPEATABLE = frozenset({"constraint", "audit", "warning", "column", "extension"})
# directives that also exist without a colon
_BARE = frozenset({"expose", "fetch"})
_RENAMED = {"push": "sink"}
_LINE = re.compile(r"\s*(?:--|//|#)(?P<text>.*)")
_DIRECTIVE = re.compile(r"\s*@(?P<name>[A-Za-z_]\w*)\s*(?P<colon>:?)(?P<value>.*)")


@dataclass(frozen=True)
class Directive:
    """`@name: value`; the name in lower case, the position that of the `@`."""

    name: str
    value: str
    line: int
    column: int
    has_colon: bool = True

    @property
    def is_known(self) -> bool:
        """Whether it is one of the tool's directives, spelled correctly."""
        return self.name in DIRECTIVES and (self.has_colon or self.name in _BARE)


@dataclass
class ModelText:
    """A model file.

    Attributes:
        sql: the text with everything but the statement blanked out, so that places in it are the file's.
        behind: directives after the first line of SQL.
        remarks: the author's own comments above the SQL, without comment markers.
    """

    sql: str
    directives: list[Directive] = field(default_factory=list)
    behind: list[Directive] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def read_text(text: str) -> ModelText:
    """Splits a file. A block comment above the SQL is the author's, and so are comment lines that are not
    directives.
    """
    lines = text.replace("\r\n", "\n").removeprefix("\ufeff").split("\n")
    found = ModelText("")
    first = 0
    while first < len(lines):
        line = lines[first]
        comment = _LINE.match(line)
        if comment is not None:
            directive = _directive(line, comment, first + 1)
            if directive is not None:
                found.directives.append(directive)
            else:
                found.remarks.append(comment["text"])
            lines[first] = ""
        elif line.lstrip().startswith("/*"):
            behind = _behind_block(lines, first)
            if behind is None:
                break
            found.remarks += [part.strip(" */") for part in lines[first:behind] if part.strip(" */")]
            lines[first:behind] = [""] * (behind - first)
            first = behind - 1
        elif line.strip():
            break
        first += 1
    for number, directive in list(_behind(lines, first)):
        found.behind.append(directive)
        lines[number] = ""
    found.sql = "\n".join(lines)
    return found


def _directive(line: str, comment: re.Match[str], number: int) -> Directive | None:
    written = _DIRECTIVE.match(comment["text"])
    if written is None:
        return None
    name = written["name"].lower()
    name = _RENAMED.get(name, name)
    has_colon = bool(written["colon"])
    # `@todo look again` is a comment, `@kind append` is an oversight
    if not has_colon and name not in DIRECTIVES:
        return None
    return Directive(name, written["value"].strip(), number, line.index("@") + 1, has_colon)


def _behind_block(lines: list[str], first: int) -> int | None:
    """The first line after a block comment; None if there is other text on its last line."""
    for number in range(first, len(lines)):
        _, closes, rest = lines[number].partition("*/")
        if closes:
            return number + 1 if not rest.strip() else None
    return len(lines)


def _behind(lines: list[str], first: int) -> Iterator[tuple[int, Directive]]:
    """Directives after the header, except within strings and other comments."""
    sql = "\n".join(lines)
    hidden: set[int] = set()
    for stretch in stretches(sql):
        if stretch.kind != "code" and not sql[stretch.start :].startswith("--"):
            begin = sql.count("\n", 0, stretch.start)
            hidden.update(range(begin + 1, begin + 1 + sql[stretch.start : stretch.end].count("\n")))
    for number in range(first, len(lines)):
        comment = _LINE.match(lines[number]) if number not in hidden else None
        directive = _directive(lines[number], comment, number + 1) if comment is not None else None
        if directive is not None and directive.is_known:
            yield number, directive
