"""Macros in a text of SQL, found by its tokens and replaced by what they make; everything else stays as written."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlglot import Token, TokenType

from dbt_kinds.errors import TimeVariableNotAllowed, UndefinedMacroVariable, UnsupportedMacro, VariableFrozen
from dbt_kinds.kinds import Parameter, SparkSql, This, TimeVariable, Variable
from dbt_kinds.readers.sqlmesh.dialects import tokens_of
from dbt_kinds.readers.sqlmesh.macros.scope import Fragment, Scope, plain_text, sql_of
from dbt_kinds.readers.sqlmesh.times import has_window, time_variable

_QUOTED = (TokenType.STRING, TokenType.IDENTIFIER)
_REFERENCE = re.compile(r"@\{\s*(\w+)\s*\}|@(\w+)")
# behind these a variable is a name, whatever its value looks like
_NAME_FOLLOWS = frozenset({"FROM", "JOIN", "INTO", "TABLE", "AS", "UPDATE", "VIEW", "."})
# values dbt cannot fill in, since they are no values
_NO_VALUE_FOLLOWS = _NAME_FOLLOWS | {"INTERVAL", "OVER", "::", "LIMIT"}
_CLAUSES = {
    "WITH": "WITH",
    "JOIN": "JOIN",
    "WHERE": "WHERE",
    "GROUP_BY": "GROUP BY",
    "HAVING": "HAVING",
    "ORDER_BY": "ORDER BY",
    "LIMIT": "LIMIT",
}
_DROPPED_JOIN = " "
_JOIN_WORDS = r"\b(?:LEFT|RIGHT|FULL|INNER|CROSS|OUTER|NATURAL|SEMI|ANTI)"
_NO_COUNTERPART = frozenset({"this_env", "schemas", "views", "resolve_template", "snapshots"})


@dataclass
class Expanded:
    """A text without macros, and where its parts come from.

    Attributes:
        changed: whether macros other than variables were expanded, so that its layout is no longer the author's.
    """

    text: str
    changed: bool = False
    offsets: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def line_at(self, offset: int) -> int:
        """The line of the source that an offset of the text comes from."""
        at = max(bisect_right(self.offsets, offset) - 1, 0)
        if not self.offsets:
            return 1
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
            self.offsets.append(self.length)
            self.lines.append(self.first_line + self.text.count("\n", 0, source_offset))
            self.parts.append(part)
            self.length += len(part)

    def drop_last(self, word: str) -> bool:
        """Takes a word back that stands at the end of what is written so far."""
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
    """The expanded text of a macro's argument."""
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
    """What stands for the tokens from here: the index behind them, the SQL, and whether a macro was called."""
    token = tokens[index]
    if token.token_type == TokenType.IDENTIFIER and "@" in token.text:
        name = _filled_in(token.text, scope, line)
        if name == token.text:
            return None
        quote = text[token.start]
        return index + 1, f"{quote}{name}{text[token.end]}", False
    if _is_word(token) and token.text.lower() in scope.bare_names and not _is_part(tokens, index):
        follows = tokens[index + 1] if index + 1 < len(tokens) else None
        bound = scope.locals[token.text.lower()]
        if (follows is None or follows.text != "(") and bound is not None:
            return index + 1, _as_name_where_one_stands(bound, tokens, index, index + 1), False
    if not (token.text == "@" or (_is_word(token) and "@" in _run_text(tokens, index))):
        return None
    parts, behind = _composition(tokens, index)
    if not parts:
        return None
    if len(parts) > 1:
        return behind, "".join(_part_text(part, scope, line) for part in parts), False
    if isinstance(parts[0], str):
        return None
    if parts[0].is_template:
        return behind, _template(parts[0].name, scope, line), False
    name = parts[0].name
    if not parts[0].is_braced and behind < len(tokens) and tokens[behind].text == "(" and _may_call(name, scope):
        return _call(name, tokens, index, behind, text, scope, line)
    return behind, _variable(name, tokens, index, behind, scope, line, is_braced=parts[0].is_braced), False


@dataclass(frozen=True)
class _Reference:
    name: str
    is_braced: bool = False
    is_template: bool = False


def _composition(tokens: Sequence[Token], index: int) -> tuple[list[str | _Reference], int]:
    """Words and variables that touch one another, which are one name: `a_@{x}_b`."""
    parts: list[str | _Reference] = []
    at = index
    while at < len(tokens) and (at == index or tokens[at].start == tokens[at - 1].end + 1):
        token = tokens[at]
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        touches = following is not None and following.start == token.end + 1
        if token.text == "@" and token.token_type not in _QUOTED and following is not None and touches:
            if following.token_type in _QUOTED:
                return ([_Reference(following.text, is_template=True)], at + 2) if not parts else (parts, at)
            if following.text == "{" and at + 3 < len(tokens) and tokens[at + 3].text == "}":
                parts.append(_Reference(tokens[at + 2].text, is_braced=True))
                at += 4
                continue
            if _is_word(following) and not following.text[0].isdigit():
                names = following.text.split("@")
                parts.append(_Reference(names[0]))
                parts.extend(_Reference(name) for name in names[1:] if name)
                at += 2
                continue
            break
        if _is_word(token) and (at == index or parts):
            words = token.text.split("@")
            parts.extend(word if i == 0 else _Reference(word) for i, word in enumerate(words) if word)
            at += 1
            continue
        break
    return (parts, at) if any(isinstance(part, _Reference) for part in parts) else ([], index)


def _part_text(part: str | _Reference, scope: Scope, line: int) -> str:
    return part if isinstance(part, str) else _name_text(part.name, scope, line)


def _name_text(name: str, scope: Scope, line: int) -> str:
    """A variable as a part of a name."""
    if time_variable(name):
        message = f"@{name} is part of a name; a window's bound is known only when dbt runs, so write it as a value"
        raise scope.error(UnsupportedMacro, message, line)
    fragment = _value(name, scope, line)
    if name.lower() in _configured(name, scope) and not _is_bound(name, scope):
        _note_frozen(name, scope, line)
    if not isinstance(fragment, str):
        raise scope.error(UnsupportedMacro, f"@{name} is a list and cannot be part of a name", line)
    return plain_text(fragment)


def _filled_in(text: str, scope: Scope, line: int) -> str:
    """A quoted name with its variables replaced; what is no variable stays."""

    def put(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        return _name_text(name, scope, line) if is_known(name, scope) else found[0]

    return _REFERENCE.sub(put, text)


def _template(text: str, scope: Scope, line: int) -> str:
    """`@'…'`: one text, or a concat when a time variable stands in it."""
    pieces: list[str] = []
    position = 0
    literal = ""
    for found in _REFERENCE.finditer(text):
        name = found[1] or found[2]
        literal += text[position : found.start()]
        position = found.end()
        macro = time_variable(name)
        if macro is None:
            literal += _name_text(name, scope, line) if is_known(name, scope) else found[0]
            continue
        if literal:
            pieces.append(sql_text(literal))
        pieces.append(time_mark(macro, scope, line))
        literal = ""
    literal += text[position:]
    if not pieces:
        return sql_text(literal)
    if literal:
        pieces.append(sql_text(literal))
    # other dialects would make something else of concat
    return scope.marks.name_of(SparkSql(f"concat({', '.join(pieces)})"))


def sql_text(text: str) -> str:
    """A text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def _variable(
    name: str, tokens: Sequence[Token], index: int, behind: int, scope: Scope, line: int, *, is_braced: bool
) -> Fragment:
    macro = time_variable(name)
    if macro is not None and name.lower() not in scope.locals:
        return time_mark(macro, scope, line)
    before = tokens[index - 1].text.upper() if index else ""
    after = tokens[behind].text if behind < len(tokens) else ""
    configured = _configured(name, scope)
    is_value = before not in _NO_VALUE_FOLLOWS and after not in (".", "(") and not is_braced
    if name.lower() in configured and not _is_bound(name, scope):
        value = configured[name.lower()]
        if is_value and not scope.is_nested and isinstance(value, str | int | float):
            return scope.marks.name_of(Variable(name.lower(), isinstance(value, str)))
        _note_frozen(name, scope, line)
    fragment = _value(name, scope, line, before)
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


def _value(name: str, scope: Scope, line: int, before: str = "") -> Fragment:
    """The SQL of a variable: local, blueprint, project, in this order."""
    key = name.lower()
    if key in scope.locals:
        return scope.locals[key]
    if key in scope.blueprint:
        return scope.blueprint[key]
    configured = _configured(name, scope)
    if key in configured:
        return sql_of(configured[key], scope.dialect)
    if key == "this_model":
        return scope.marks.name_of(This())
    if key in scope.parameters:
        return scope.marks.name_of(Parameter(key))
    known = {"model_kind_name": scope.kind_name, "gateway": scope.gateway, "runtime_stage": "evaluating"}
    if key in known:
        return sql_text(known[key])
    if key in _NO_COUNTERPART:
        raise scope.error(UnsupportedMacro, f"@{name} has no counterpart in dbt; write the SQL it stands for", line)
    if scope.dialect == "snowflake" and before in ("FROM", "JOIN"):
        raise scope.error(UnsupportedMacro, f"the stage @{name} has no counterpart; load it into a table", line)
    message = f"@{name} is defined nowhere; add it to the config's variables, or a line @DEF({name}, …) above the query"
    raise scope.error(UndefinedMacroVariable, message, line)


def is_known(name: str, scope: Scope) -> bool:
    """Whether a variable has a value here."""
    key = name.lower()
    special = ("this_model", "model_kind_name", "gateway", "runtime_stage")
    return _is_bound(name, scope) or key in _configured(name, scope) or key in scope.parameters or key in special


def _is_bound(name: str, scope: Scope) -> bool:
    return name.lower() in scope.locals or name.lower() in scope.blueprint


def _configured(name: str, scope: Scope) -> dict[str, object]:
    return {key.lower(): value for key, value in scope.variables.items()}


def _note_frozen(name: str, scope: Scope, line: int) -> None:
    message = f"@{name} was replaced by its value of today; compile again after you change it"
    scope.note(VariableFrozen, message, line)


def time_mark(macro: str, scope: Scope, line: int) -> str:
    """The mark of a time variable.

    Raises:
        TimeVariableNotAllowed: the model has no window.
    """
    if not scope.allows_window and has_window(macro):
        message = (
            f"{scope.model_name} is of kind {scope.kind_name or 'VIEW'}, which has no window, and asks for @{macro}; "
            "make it incremental, or write @execution_… for the time of the run"
        )
        raise scope.error(TimeVariableNotAllowed, message, line)
    return scope.marks.name_of(TimeVariable(macro))


def _may_call(name: str, scope: Scope) -> bool:
    return time_variable(name) is None and name.lower() not in scope.locals


def _call(
    name: str, tokens: Sequence[Token], index: int, opening: int, text: str, scope: Scope, line: int
) -> tuple[int, Fragment, bool]:
    from dbt_kinds.readers.sqlmesh.macros.arguments import closing, split_arguments
    from dbt_kinds.readers.sqlmesh.macros.functions import call_macro, is_true

    end = closing(tokens, opening)
    if end is None:
        raise scope.error(UnsupportedMacro, f"@{name}( is not closed", line)
    first_line = line - tokens[index].line + 1
    arguments = split_arguments(tokens[opening + 1 : end], text, first_line)
    clause = _CLAUSES.get(name.upper())
    if clause is None:
        return end + 1, call_macro(name, arguments, scope, line), True
    if len(arguments) != 1:
        raise scope.error(UnsupportedMacro, f"@{name.upper()} takes one condition, as in @{name.upper()}(@x = 1)", line)
    if is_true(arguments[0], scope):
        return end + 1, clause, True
    return _clause_end(clause, tokens, end + 1), _DROPPED_JOIN if clause == "JOIN" else "", True


_AFTER_WHERE = "GROUP HAVING QUALIFY WINDOW ORDER LIMIT UNION EXCEPT INTERSECT"
_ENDS_OF = {
    "WITH": "SELECT",
    "JOIN": f"JOIN LEFT RIGHT FULL INNER CROSS NATURAL SEMI ANTI LATERAL WHERE {_AFTER_WHERE}",
    "WHERE": _AFTER_WHERE,
    "GROUP BY": "HAVING QUALIFY WINDOW ORDER LIMIT UNION EXCEPT INTERSECT",
    "HAVING": "QUALIFY WINDOW ORDER LIMIT UNION EXCEPT INTERSECT",
    "ORDER BY": "LIMIT OFFSET UNION EXCEPT INTERSECT",
    "LIMIT": "OFFSET UNION EXCEPT INTERSECT",
}
_ENDS = {clause: frozenset(words.split()) for clause, words in _ENDS_OF.items()}


def _clause_end(clause: str, tokens: Sequence[Token], begin: int) -> int:
    """Where a clause ends: at the word that begins the next one, a closing bracket or the end."""
    depth = 0
    at = begin
    while at < len(tokens):
        token = tokens[at]
        text = token.text if token.token_type not in _QUOTED else ""
        if text in ("(", "[", "{"):
            depth += 1
        elif text in (")", "]", "}"):
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and text == ";":
            break
        elif depth == 0 and at > begin and text.upper().split(" ")[0] in _ENDS[clause]:
            is_function = at + 1 < len(tokens) and tokens[at + 1].text == "(" and text.upper() in ("LEFT", "RIGHT")
            if not is_function:
                break
        elif depth == 0 and text == "@" and at + 1 < len(tokens) and tokens[at + 1].text.upper() in _CLAUSES:
            break
        at += 1
    return at


def _drop(
    writer: _Writer, tokens: Sequence[Token], end_index: int, position: int, scope: Scope, line: int
) -> tuple[int, int]:
    """Leaves out a comma, AND or OR beside a macro that made nothing, or the clause that is empty without it."""
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
    raise scope.error(UnsupportedMacro, message, line)


def _is_word(token: Token) -> bool:
    return token.token_type not in _QUOTED and bool(token.text) and (token.text[0].isalnum() or token.text[0] == "_")


def _run_text(tokens: Sequence[Token], index: int) -> str:
    """A word and the token that touches it, which tells whether a variable follows."""
    token = tokens[index]
    if index + 1 < len(tokens) and tokens[index + 1].start == token.end + 1:
        following = tokens[index + 1]
        return token.text + (following.text if following.token_type not in _QUOTED else "")
    return token.text


def _is_part(tokens: Sequence[Token], index: int) -> bool:
    """Whether a word touches a variable and is one name with it."""
    token = tokens[index]
    before = tokens[index - 1] if index else None
    touches_before = before is not None and before.end + 1 == token.start and before.text in ("@", "{", "}")
    return touches_before or "@" in _run_text(tokens, index)[len(token.text) :]
