"""YAML with the line number of every key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from dbt_kinds.errors import CompileError, UnreadableConfigurationError
from dbt_kinds.readers.yaml_nodes import YamlNode, read_yaml

Keys = tuple[str, ...]


@dataclass(frozen=True)
class Block:
    """A mapping and, for each of its keys at any depth, its file and line."""

    data: Mapping[str, Any] = field(default_factory=dict)
    places: Mapping[Keys, tuple[str, int]] = field(default_factory=dict)
    path: str = ""
    line: int = 1

    def place(self, *keys: str) -> tuple[str, int]:
        """The place of a key, or of the nearest enclosing key that exists."""
        for length in range(len(keys), 0, -1):
            if keys[:length] in self.places:
                return self.places[keys[:length]]
        return self.path, self.line

    def over(self, weaker: Block) -> Block:
        """Both blocks merged, with this one taking precedence; `timeseries` and `incremental` merge key by key, tags
        are united.
        """
        data = {**weaker.data, **self.data}
        for key in ("timeseries", "incremental"):
            mine, theirs = self.data.get(key), weaker.data.get(key)
            if isinstance(mine, Mapping) and isinstance(theirs, Mapping):
                data[key] = {**theirs, **mine}
        tags = [*_listed(weaker.data.get("tags")), *_listed(self.data.get("tags"))]
        if tags:
            data["tags"] = list(dict.fromkeys(tags))
        path, line = (self.path, self.line) if self.path else (weaker.path, weaker.line)
        return Block(data, {**weaker.places, **self.places}, path, line)

    def below(self, *keys: str) -> Block:
        """The mapping under a key; empty if there is none."""
        data: Any = self.data
        for key in keys:
            data = data.get(key) if isinstance(data, Mapping) else None
        if not isinstance(data, Mapping):
            return Block(path=self.path, line=self.line)
        places = {found[len(keys) :]: place for found, place in self.places.items() if found[: len(keys)] == keys}
        path, line = self.place(*keys)
        return Block(data, {found: place for found, place in places.items() if found}, path, line)


def read_block(text: str, path: str, first_line: int = 1) -> Block:
    """Parses a mapping. Raises UnreadableConfigurationError, with the line, if it is not one."""
    try:
        documents = list(read_yaml(text, path, first_line))
        places = {keys: (path, line) for node in documents for keys, line in _lines(node, ())}
        data = [node.value() for node in documents]
    except CompileError as error:
        message = f"{path}:{error.line}: {error.message}"
        raise UnreadableConfigurationError(message, path, error.line) from error
    if not data:
        return Block(path=path, line=first_line)
    if len(data) > 1 or not isinstance(data[0], Mapping):
        raise UnreadableConfigurationError(f"{path}:{first_line}: expected keys and values", path, first_line)
    return Block(data[0], places, path, first_line)


def _lines(node: YamlNode, above: Keys) -> Iterator[tuple[Keys, int]]:
    for key, value in node.pairs() if node.is_mapping else []:
        keys = (*above, key)
        yield keys, value.key_line
        yield from _lines(value, keys)
    # items of a list go by their names
    for item in node.items() if node.is_list else []:
        name = item.get("name") if item.is_mapping else None
        if name is not None:
            yield from _lines(item, (*above, str(name.value())))


def _listed(value: Any) -> list[str]:
    return [] if value is None else [str(item) for item in value] if isinstance(value, list) else [str(value)]
