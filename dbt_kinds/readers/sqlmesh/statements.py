"""Splits a model file into statements: blocks, queries, hooks and Jinja, each with its text and position."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from dbt_kinds.codes import CompileCode
from dbt_kinds.diagnostics import Place
from dbt_kinds.errors import CompileError
from dbt_kinds.readers.sqlmesh.dialects import tokens_of
from dbt_kinds.translation.scan import code_only, line_of, stretches, without_comments

_JINJA_BEGIN = re.compile(r"\bJINJA_(QUERY|STATEMENT)_BEGIN\b[ \t]*;?", re.IGNORECASE)
_JINJA_END = re.compile(r"\bJINJA_END\b[ \t]*;?", re.IGNORECASE)
_VIRTUAL = re.compile(r"ON_VIRTUAL_UPDATE_(BEGIN|END)", re.IGNORECASE)
_BLOCK = re.compile(r"(MODEL|AUDIT|METRIC)\s*\(", re.IGNORECASE)
_HEADER = re.compile(r"\b(MODEL|AUDIT|METRIC)\s*\(", re.IGNORECASE)
_DIALECT = re.compile(r"\bdialect\s+['\"]?([A-Za-z0-9_]+)", re.IGNORECASE)


@dataclass(frozen=True)
class Statement:
    """One statement of a file.

    Attributes:
        kind: model, audit, metric, sql, jinja_query or jinja_statement.
        text: the statement without its semicolon, including preceding comments.
        line: the line where the text begins, comments and blank lines skipped.
        first_line: the line of the text's first character.
        is_virtual: it is between ON_VIRTUAL_UPDATE_BEGIN and its end.
    """

    kind: str
    text: str
    line: int
    first_line: int
    file: str
    is_virtual: bool = False

    @property
    def place(self) -> Place:
        """The beginning of the statement."""
        return Place(self.file, self.line)


def block_dialect(text: str) -> str | None:
    """The dialect named in the first block of a text, which must be known before other blocks can be parsed."""
    plain = without_comments(text)
    for header in _HEADER.finditer(code_only(text)):
        found = _DIALECT.search(plain, header.end(), _closing(text, header.end()))
        return found[1].lower() if found else None
    return None


def _closing(text: str, start: int) -> int:
    depth = 1
    code = code_only(text)
    for position in range(start, len(code)):
        depth += {"(": 1, ")": -1}.get(code[position], 0)
        if depth == 0:
            return position
    return len(code)


def split_statements(text: str, file: str, dialect: str) -> list[Statement]:
    """The statements of a file.

    Raises:
        CompileError: a string or comment is not closed, or a Jinja block is not (SqlParseError).
    """
    statements: list[Statement] = []
    is_virtual = False
    for kind, start, end in _jinja_chunks(text, file):
        if kind != "sql":
            body_line = line_of(text, start)
            statements.append(Statement(kind, text[start:end], body_line, body_line, file, is_virtual))
            continue
        for piece_start, piece_end in _pieces(text[start:end], dialect, file, line_of(text, start)):
            piece = text[start + piece_start : start + piece_end]
            code = _code_start(piece)
            if code is None:
                if piece.strip() and statements and statements[-1].kind == "sql":
                    statements[-1] = replace(statements[-1], text=f"{statements[-1].text} {piece.strip()}")
                continue
            virtual = _VIRTUAL.fullmatch(piece[code:].strip())
            if virtual:
                is_virtual = virtual[1].upper() == "BEGIN"
                continue
            block = _BLOCK.match(piece[code:])
            statements.append(
                Statement(
                    block[1].lower() if block else "sql",
                    piece.rstrip(),
                    line_of(text, start + piece_start + code),
                    line_of(text, start + piece_start),
                    file,
                    is_virtual,
                )
            )
    return statements


def _jinja_chunks(text: str, file: str) -> list[tuple[str, int, int]]:
    if "jinja_" not in text.lower():
        return [("sql", 0, len(text))]
    chunks = []
    position = 0
    while True:
        # Jinja may contain anything, so string literals are only trusted up to the beginning of a block
        begin = _JINJA_BEGIN.search(code_only(text[position:]))
        if begin is None:
            break
        end = _JINJA_END.search(text, position + begin.end())
        if end is None:
            line = line_of(text, position + begin.start())
            raise CompileError(
                CompileCode.SqlParseError,
                f"JINJA_{begin[1].upper()}_BEGIN has no JINJA_END; add 'JINJA_END;'",
                file,
                line,
            )
        chunks.append(("sql", position, position + begin.start()))
        chunks.append((f"jinja_{begin[1].lower()}", position + begin.end(), end.start()))
        position = end.end()
    chunks.append(("sql", position, len(text)))
    return chunks


def _pieces(text: str, dialect: str, file: str, line: int) -> list[tuple[int, int]]:
    """The parts between semicolons; a comment after the last one belongs to its statement."""
    tokens = tokens_of(text, dialect, file, line)
    ends = [token.start for token in tokens if token.text == ";" and text[token.start : token.start + 1] == ";"]
    return list(zip([0, *(end + 1 for end in ends)], [*ends, len(text)], strict=True))


def _code_start(text: str) -> int | None:
    for stretch in stretches(text):
        if stretch.kind == "comment":
            continue
        part = text[stretch.start : stretch.end]
        if part.strip():
            return stretch.start + len(part) - len(part.lstrip())
    return None


def banner(text: str, description: str | None) -> list[str]:
    """The lines of the comments before a statement's code, without the one that is its description."""
    lines: list[str] = []
    for stretch in stretches(text):
        part = text[stretch.start : stretch.end].strip()
        if stretch.kind != "comment":
            if part:
                break
        elif part.startswith("--"):
            lines.append(part[2:].rstrip())
        elif part.startswith("/*") and _flat(part) != description:
            lines.extend(f" {line.strip().strip('*').strip()}".rstrip() for line in part[2:-2].strip().splitlines())
    return lines


def _flat(comment: str) -> str:
    return " ".join(line.strip().strip("*").strip() for line in comment[2:-2].strip().splitlines()).strip()


def leading_comment(text: str) -> str | None:
    """The last block comment before a statement's code, which is its description if it has no other."""
    found = None
    for stretch in stretches(text):
        part = text[stretch.start : stretch.end]
        if stretch.kind == "comment":
            if part.startswith("/*"):
                found = _flat(part)
        elif part.strip():
            break
    return found or None
