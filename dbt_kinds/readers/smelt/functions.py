"""Functions that a smelt project defines: `smelt.define name(parameters) -> type AS (body)`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from sqlglot import Token, TokenType
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import TokenError

from dbt_kinds.codes import CheckCode
from dbt_kinds.diagnostics import Diagnostic
from dbt_kinds.errors import UnreadableConfigurationError
from dbt_kinds.readers.brackets import closing, split_at_commas
from dbt_kinds.readers.smelt.blocks import Block, read_block
from dbt_kinds.readers.smelt.problems import unknown_key

_DECLARATION = re.compile(r"^[ \t]*smelt\.(?:define|extern)\b", re.MULTILINE)
_BLOCK = re.compile(r"^---[ \t]*\r?\n(?P<yaml>.*?)^---[ \t]*$", re.MULTILINE | re.DOTALL)
# of these only `backends` has an effect here
_KEYS = ("backends", "deterministic", "provenance", "joins", "description")


@dataclass(frozen=True)
class Parameter:
    """A parameter. `sort` is `table`, `items` (of a SELECT), `value`, or empty if its type is not declared."""

    name: str
    sort: str
    default: str | None


@dataclass(frozen=True)
class Function:
    """A function by its address without `smelt.`: folders, then its name. One declared by `smelt.extern` is built
    into the engine and has no body.
    """

    address: str
    path: str
    line: int
    parameters: tuple[Parameter, ...] = ()
    body: str | None = None
    backends: tuple[str, ...] = ()


@dataclass
class Functions:
    """All functions of a project, by lower-case address."""

    by_address: dict[str, Function] = field(default_factory=dict)
    problems: list[Diagnostic] = field(default_factory=list)

    def add_file(self, text: str, path: PurePosixPath) -> None:
        """Parses a file of declarations. An invalid declaration is recorded as a problem, and the others are still
        read.
        """
        blocks = list(_BLOCK.finditer(text))
        # YAML is not SQL
        sql = _BLOCK.sub(lambda block: re.sub(r"[^\r\n]", " ", block[0]), text)
        starts = [found.start() for found in _DECLARATION.finditer(sql)]
        for start, end in zip(starts, [*starts[1:], len(sql)], strict=True):
            line = text.count("\n", 0, start) + 1
            before = max((at for at in starts if at < start), default=0)
            own = [block for block in blocks if before <= block.start() < start]
            try:
                function = _Declaration(sql[:end], start, path, line).function()
                block = _configuration(own[-1], text, path) if own else Block()
            except _Unreadable as error:
                self.problems.append(Diagnostic.of(CheckCode.UnreadableFunction, str(error), str(path), line))
                continue
            except UnreadableConfigurationError as error:
                self.problems.append(
                    Diagnostic.of(CheckCode.UnreadableConfiguration, str(error), error.path, error.line)
                )
                continue
            self._add(function, block)

    def _add(self, function: Function, block: Block) -> None:
        self.problems += [
            unknown_key(CheckCode.UnknownKey, key, _KEYS, "a function", *block.place(key))
            for key in block.data
            if key not in _KEYS
        ]
        other = self.by_address.get(function.address.lower())
        if other is not None:
            message = (
                f"two functions are called smelt.{function.address}, this one and that of {other.path}:{other.line}; "
                "rename one"
            )
            self.problems.append(
                Diagnostic.of(CheckCode.DuplicateFunctionDefinition, message, function.path, function.line)
            )
            return
        said = block.data.get("backends") or ()
        backends = tuple(str(name).lower() for name in (said if isinstance(said, list) else [said])) if said else ()
        self.by_address[function.address.lower()] = Function(
            function.address, function.path, function.line, function.parameters, function.body, backends
        )


def is_function_file(text: str) -> bool:
    """Whether a file declares functions, and so is not a model."""
    return _DECLARATION.search(text) is not None


def tokens_of(sql: str) -> list[Token]:
    """The tokens of Spark SQL. Raises sqlglot's TokenError."""
    return Dialect.get_or_raise("spark").tokenize(sql)


class _Unreadable(Exception):  # noqa: N818 (a jump out of a declaration)
    pass


class _Declaration:
    """One declaration, read token by token."""

    def __init__(self, text: str, start: int, path: PurePosixPath, line: int) -> None:
        self.text, self.path, self.line = text, path, line
        try:
            self.tokens = [token for token in tokens_of(text) if token.start >= start]
        except TokenError as error:
            raise _Unreadable(f"this is no SQL: {str(error).splitlines()[0]}") from error

    def function(self) -> Function:
        # smelt . define name (
        if len(self.tokens) < 5 or self.tokens[4].token_type is not TokenType.L_PAREN:
            raise _Unreadable("expected smelt.define name(parameters) AS (body)")
        is_extern, name = self.tokens[2].text.lower() == "extern", self.tokens[3].text
        end = closing(self.tokens, 4)
        if end is None:
            raise _Unreadable(f"the parameters of {name} end nowhere")
        inner = self.tokens[5:end]
        parameters = tuple(self._parameter(part) for part in _parameters(inner)) if inner else ()
        address = ".".join([*self.path.parent.parts, name])
        if is_extern:
            return Function(address, str(self.path), self.line, parameters)
        opening = next(
            (
                at + 1
                for at in range(end, len(self.tokens) - 1)
                if self.tokens[at].token_type is TokenType.ALIAS and self.tokens[at + 1].token_type is TokenType.L_PAREN
            ),
            None,
        )
        last = closing(self.tokens, opening) if opening is not None else None
        if opening is None or last is None or last == opening + 1:
            raise _Unreadable(f"expected AS (body) behind the parameters of {name}")
        behind = [token for token in self.tokens[last + 1 :] if token.token_type is not TokenType.SEMICOLON]
        if behind:
            raise _Unreadable(f"'{behind[0].text}' stands behind the body of {name}")
        body = self.text[self.tokens[opening].end + 1 : self.tokens[last].start]
        return Function(address, str(self.path), self.line, parameters, body)

    def _parameter(self, tokens: list[Token]) -> Parameter:
        if not tokens:
            raise _Unreadable("a parameter is missing between two commas")
        equals = next((at for at, token in enumerate(tokens) if token.token_type is TokenType.EQ), len(tokens))
        kind = "".join(token.text for token in tokens[2:equals]).lower()
        if equals > 1 and (tokens[1].token_type is not TokenType.COLON or not kind):
            raise _Unreadable(f"expected 'name: type' or 'name', found '{tokens[0].text} {tokens[1].text}'")
        sort = "table" if kind.startswith("tableexpr") else "items" if kind.startswith("selectitems") else "value"
        default = self.text[tokens[equals + 1].start : tokens[-1].end + 1] if equals + 1 < len(tokens) else None
        return Parameter(tokens[0].text.lower(), sort if kind else "", default)


def _parameters(tokens: list[Token]) -> Iterator[list[Token]]:
    """The parts between commas outside the angle brackets of types."""
    joined = list[Token]()
    for part in split_at_commas(tokens):
        joined += part
        kind = [token.text for token in joined]
        kind = kind[: kind.index("=")] if "=" in kind else kind
        if sum(text.count("<") - text.count(">") for text in kind) <= 0:
            yield joined
            joined = []
    if joined:
        yield joined


def _configuration(block: re.Match[str], text: str, path: PurePosixPath) -> Block:
    return read_block(block["yaml"], str(path), text.count("\n", 0, block.start()) + 2)
