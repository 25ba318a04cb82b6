"""The grammar of MODEL and AUDIT blocks: properties whose values are parsed once their meaning is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlglot import Token, TokenType, exp

from dbt_kinds.codes import CompileCode
from dbt_kinds.diagnostics import Place
from dbt_kinds.errors import CompileError
from dbt_kinds.readers.sqlmesh.dialects import block_tokens
from dbt_kinds.translation.dialects import ParseFailure, parse_expression

_OPENING = {"(": ")", "[": "]", "{": "}"}
_TEXTS = (TokenType.STRING, TokenType.IDENTIFIER)


@dataclass
class Value:
    """The value of a key: its tokens, parsed in the way the property requires."""

    name: str
    tokens: Sequence[Token]
    source: str
    file: str
    first_line: int
    dialect: str

    @property
    def place(self) -> Place:
        """The beginning of the value."""
        line = self.first_line + (self.tokens[0].line - 1 if self.tokens else 0)
        return Place(self.file, line)

    @property
    def text(self) -> str:
        """The value as written, without surrounding comments."""
        return self.source[self.tokens[0].start : self.tokens[-1].end + 1] if self.tokens else ""

    def error(self, code: CompileCode, message: str) -> CompileError:
        """An error about this value."""
        return CompileError(code, message, self.place.file, self.place.line)

    def bad(self, expected: str) -> CompileError:
        """An error that states what the property expects."""
        return self.error(CompileCode.BadPropertyValue, f"{self.name} is {self.text or 'empty'}; write {expected}")

    def part(self, tokens: Sequence[Token], name: str | None = None) -> Value:
        """A part of this value."""
        return Value(name or self.name, tokens, self.source, self.file, self.first_line, self.dialect)

    @property
    def is_text(self) -> bool:
        """Whether it is a single quoted string."""
        return len(self.tokens) == 1 and self.tokens[0].token_type == TokenType.STRING

    def as_text(self) -> str:
        """A single string: a quoted string, a number or a dotted name."""
        if len(self.tokens) == 1:
            return self.tokens[0].text
        if self.tokens and all(_is_word(token) or token.text in ".-" for token in self.tokens):
            return self.text
        raise self.bad("one text, in quotes when it is more than a name")

    def as_word(self) -> str:
        """A word in lower case, with or without quotes."""
        return self.as_text().strip().lower()

    def as_boolean(self) -> bool:
        """True or false."""
        word = self.tokens[0].text.lower() if len(self.tokens) == 1 else ""
        if word in ("true", "1", "yes"):
            return True
        if word in ("false", "0", "no"):
            return False
        raise self.bad("true or false")

    def as_positive_integer(self) -> int:
        """A whole number of 1 or more."""
        text = self.tokens[0].text if len(self.tokens) == 1 else ""
        if text.isascii() and text.isdigit() and int(text) > 0:
            return int(text)
        raise self.bad("a whole number of 1 or more")

    def as_list(self) -> list[Value]:
        """The items of a list in (), [] or ARRAY[]; a single item needs no brackets."""
        tokens = list(self.tokens)
        if len(tokens) >= 3 and tokens[0].text.upper() == "ARRAY" and tokens[1].text in _OPENING:
            tokens = tokens[1:]
        if tokens and tokens[0].text in ("(", "[") and _matching(tokens, 0) == len(tokens) - 1:
            return [self.part(item) for item in split_tokens(tokens[1:-1]) if item]
        return [self.part(tokens)] if tokens else []

    def as_pairs(self) -> list[tuple[str, Value]]:
        """The pairs of `(key = value, …)`; keys may be dotted or quoted."""
        pairs = []
        for item in self.as_list():
            at = next((i for i, token in enumerate(item.tokens) if token.text in ("=", ":=") and i), None)
            if at is None or at == len(item.tokens) - 1:
                raise self.bad("a list of pairs, such as (key = 'value')")
            key_tokens = item.tokens[:at]
            key = key_tokens[0].text if len(key_tokens) == 1 else self.part(key_tokens).text
            pairs.append((key, self.part(item.tokens[at + 1 :], key)))
        return pairs

    def as_calls(self) -> list[Call]:
        """A list of calls, such as audits; a name without arguments counts as a call."""
        return [read_call(item) for item in self.as_list()]

    def as_column(self) -> str:
        """The name of a single column."""
        if len(self.tokens) == 1 and (_is_word(self.tokens[0]) or self.tokens[0].token_type in _TEXTS):
            return self.tokens[0].text
        raise self.bad("the name of one column")

    def as_expression(self) -> exp.Expr:
        """An expression in the model's dialect."""
        try:
            return parse_expression(self.text, self.dialect)
        except ParseFailure as failure:
            raise self.error(CompileCode.SqlParseError, f"{self.name}: {failure.message}") from failure

    def as_literal(self) -> object:
        """A string, number, boolean, null or list of these; anything else is kept as written."""
        if len(self.tokens) == 1:
            token = self.tokens[0]
            if token.token_type == TokenType.NUMBER:
                return int(token.text) if token.text.isdigit() else float(token.text)
            if token.token_type != TokenType.STRING and token.text.lower() in ("true", "false", "null", "none"):
                return {"true": True, "false": False}.get(token.text.lower())
            return token.text
        if self.tokens and self.tokens[0].text in ("(", "["):
            return [item.as_literal() for item in self.as_list()]
        return self.text


@dataclass(frozen=True)
class Call:
    """`name` or `name(argument := value, …)`."""

    name: str
    arguments: dict[str, Value]
    value: Value


@dataclass
class Block:
    """A MODEL or AUDIT block.

    Attributes:
        properties: by lower-case key, in source order.
    """

    place: Place
    properties: dict[str, Value] = field(default_factory=dict)

    def take(self, *names: str) -> Value | None:
        """Removes and returns the property with one of these spellings.

        Raises:
            CompileError: the block has several spellings (DuplicateProperty).
        """
        found = [name for name in names if name in self.properties]
        if len(found) > 1:
            value = self.properties[found[1]]
            raise value.error(CompileCode.DuplicateProperty, f"{' and '.join(found)} say the same; keep one of them")
        return self.properties.pop(found[0]) if found else None


def read_block(text: str, file: str, first_line: int, dialect: str) -> Block:
    """Parses the properties of a block, given the line at which its text begins.

    Raises:
        CompileError: the text is not a block (SqlParseError).
        CompileError: a property occurs twice (DuplicateProperty).
    """
    tokens = block_tokens(text, dialect, file, first_line)
    begin = next((i for i, token in enumerate(tokens) if token.text == "("), None)
    line = first_line + (tokens[0].line - 1 if tokens else 0)
    end = _matching(tokens, begin) if begin is not None else None
    if begin is None or end is None:
        raise CompileError(CompileCode.SqlParseError, "the block is not closed; it ends with ');'", file, line)
    if end != len(tokens) - 1:
        raise CompileError(
            CompileCode.SqlParseError,
            f"'{tokens[end + 1].text}' stands behind the block; end the block with ');'",
            file,
            first_line + tokens[end + 1].line - 1,
        )
    whole = Value("block", tokens[begin + 1 : end], text, file, first_line, dialect)
    return Block(Place(file, line), read_properties(whole))


def read_properties(value: Value) -> dict[str, Value]:
    """Parses `key value, key value`, by lower-case key.

    Raises:
        CompileError: a key has no value (SqlParseError).
        CompileError: a key occurs twice (DuplicateProperty).
    """
    properties: dict[str, Value] = {}
    last = ""
    for item in split_tokens(value.tokens):
        if not item:
            continue
        if last == "when_matched" and _is_assignment(item):
            earlier = properties[last]
            at = list(value.tokens).index(item[-1])
            begin = list(value.tokens).index(earlier.tokens[0])
            properties[last] = value.part(value.tokens[begin : at + 1], last)
            continue
        key, rest = item[0], item[1:]
        place = value.part(item)
        if not _is_word(key) and key.token_type not in _TEXTS:
            raise place.error(
                CompileCode.SqlParseError, f"'{key.text}' is no property; write 'key value', separated by commas"
            )
        last = key.text.lower()
        if rest and rest[0].text in ("=", ":="):
            rest = rest[1:]
        if not rest:
            raise place.error(CompileCode.SqlParseError, f"property {last} has no value; write '{last} <value>'")
        if last in properties:
            raise place.error(CompileCode.DuplicateProperty, f"property {last} stands twice; keep one of them")
        properties[last] = value.part(rest, last)
    return properties


def read_call(value: Value) -> Call:
    """Parses `name` or `name(argument := value, …)`."""
    tokens = value.tokens
    at = next((i for i, token in enumerate(tokens) if token.text == "("), None)
    name = value.part(tokens if at is None else tokens[:at]).text
    arguments: dict[str, Value] = {}
    if at is not None:
        if _matching(tokens, at) != len(tokens) - 1:
            raise value.bad("a call such as name(argument := value)")
        for item in filter(None, split_tokens(tokens[at + 1 : -1])):
            if len(item) < 3 or item[1].text not in (":=", "="):
                raise value.part(item or tokens).bad("every argument as name := value")
            key = item[0].text.lower()
            if key in arguments:
                raise value.part(item).error(CompileCode.DuplicateProperty, f"argument {key} of {name} stands twice")
            arguments[key] = value.part(item[2:], key)
    return Call(name, arguments, value)


def split_tokens(tokens: Sequence[Token], *, types: bool = False) -> list[list[Token]]:
    """Tokens between top-level commas; with `types`, `<` and `>` are brackets too."""
    items: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        text = token.text if token.token_type not in _TEXTS else ""
        if text in _OPENING or (types and text == "<"):
            depth += 1
        elif text in _OPENING.values() or (types and text == ">"):
            depth -= 1
        elif types and text == ">>":
            depth -= 2
        if text == "," and depth <= 0:
            items.append([])
        else:
            items[-1].append(token)
    return items


def _matching(tokens: Sequence[Token], start: int | None) -> int | None:
    depth = 0
    for position in range(start or 0, len(tokens)):
        text = tokens[position].text if tokens[position].token_type not in _TEXTS else ""
        depth += 1 if text in _OPENING else -1 if text in _OPENING.values() else 0
        if depth == 0:
            return position
    return None


def _is_word(token: Token) -> bool:
    text = token.text
    return token.token_type not in _TEXTS and bool(text) and (text[0].isalnum() or text[0] in "_@$")


def _is_assignment(item: Sequence[Token]) -> bool:
    """Whether this continues `SET a = b` after a comma: a name, dotted or not, and an equals sign."""
    texts = [token.text for token in item]
    at = texts.index("=") if "=" in texts else -1
    return (
        at > 0 and all(part == "." if i % 2 else _is_word(item[i]) for i, part in enumerate(texts[:at])) and at % 2 == 1
    )
