"""What a config.py says in literals. It is parsed and never run."""

from __future__ import annotations

import ast
from typing import Any

from dbt_kinds.readers.sqlmesh.python_models.declaration import last_name

Computed = list[tuple[str, int]]


def literals_of(text: str) -> tuple[dict[str, Any], Computed]:
    """The settings of a config.py: `config = Config(…)`, or `model_defaults` and `variables` at top level.

    Names of values assigned further up are followed, and `**name` in a call. Returns the settings, and the name and
    line of those that are computed in any other way.

    Raises:
        SyntaxError, ValueError: the text is no Python.
    """
    known: dict[str, Any] = {}
    computed: dict[str, Computed] = {}
    for node in ast.parse(text).body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            if isinstance(target, ast.Name):
                known.pop(target.id, None)
                missed: Computed = []
                try:
                    known[target.id] = _value(node.value, known, missed)
                except ValueError:
                    missed.append((target.id, node.lineno))
                computed[target.id] = missed
    if isinstance(known.get("config"), dict):
        return known["config"], computed["config"]
    names = [name for name in ("model_defaults", "variables") if name in computed]
    settings = {name: known[name] for name in names if name in known}
    return settings, [found for name in [*names, "config"] for found in computed.get(name, [])]


def _value(node: ast.expr, known: dict[str, Any], missed: Computed) -> Any:
    """The value of an expression of literals, names and `…Config(…)`.

    Raises:
        ValueError: it is something else.
    """
    if isinstance(node, ast.Name) and node.id in known:
        return known[node.id]
    if isinstance(node, ast.Call) and last_name(node.func).endswith("Config"):
        return _keywords(node, known, missed)
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(item, known, missed) for item in node.elts]
    if isinstance(node, ast.Dict):
        found: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            inner = _value(value, known, missed)
            found.update({_value(key, known, missed): inner} if key is not None else inner)
        return found
    try:
        return ast.literal_eval(node)
    except (TypeError, SyntaxError, MemoryError, RecursionError) as error:
        raise ValueError(str(error)) from error


def _keywords(call: ast.Call, known: dict[str, Any], missed: Computed) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for keyword in call.keywords:
        inner: Computed = []
        try:
            value = _value(keyword.value, known, inner)
        except ValueError:
            missed.append((keyword.arg or "**", keyword.value.lineno))
            continue
        missed.extend((f"{keyword.arg}.{name}", line) for name, line in inner)
        if keyword.arg is not None:
            found[keyword.arg] = value
        elif isinstance(value, dict):
            found.update(value)
    return found
