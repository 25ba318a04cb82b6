"""Additions to a YAML text that leave its comments, its order and its layout as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from dbt_kinds.analysis.edits import Edit, edited
from dbt_kinds.writers.yaml_text import yaml_text


def with_value(text: str, path: Sequence[str], value: Any) -> str:
    """The text with `value` under a path of keys that is not there yet; missing keys are added.

    Args:
        text: a mapping in YAML, or nothing.

    Raises:
        ValueError: the path leads through something that is no mapping.
    """
    node = _root(text)
    for depth, key in enumerate(path):
        found = None if node is None else _value(node, key)
        if found is None or _is_null(found):
            return _added(text, node, found, path[depth:], value)
        node = found
    raise ValueError(f"{'.'.join(path)} is there")


def with_item(text: str, path: Sequence[str], item: Any, *, before: str | None = None) -> str:
    """The text with an item more in the list under a path of keys, which is begun if it is missing.

    Args:
        before: the item, a string, in front of which it comes; otherwise it comes last.

    Raises:
        ValueError: there is something else than a list.
    """
    node = node_at(text, path)
    if node is None or _is_null(node):
        return with_value(text, path, [item])
    if not isinstance(node, yaml.SequenceNode):
        raise ValueError(f"{'.'.join(path)} is no list")
    return edited(text, [item_edit(text, node, item, before=before)])


def item_edit(text: str, node: yaml.SequenceNode, item: Any, *, before: str | None = None) -> Edit:
    """The edit that adds an item to a list; see `with_item`."""
    at = next((entry for entry in node.value if isinstance(entry, yaml.ScalarNode) and entry.value == before), None)
    if node.flow_style:
        if at is not None:
            return _insertion(at.start_mark.index, f"{_flow(item)}, ")
        return _insertion(node.end_mark.index - 1, (", " if node.value else "") + _flow(item))
    dash = _dash(text, node.value[0])
    lines = _indented(yaml_text([item]), dash)
    if at is not None:
        return _insertion(_line_start(text, at.start_mark.index), lines)
    return _new_lines(text, _end(node.value[-1]), lines)


def node_at(text: str, path: Sequence[str]) -> yaml.Node | None:
    """The node under a path of keys, if it is there."""
    node = _root(text)
    for key in path:
        node = None if node is None else _value(node, key)
    return node


def _root(text: str) -> yaml.Node | None:
    node: yaml.Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
    return None if node is None or _is_null(node) else node


def _value(node: yaml.Node, key: str) -> yaml.Node | None:
    if not isinstance(node, yaml.MappingNode):
        raise ValueError(f"line {node.start_mark.line + 1} is no mapping")
    return next((value for name, value in node.value if name.value == key), None)


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def _added(text: str, node: yaml.Node | None, empty: yaml.Node | None, keys: Sequence[str], value: Any) -> str:
    """The text with keys and value in the mapping `node`; `empty` is the first key's value if it is written as null."""
    inner = _nested(keys[1:], value)
    if node is None:
        return (text if not text or text.endswith("\n") else text + "\n") + yaml_text({keys[0]: inner})
    assert isinstance(node, yaml.MappingNode)
    if node.flow_style:
        kept = [pair for pair in node.value if pair[1] is not empty]
        if empty is not None:
            return edited(text, [Edit(empty.start_mark.index, empty.end_mark.index, f" {_flow(inner)}")])
        inside = f"{_flow(keys[0])}: {_flow(inner)}"
        return edited(text, [_insertion(node.end_mark.index - 1, (", " if kept else "") + inside)])
    column = node.start_mark.column
    if empty is not None:
        # what stands behind the colon goes: nothing, `~` or `null`
        is_block = isinstance(inner, (dict, list)) and inner
        lines = f"\n{_indented(yaml_text(inner), column + 2)}".rstrip("\n") if is_block else f" {_flow(inner)}"
        return edited(text, [Edit(empty.start_mark.index, empty.end_mark.index, lines)])
    return edited(text, [_new_lines(text, _end(node.value[-1][1]), _indented(yaml_text({keys[0]: inner}), column))])


def _nested(keys: Sequence[str], value: Any) -> Any:
    for key in reversed(keys):
        value = {key: value}
    return value


def _end(node: yaml.Node) -> int:
    """Where the last character of a value stands; the parser's end of a block lies behind the comments below it."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    return int(node.end_mark.index)


def _new_lines(text: str, end: int, lines: str) -> Edit:
    """The edit that puts lines behind the one in which a value ends."""
    stop = len(text[:end].rstrip()) if text[:end].endswith("\n") else end
    newline = text.find("\n", stop)
    return _insertion(len(text), "\n" + lines) if newline < 0 else _insertion(newline + 1, lines)


def _insertion(at: int, text: str) -> Edit:
    return Edit(at, at, text)


def _dash(text: str, first: yaml.Node) -> int:
    """The column of a list's dashes."""
    start = first.start_mark.index
    return text.rindex("-", _line_start(text, start), start) - _line_start(text, start)


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _indented(text: str, columns: int) -> str:
    return "".join(f"{' ' * columns}{line}" for line in text.splitlines(keepends=True))


def _flow(value: Any) -> str:
    text: str = yaml.safe_dump(value, default_flow_style=True, width=10_000, sort_keys=False)
    return text.removesuffix("...\n").strip()
