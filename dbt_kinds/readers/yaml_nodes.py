"""YAML with the lines of its values, and with duplicate keys, both of which ordinary loaders lose."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import yaml

from dbt_kinds.codes import CompileCode
from dbt_kinds.diagnostics import Place
from dbt_kinds.errors import CompileError

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_WHOLE = re.compile(r"[-+]?[0-9]+")
_BASED = re.compile(r"0x[0-9a-fA-F]+|0o[0-7]+")
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = {".inf": math.inf, "+.inf": math.inf, "-.inf": -math.inf, ".nan": math.nan}
# with anchors a small file may represent a huge or infinite one
_DEEPEST = 40
_MOST_NODES = 200_000


class YamlNode:
    """A value of a YAML file, read as YAML 1.2: dates and `yes` are strings."""

    def __init__(
        self,
        node: yaml.Node,
        file: str,
        first_line: int = 1,
        depth: int = 0,
        budget: list[int] | None = None,
        key: yaml.Node | None = None,
    ) -> None:
        """Wraps a node of the parser, given the line at which its text begins in the file.

        Raises:
            CompileError: anchors make the file too large (BadPropertyValue).
        """
        self._node = node
        self._key = key
        self.file = file
        self._first_line = first_line
        self._depth = depth
        self._budget = budget if budget is not None else [_MOST_NODES]
        self._budget[0] -= 1
        if depth > _DEEPEST or self._budget[0] < 0:
            raise self.error(CompileCode.BadPropertyValue, "is nested too deeply to be read")

    @property
    def line(self) -> int:
        """The line of the value."""
        return int(self._node.start_mark.line) + self._first_line

    @property
    def key_line(self) -> int:
        """The line of the value's key; without a key, that of the value."""
        return self.line if self._key is None else int(self._key.start_mark.line) + self._first_line

    @property
    def text_line(self) -> int:
        """The line at which the text of a scalar begins: after `|` it is the next line."""
        is_block = isinstance(self._node, yaml.ScalarNode) and self._node.style in ("|", ">")
        return self.line + 1 if is_block else self.line

    @property
    def place(self) -> Place:
        """The place of the value."""
        return Place(self.file, self.line)

    @property
    def is_mapping(self) -> bool:
        """Whether it has keys."""
        return isinstance(self._node, yaml.MappingNode)

    @property
    def is_list(self) -> bool:
        """Whether it has items."""
        return isinstance(self._node, yaml.SequenceNode)

    @property
    def is_empty(self) -> bool:
        """Whether it is null."""
        return isinstance(self._node, yaml.ScalarNode) and self.value() is None

    def error(self, code: CompileCode, message: str) -> CompileError:
        """An error about this value."""
        return CompileError(code, message, self.file, self.line)

    def pairs(self) -> list[tuple[str, YamlNode]]:
        """Keys and values in order, including duplicate keys. Those from `<<` come last.

        Raises:
            CompileError: it is not a mapping (BadPropertyValue).
        """
        if self.is_empty:
            return []
        if not isinstance(self._node, yaml.MappingNode):
            raise self.error(CompileCode.BadPropertyValue, f"{self.shown} is not a mapping; write keys with values")
        found: list[tuple[str, YamlNode]] = []
        merged: list[tuple[str, YamlNode]] = []
        for key, value in self._node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise self._inside(key).error(CompileCode.BadPropertyValue, "a key is no text")
            inner = self._inside(value, key)
            if key.value == "<<" and key.style is None:
                for source in inner.items() if inner.is_list else [inner]:
                    merged.extend(source.pairs())
            else:
                found.append((str(key.value), inner))
        names = {name for name, _ in found}
        return found + [(name, value) for name, value in merged if name not in names]

    def items(self) -> list[YamlNode]:
        """The items of a list; any other value counts as a list of one.

        Raises:
            CompileError: it is a mapping (BadPropertyValue).
        """
        if isinstance(self._node, yaml.SequenceNode):
            return [self._inside(item) for item in self._node.value]
        if isinstance(self._node, yaml.MappingNode):
            raise self.error(CompileCode.BadPropertyValue, "is a mapping where a list is wanted")
        return [] if self.is_empty else [self]

    def get(self, *names: str) -> YamlNode | None:
        """The first value of one of these keys; null counts as absent."""
        for name, value in self.pairs():
            if name in names and not value.is_empty:
                return value
        return None

    def value(self) -> Any:
        """The value in Python; of duplicate keys the last one counts."""
        if isinstance(self._node, yaml.SequenceNode):
            return [item.value() for item in self.items()]
        if isinstance(self._node, yaml.MappingNode):
            return {name: value.value() for name, value in self.pairs()}
        return _scalar(str(self._node.value), is_plain=getattr(self._node, "style", None) is None)

    def text(self) -> str:
        """A scalar as written.

        Raises:
            CompileError: it is a list or a mapping (BadPropertyValue).
        """
        if isinstance(self._node, yaml.ScalarNode):
            return str(self._node.value)
        raise self.error(CompileCode.BadPropertyValue, f"{self.shown} is no text; write one value")

    def texts(self) -> list[str]:
        """A list of scalars, or a single one."""
        return [item.text() for item in self.items()]

    @property
    def shown(self) -> str:
        """A description for errors."""
        if isinstance(self._node, yaml.ScalarNode):
            return f"'{str(self._node.value)[:60]}'"
        return "a list" if self.is_list else "a mapping"

    def _inside(self, node: yaml.Node, key: yaml.Node | None = None) -> YamlNode:
        return YamlNode(node, self.file, self._first_line, self._depth + 1, self._budget, key)


def read_yaml(text: str, file: str, first_line: int = 1) -> Iterator[YamlNode]:
    """The non-empty documents of a text; `first_line` is where the text begins in its file.

    Raises:
        CompileError: it is not YAML (BadPropertyValue).
    """
    try:
        documents = list(yaml.compose_all(text, Loader=yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = f"is not YAML: {error.problem or error.context}"
        line = first_line + int(mark.line) if mark is not None else first_line
        raise CompileError(CompileCode.BadPropertyValue, message, file, line) from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        first = str(error).strip().split("\n")[0]
        raise CompileError(CompileCode.BadPropertyValue, f"is not YAML: {first}", file, first_line) from error
    for document in documents:
        if document is not None:
            node = YamlNode(document, file, first_line)
            if not node.is_empty:
                yield node


def _scalar(text: str, *, is_plain: bool) -> Any:
    if not is_plain:
        return text
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if len(text) < 400:
        if _WHOLE.fullmatch(text):
            return int(text)
        if _BASED.fullmatch(text):
            return int(text, 0)
        if _NUMBER.fullmatch(text):
            return float(text)
    return _NOT_FINITE.get(text.lower(), text)
