"""Inlines calls of a project's own functions: the function's body with the arguments substituted."""

from __future__ import annotations

import difflib
import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sqlglot import Token, TokenType
from sqlglot.errors import TokenError

from dbt_kinds.analysis.edits import Edit, edited
from dbt_kinds.codes import CheckCode
from dbt_kinds.readers.brackets import closing, split_at_commas
from dbt_kinds.readers.smelt.functions import Function, Parameter, tokens_of

_PREFIX = "smelt"
_ENGINE = "spark"
_LITERALS = {TokenType.NUMBER, TokenType.STRING}
# before a parenthesis they are no name of a function
_SIGNS = {TokenType.DASH, TokenType.PLUS, TokenType.TILDE, TokenType.NOT}
_NAMES = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class WrongCall:
    """A call that cannot be inlined: a code, the error, and where the call begins in the text."""

    code: CheckCode
    message: str
    offset: int


@dataclass
class Expansion:
    """A text with its calls inlined, and a mapping of positions to the author's text."""

    text: str
    edits: list[Edit] = field(default_factory=list)
    wrong: list[WrongCall] = field(default_factory=list)

    def original(self, offset: int) -> int:
        """The author's offset; within an inlined call, the beginning of the call."""
        moved = 0
        for edit in self.edits:
            if offset < edit.start + moved:
                break
            if offset < edit.start + moved + len(edit.text):
                return edit.start
            moved += len(edit.text) - (edit.end - edit.start)
        return offset - moved


def written_out(sql: str, functions: Mapping[str, Function], readable: str | None = None) -> Expansion:
    """A query's text with function calls inlined. An invalid call is left unchanged.

    Args:
        functions: by lower-case address.
        readable: a text with the same positions that the tokenizer accepts.
    """
    expansion = Expansion(sql)
    try:
        calls = list(_calls(readable or sql))
    except TokenError:
        # the parser reports the error
        return expansion
    for call in calls:
        try:
            text = _indented(_Body(functions).of_call(call, sql, ()), sql, call.start)
        except _Wrong as error:
            expansion.wrong.append(WrongCall(error.code, str(error), call.start))
        else:
            expansion.edits.append(Edit(call.start, call.end, text))
    expansion.text = edited(sql, expansion.edits)
    return expansion


class _Wrong(Exception):  # noqa: N818 (a jump to the call it stands in)
    def __init__(self, code: CheckCode, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class _Call:
    """A call and the positions of its arguments: positional ones in order, the others by name."""

    address: str
    start: int
    end: int
    positional: list[tuple[int, int]]
    named: list[tuple[str, tuple[int, int]]]


def _calls(sql: str) -> Iterator[_Call]:
    """The top-level calls of a text."""
    tokens, at = tokens_of(sql), 0
    while at < len(tokens):
        found = _call(tokens, at)
        if found is None:
            at += 1
        else:
            call, at = found
            yield call


def _call(tokens: list[Token], at: int) -> tuple[_Call, int] | None:
    """The call that begins at a token, and the index after it."""
    if tokens[at].text.lower() != _PREFIX or (at and tokens[at - 1].token_type is TokenType.DOT):
        return None
    names, end = list[str](), at + 1
    while end + 1 < len(tokens) and tokens[end].token_type is TokenType.DOT:
        names.append(tokens[end + 1].text)
        end += 2
    last = closing(tokens, end) if names and end < len(tokens) and tokens[end].token_type is TokenType.L_PAREN else None
    if last is None:
        return None
    positional, named = list[tuple[int, int]](), list[tuple[str, tuple[int, int]]]()
    for part in split_at_commas(tokens[end + 1 : last]):
        if len(part) > 2 and part[1].token_type is TokenType.FARROW:
            named.append((part[0].text.lower(), (part[2].start, part[-1].end + 1)))
        elif part:
            positional.append((part[0].start, part[-1].end + 1))
    end, behind = tokens[last].end + 1, last + 1
    # PASSING name AS (items), once per such parameter
    while behind + 3 < len(tokens) and tokens[behind].text.lower() == "passing":
        closed = closing(tokens, behind + 3)
        if closed is None:
            break
        named.append((tokens[behind + 1].text.lower(), (tokens[behind + 3].start, tokens[closed].end + 1)))
        end, behind = tokens[closed].end + 1, closed + 1
    return _Call(".".join(names), tokens[at].start, end, positional, named), behind


class _Body:
    """Inlines calls, including those within bodies and arguments."""

    def __init__(self, functions: Mapping[str, Function]) -> None:
        self.functions = functions

    def of_call(self, call: _Call, sql: str, within: tuple[str, ...]) -> str:
        """The text that replaces a call."""
        function = self._function(call.address, within)
        given = self._arguments(function, call, sql, within)
        if function.body is None:
            # the engine's own function: under its name there, with arguments in the order of its parameters
            return f"{function.address.rpartition('.')[2]}({', '.join(value for _, value in given.values())})"
        try:
            body = self.text(_substituted(function.body, given), (*within, function.address.lower()))
        except TokenError as error:
            message = f"the body of smelt.{function.address} is no SQL: {str(error).splitlines()[0]}"
            raise _Wrong(CheckCode.UnreadableFunction, message) from error
        return _bracketed(textwrap.dedent(body.strip("\n")).strip())

    def text(self, sql: str, within: tuple[str, ...]) -> str:
        """A text with its calls inlined."""
        edits = []
        for call in _calls(sql):
            text = _indented(self.of_call(call, sql, within), sql, call.start)
            edits.append(Edit(call.start, call.end, text))
        return edited(sql, edits)

    def _function(self, address: str, within: tuple[str, ...]) -> Function:
        function = self.functions.get(address.lower())
        if function is None:
            near = difflib.get_close_matches(address.lower(), self.functions, n=1, cutoff=0.5)
            advice = f"write smelt.{self.functions[near[0]].address}" if near else "add a file with its smelt.define"
            raise _Wrong(CheckCode.UnknownFunction, f"no function is called smelt.{address}; {advice}")
        if address.lower() in within:
            way = " calls ".join(f"smelt.{self.functions[name].address}" for name in (*within, address.lower()))
            raise _Wrong(CheckCode.FunctionCallCycle, f"a function may not call itself: {way}")
        if function.backends and _ENGINE not in function.backends:
            backends = ", ".join(function.backends)
            message = f"smelt.{function.address} is for {backends}, and this runs on Spark; add spark to its backends"
            raise _Wrong(CheckCode.BackendsMismatch, message)
        return function

    def _arguments(
        self, function: Function, call: _Call, sql: str, within: tuple[str, ...]
    ) -> dict[str, tuple[str, str]]:
        """Sort and text of every parameter."""
        called, known = f"smelt.{function.address}", {parameter.name for parameter in function.parameters}
        if len(call.positional) > len(function.parameters):
            message = f"{called} takes {len(function.parameters)} arguments and is given {len(call.positional)}"
            raise _Wrong(CheckCode.UnknownArgument, message)
        names = [parameter.name for parameter in function.parameters[: len(call.positional)]]
        given = dict[str, str]()
        for name, (start, end) in [*zip(names, call.positional, strict=True), *call.named]:
            if name not in known:
                raise _Wrong(
                    CheckCode.UnknownArgument, f"{called} has no parameter {name}; it has {', '.join(sorted(known))}"
                )
            if name in given:
                raise _Wrong(CheckCode.UnknownArgument, f"{called} is given {name} twice")
            given[name] = self.text(sql[start:end], within)
        values = dict[str, tuple[str, str]]()
        for parameter in function.parameters:
            value = given.get(parameter.name, parameter.default)
            if value is None:
                raise _Wrong(CheckCode.MissingArgument, f"{called} needs {parameter.name}")
            values[parameter.name] = (_sort(parameter, value), value)
        return values


def _sort(parameter: Parameter, value: str) -> str:
    """The sort of a parameter; if not declared, that of its argument."""
    if parameter.sort:
        return parameter.sort
    first = [token.text.lower() for token in tokens_of(value)[:2]]
    is_table = first[:1] == [_PREFIX] or (first[:1] == ["("] and first[1:] in (["select"], ["with"]))
    return "table" if is_table else "value"


def _substituted(body: str, given: Mapping[str, tuple[str, str]]) -> str:
    """A body with its parameters replaced by arguments. A name after a dot or AS is not a parameter."""
    tokens = tokens_of(body)
    arguments = [(call.start, call.end) for call in _calls(body)]
    edits = []
    for at, token in enumerate(tokens):
        name = token.text.lower()
        if (
            name not in given
            or token.token_type in _LITERALS
            or not _NAMES.fullmatch(body[token.start : token.end + 1])
        ):
            continue
        before = tokens[at - 1].token_type if at else None
        behind = tokens[at + 1].token_type if at + 1 < len(tokens) else None
        if before in (TokenType.DOT, TokenType.ALIAS) or behind is TokenType.FARROW:
            continue
        sort, value = given[name]
        start, end = token.start, token.end + 1
        if any(first <= start < last for first, last in arguments):
            # passed on unchanged
            edits.append(Edit(start, end, value))
        elif sort == "table":
            if behind is not TokenType.DOT:
                has_alias = behind in (TokenType.ALIAS, TokenType.VAR, TokenType.IDENTIFIER)
                edits.append(Edit(start, end, value if has_alias else f"{value} AS {token.text}"))
        elif sort == "items":
            items = _items(value)
            if items:
                edits.append(Edit(start, end, items))
            elif before is TokenType.COMMA:
                edits.append(Edit(tokens[at - 1].start, end, ""))
            else:
                edits.append(Edit(start, tokens[at + 1].end + 1 if behind is TokenType.COMMA else end, ""))
        else:
            edits.append(Edit(start, end, value if _is_one_term(value) else f"({value})"))
    return edited(body, edits)


def _items(value: str) -> str:
    """A list of SELECT items without its enclosing parentheses."""
    tokens = tokens_of(value)
    is_list = tokens and tokens[0].token_type is TokenType.L_PAREN and closing(tokens, 0) == len(tokens) - 1
    return value[tokens[0].end + 1 : tokens[-1].start].strip() if is_list else value


def _is_one_term(value: str) -> bool:
    """Whether an expression needs no parentheses anywhere: a name, a literal, a call, or parenthesized already."""
    tokens = tokens_of(value)
    kinds = [token.token_type for token in tokens]
    if len(tokens) == 1 or (len(tokens) == 2 and kinds[0] is TokenType.INTERVAL):
        return True
    opening = next((at for at, kind in enumerate(kinds) if kind is TokenType.L_PAREN), len(tokens))
    is_dotted = all((at % 2 == 1) == (kind is TokenType.DOT) for at, kind in enumerate(kinds[:opening]))
    is_signed = not _SIGNS.isdisjoint(kinds[:1])
    return is_dotted and not is_signed and (opening == len(tokens) or closing(tokens, opening) == len(tokens) - 1)


def _bracketed(body: str) -> str:
    is_long = "\n" in body or "--" in body
    return f"(\n{textwrap.indent(body, '    ')}\n)" if is_long else f"({body})"


def _indented(text: str, sql: str, at: int) -> str:
    """Indents the lines after the first like the line they are inserted into."""
    line = sql[sql.rfind("\n", 0, at) + 1 : at]
    margin = line[: len(line) - len(line.lstrip())]
    first, *others = text.split("\n")
    return "\n".join([first, *(margin + other if other else other for other in others)])
