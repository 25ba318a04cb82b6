"""Expands macros in SQL text: finds them by tokens and replaces them by their results; all other text is unchanged."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlglot import Token, TokenType

from dbt_kinds.codes import CompileCode
from dbt_kinds.readers.brackets import closing
from dbt_kinds.readers.sqlmesh.dialects import tokens_of
from dbt_kinds.readers.sqlmesh.macros.clauses import CLAUSES, clause_end
from dbt_kinds.readers.sqlmesh.macros.scope import Fragment, Scope, plain_text
from dbt_kinds.readers.sqlmesh.macros.token_runs import (
    Reference,
    composition,
    fields_behind,
    is_part,
    is_word,
    run_text,
)
from dbt_kinds.readers.sqlmesh.macros.variables import (
    checked_word,
    field_value,
    filled_in,
    is_bound,
    is_mapping,
    name_text,
    note_frozen,
    project_variables,
    template,
    time_placeholder,
    variable_placeholder,
    variable_value,
)
from dbt_kinds.readers.time_names import time_variable
from dbt_kinds.translation.scan import touches

# after these a variable is a name, whatever its value looks like
_NAME_FOLLOWS = frozenset({"FROM", "JOIN", "INTO", "TABLE", "AS", "UPDATE", "VIEW", "."})
# values dbt cannot fill in, because they are not literals
_NO_VALUE_FOLLOWS = _NAME_FOLLOWS | {"INTERVAL", "OVER", "::", "LIMIT"}
_DROPPED_JOIN = " "
_JOIN_WORDS = r"\b(?:LEFT|RIGHT|FULL|INNER|CROSS|OUTER|NATURAL|SEMI|ANTI)"


@dataclass
class Expanded:
    """A text with macros expanded, and the origin of its parts.

    Attributes:
        changed: whether macros other than variables were expanded, so that the layout is no longer the author's.
        has_lines: whether line numbers are those of the source.
    """

    text: str
    changed: bool = False
    offsets: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    has_lines: bool = True

    def line_at(self, offset: int) -> int:
        """The line of the source for an offset of the text."""
        at = max(bisect_right(self.offsets, offset) - 1, 0)
        if not self.offsets:
            return 1
        if not self.has_lines:
            return self.lines[0]
        return self.lines[at] + self.text.count("\n", self.offsets[at], offset)


class _Writer:
    """Collects the expanded text."""

    def __init__(self, text: str, first_line: int) -> None:
        self.text = text
        self.first_line = first_line
        self.parts: list[str] = []
        self.length = 0
        self.changed = False
        self.offsets: list[int] = []
        self.lines: list[int] = []
        self.skip_comma = False

    def add(self, part: str, source_offset: int) -> None:
        if part:
            part = f" {part}" if self.parts and touches(self.parts[-1], part) else part
            self.offsets.append(self.length)
            self.lines.append(self.first_line + self.text.count("\n", 0, source_offset))
            self.parts.append(part)
            self.length += len(part)

    def drop_last(self, word: str) -> bool:
        """Removes a word from the end of the text written so far."""
        written = "".join(self.parts)
        found = re.search(rf"{word}\s*$", written, re.IGNORECASE)
        if found is None:
            return False
        kept = written[: found.start()].rstrip()
        removed = len(written) - len(kept)
        while removed and self.parts:
            last = self.parts.pop()
            self.length -= len(last)
            if len(last) > removed:
                self.parts.append(last[: len(last) - removed])
                self.length += len(last) - removed
                removed = 0
            else:
                self.offsets.pop()
                self.lines.pop()
                removed -= len(last)
        return True


def expand(text: str, scope: Scope, first_line: int) -> Expanded:
    """The text with its macros expanded.

    Raises:
        CompileError: a macro is unknown, cannot be expanded, or is not allowed here; with file and line.
    """
    if "@" not in text and not scope.is_nested:
        return Expanded(text, offsets=[0], lines=[first_line])
    tokens = tokens_of(text, scope.dialect, scope.file, first_line)
    writer = _Writer(text, first_line)
    position = index = 0
    while index < len(tokens):
        token = tokens[index]
        line = first_line + token.line - 1
        made = replacement_at(tokens, index, text, scope, line)
        if made is None:
            index += 1
            continue
        end_index, fragment, is_call = made
        writer.add(text[position : token.start], position)
        position = tokens[end_index - 1].end + 1
        if is_call:
            writer.changed = True
        while fragment == _DROPPED_JOIN and writer.drop_last(_JOIN_WORDS):
            pass
        if fragment is None:
            position, end_index = _drop(writer, tokens, end_index, position, scope, line)
        else:
            writer.add(_joined(fragment, text, token.start), token.start)
        index = end_index
    writer.add(text[position:], position)
    return Expanded("".join(writer.parts), writer.changed, writer.offsets or [0], writer.lines or [first_line])


def expand_text(text: str, scope: Scope, line: int) -> str:
    """The text of a macro's argument, with macros expanded."""
    return expand(text, scope, line).text.strip()


def _joined(fragment: Fragment, text: str, start: int) -> str:
    if not isinstance(fragment, list):
        return fragment or ""
    joined = ", ".join(fragment)
    if len(joined) < 80 and "\n" not in joined:
        return joined
    indent = re.match(r"\s*", text[text.rfind("\n", 0, start) + 1 : start])
    return (",\n" + (indent[0] if indent else "")).join(fragment)


def replacement_at(
    tokens: Sequence[Token], index: int, text: str, scope: Scope, line: int
) -> tuple[int, Fragment, bool] | None:
    """The replacement for the tokens at an index: the index after them, the SQL, and whether a macro was called."""
    token = tokens[index]
    if token.token_type == TokenType.IDENTIFIER and "@" in token.text:
        name = filled_in(token.text, scope, line)
        if name == token.text:
            return None
        quote = text[token.start]
        return index + 1, f"{quote}{name}{text[token.end]}", False
    if is_word(token) and token.text.lower() in scope.bare_names and not is_part(tokens, index):
        follows = tokens[index + 1] if index + 1 < len(tokens) else None
        bound = scope.locals[token.text.lower()]
        if (follows is None or follows.text != "(") and bound is not None:
            return index + 1, _as_name_where_one_stands(bound, tokens, index, index + 1), False
    if not (token.text == "@" or (is_word(token) and "@" in run_text(tokens, index))):
        return None
    parts, behind = composition(tokens, index)
    if not parts:
        return None
    if len(parts) > 1:
        return behind, checked_word("".join(_part_text(part, scope, line) for part in parts), scope, line), False
    if isinstance(parts[0], str):
        return None
    if parts[0].is_template:
        return behind, template(parts[0].name, scope, line), False
    name = parts[0].name
    if not parts[0].is_braced and behind < len(tokens) and tokens[behind].text == "(" and _may_call(name, scope):
        return _call(name, tokens, index, behind, text, scope, line)
    fields, end = fields_behind(tokens, behind)
    if fields and is_mapping(name, scope):
        fragment = field_value(name, fields, scope, line)
        return end, _as_name_where_one_stands(fragment, tokens, index, end), False
    return behind, _variable(name, tokens, index, behind, scope, line, is_braced=parts[0].is_braced), False


def _part_text(part: str | Reference, scope: Scope, line: int) -> str:
    return part if isinstance(part, str) else name_text(part.name, scope, line)


def _variable(
    name: str, tokens: Sequence[Token], index: int, behind: int, scope: Scope, line: int, *, is_braced: bool
) -> Fragment:
    macro = time_variable(name)
    if macro is not None and name.lower() not in scope.locals:
        return time_placeholder(macro, scope, line)
    before = tokens[index - 1].text.upper() if index else ""
    after = tokens[behind].text if behind < len(tokens) else ""
    configured = project_variables(scope)
    is_value = before not in _NO_VALUE_FOLLOWS and after not in (".", "(") and not is_braced
    if name.lower() in configured and not is_bound(name, scope):
        value = configured[name.lower()]
        if is_value and not scope.is_nested and isinstance(value, str | int | float):
            return variable_placeholder(name, value, scope)
        note_frozen(name, scope, line)
    fragment = variable_value(name, scope, line, before)
    if is_braced and isinstance(fragment, str):
        return plain_text(fragment)
    return _as_name_where_one_stands(fragment, tokens, index, behind)


def _as_name_where_one_stands(fragment: Fragment, tokens: Sequence[Token], index: int, behind: int) -> Fragment:
    before = tokens[index - 1].text.upper() if index else ""
    after = tokens[behind].text if behind < len(tokens) else ""
    if isinstance(fragment, str) and (before in _NAME_FOLLOWS or after == ".") and fragment.startswith("'"):
        return plain_text(fragment)
    if isinstance(fragment, list) and before != "(":
        return [f"({', '.join(fragment)})"] if before == "IN" else fragment
    return fragment


def _may_call(name: str, scope: Scope) -> bool:
    return time_variable(name) is None and name.lower() not in scope.locals


def _call(
    name: str, tokens: Sequence[Token], index: int, opening: int, text: str, scope: Scope, line: int
) -> tuple[int, Fragment, bool]:
    from dbt_kinds.readers.sqlmesh.macros.arguments import split_arguments
    from dbt_kinds.readers.sqlmesh.macros.functions import call_macro, is_true

    end = closing(tokens, opening)
    if end is None:
        raise scope.error(CompileCode.UnsupportedMacro, f"@{name}( is not closed", line)
    first_line = line - tokens[index].line + 1
    arguments = split_arguments(tokens[opening + 1 : end], text, first_line)
    clause = CLAUSES.get(name.upper())
    if clause is None:
        return end + 1, call_macro(name, arguments, scope, line), True
    if len(arguments) != 1:
        raise scope.error(
            CompileCode.UnsupportedMacro, f"@{name.upper()} takes one condition, as in @{name.upper()}(@x = 1)", line
        )
    if is_true(arguments[0], scope):
        return end + 1, clause, True
    return clause_end(clause, tokens, end + 1), _DROPPED_JOIN if clause == "JOIN" else "", True


def _drop(
    writer: _Writer, tokens: Sequence[Token], end_index: int, position: int, scope: Scope, line: int
) -> tuple[int, int]:
    """Omits a comma, AND or OR next to a macro without result, or the clause that is empty without it."""
    following = tokens[end_index] if end_index < len(tokens) else None
    word = following.text.upper() if following is not None else ""
    if writer.drop_last(","):
        return position, end_index
    if following is not None and (word == "," or word in ("AND", "OR")):
        return following.end + 1, end_index + 1
    if any(writer.drop_last(rf"\b{keyword}") for keyword in ("AND", "OR", "WHERE", "HAVING", "QUALIFY")):
        return position, end_index
    if not "".join(writer.parts).strip() and following is None:
        return position, end_index
    message = "the macro makes nothing, and what is left beside it is no SQL; give it an else"
    raise scope.error(CompileCode.UnsupportedMacro, message, line)
