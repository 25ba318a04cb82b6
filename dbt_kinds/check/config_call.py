"""The config() call in a model's file, and how to write `meta.safety` into it."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from dbt_kinds.analysis.edits import Edit
from dbt_kinds.errors import NotPlacedError
from dbt_kinds.writers.jinja import literal

# matches config() calls, whatever their strings contain, including parentheses and braces
_CALL = re.compile(
    r"""(?s)\{\{[-+]?\s*config\s*\((?P<arguments>(?:[^'"]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")*?)\)\s*[-+]?\}\}"""
)
_ANY_CALL = re.compile(r"\{[{%][-+]?\s*(?:do\s+)?config\s*\(")


def without_config(text: str) -> str:
    """A model's file without its config() calls, which is the input of a proof's hash."""
    return _CALL.sub("", text)


def proof_edit(text: str, proof: Mapping[str, Any]) -> Edit | None:
    """The edit that sets `meta.safety` of a file to a proof; None if it is already set.

    Raises:
        NotPlacedError: there is no unique place in the text to write it.
    """
    calls = list(_CALL.finditer(text))
    if len(_ANY_CALL.findall(text)) != len(calls) or len(calls) > 1:
        raise NotPlacedError("it does not have one {{ config(…) }} that can be read; write meta.safety by hand")
    if not calls:
        return Edit(0, 0, f"{{{{ config(meta={literal({'safety': proof})}) }}}}\n\n")
    start, arguments = calls[0].start("arguments"), calls[0]["arguments"]
    call = _parsed(arguments)
    found = next((keyword.value for keyword in call.keywords if keyword.arg == "meta"), None)
    if call.args or any(keyword.arg is None for keyword in call.keywords):
        raise NotPlacedError("its config() does not name its arguments; write meta.safety by hand")
    if found is None:
        ends = [_end(arguments, keyword.value) for keyword in call.keywords]
        at = start + max(ends, default=0)
        return Edit(at, at, f"{', ' if ends else ''}meta={literal({'safety': proof})}")
    if not isinstance(found, ast.Dict) or not all(isinstance(key, ast.Constant) for key in found.keys):
        raise NotPlacedError("meta in its config() is no plain mapping; write meta.safety by hand")
    for key, value in zip(found.keys, found.values, strict=True):
        if isinstance(key, ast.Constant) and key.value == "safety":
            if _says(value, proof):
                return None
            return Edit(start + _start(arguments, value), start + _end(arguments, value), literal(dict(proof)))
    if not found.values:
        return Edit(start + _start(arguments, found), start + _end(arguments, found), literal({"safety": proof}))
    at = start + _end(arguments, found.values[-1])
    return Edit(at, at, f", 'safety': {literal(dict(proof))}")


_OPENING = "config("


def _parsed(arguments: str) -> ast.Call:
    """Parses the arguments as Python: calls, literals and names are written the same in Jinja; anything else is not
    read.
    """
    try:
        tree = ast.parse(f"{_OPENING}{arguments})", mode="eval").body
    except SyntaxError as error:
        raise NotPlacedError("its config() is not plain enough to be read; write meta.safety by hand") from error
    assert isinstance(tree, ast.Call)
    return tree


def _says(value: ast.expr, proof: Mapping[str, Any]) -> bool:
    try:
        return bool(ast.literal_eval(value) == proof)
    except ValueError:
        return False


def _start(arguments: str, node: ast.expr) -> int:
    return _offset(arguments, node.lineno, node.col_offset)


def _end(arguments: str, node: ast.expr) -> int:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return _offset(arguments, node.end_lineno, node.end_col_offset)


def _offset(arguments: str, line: int, column: int) -> int:
    """The offset of a position; Python counts columns in bytes."""
    lines = f"{_OPENING}{arguments})".encode().split(b"\n")
    before = b"\n".join([*lines[: line - 1], lines[line - 1][:column]])
    return len(before.decode()) - len(_OPENING)
