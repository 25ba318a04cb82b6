"""Reads a config.py as far as it consists of literals. It is parsed and never executed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from dbt_kinds.readers.sqlmesh.python_models.declaration import last_name

Computed = list[tuple[str, int]]
_CONNECTION = "ConnectionConfig"
# calls that may be anywhere in the file if there is only one, by class
_SETTINGS = {"ModelDefaultsConfig": "model_defaults"}


@dataclass
class Literals:
    """The settings of a config.py.

    Attributes:
        computed: name and line of settings computed in unsupported ways.
        defaulted: environment variables with a default, which is used in the settings.
    """

    settings: dict[str, Any] = field(default_factory=dict)
    computed: Computed = field(default_factory=list)
    defaulted: list[str] = field(default_factory=list)


def literals_of(text: str) -> Literals:
    """The settings of a config.py: `config = Config(…)`, or `model_defaults` and `variables` at top level.

    Resolves names assigned further up, attributes of the file's own classes, and `**name`. If neither form sets
    `model_defaults`, they come from the file's only `Config(…)` or `ModelDefaultsConfig(…)`, wherever it is.

    Raises:
        SyntaxError, ValueError: the text is not Python.
    """
    return _Reader(ast.parse(text)).read()


class _Reader:
    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.known: dict[str, Any] = {}
        self.classes: dict[str, dict[str, Any]] = {}
        self.computed: dict[str, Computed] = {}
        self.defaulted: list[str] = []

    def read(self) -> Literals:
        for node in self.tree.body:
            if isinstance(node, ast.ClassDef):
                self.classes[node.name] = self._attributes(node)
            for name, value in _assigned(node):
                self._bind(name, value)
        settings, computed = self._stated()
        for call, name in _SETTINGS.items():
            if name not in settings and (found := self._only_call(call)) is not None:
                settings[name] = found[0]
                computed = [entry for entry in computed if entry[0] != name] + found[1]
        return Literals(settings, computed, self.defaulted)

    def _stated(self) -> tuple[dict[str, Any], Computed]:
        config = self.known.get("config")
        if not config and (anywhere := self._only_call("Config")):
            return anywhere
        if isinstance(config, dict):
            return dict(config), self.computed["config"]
        names = [name for name in ("model_defaults", "variables") if name in self.computed]
        settings = {name: self.known[name] for name in names if name in self.known}
        return settings, [found for name in [*names, "config"] for found in self.computed.get(name, [])]

    def _only_call(self, name: str) -> tuple[dict[str, Any], Computed] | None:
        """The arguments of a class's only call, and the computed ones; None if it is not called, or called in
        several ways.
        """
        calls = [node for node in ast.walk(self.tree) if isinstance(node, ast.Call) and last_name(node.func) == name]
        said: list[tuple[dict[str, Any], Computed]] = []
        for call in calls:
            missed: Computed = []
            said.append((self._keywords(call, missed), missed))
        is_one = bool(said) and bool(said[0][0]) and all(other[0] == said[0][0] for other in said)
        return said[0] if is_one else None

    def _bind(self, name: str, value: ast.expr) -> None:
        self.known.pop(name, None)
        missed: Computed = []
        try:
            self.known[name] = self._value(value, missed)
        except ValueError:
            missed.append((name, value.lineno))
        self.computed[name] = missed

    def _attributes(self, node: ast.ClassDef) -> dict[str, Any]:
        """The attribute values of a class, base classes in the file first."""
        found: dict[str, Any] = {}
        for base in reversed(node.bases):
            found.update(self.classes.get(last_name(base), {}))
        for statement in node.body:
            for name, value in _assigned(statement):
                try:
                    found[name] = self._value(value, [])
                except ValueError:
                    found.pop(name, None)
        return found

    def _value(self, node: ast.expr, missed: Computed) -> Any:
        """Evaluates an expression of literals, names and `…Config(…)`.

        Raises:
            ValueError: it contains anything else.
        """
        if isinstance(node, ast.Name) and node.id in self.known:
            return self.known[node.id]
        if isinstance(node, ast.Attribute):
            return self._attribute(node, missed)
        if isinstance(node, ast.Call):
            return self._made(node, missed)
        if isinstance(node, ast.List | ast.Tuple):
            return [self._value(item, missed) for item in node.elts]
        if isinstance(node, ast.Dict):
            found: dict[Any, Any] = {}
            for key, value in zip(node.keys, node.values, strict=True):
                inner = self._value(value, missed)
                found.update({self._value(key, missed): inner} if key is not None else inner)
            return found
        try:
            return ast.literal_eval(node)
        except (TypeError, SyntaxError, MemoryError, RecursionError) as error:
            raise ValueError(str(error)) from error

    def _attribute(self, node: ast.Attribute, missed: Computed) -> Any:
        """`settings.dialect`, for an object or class of this file."""
        holder = self.classes.get(node.value.id) if isinstance(node.value, ast.Name) else None
        if holder is None:
            holder = self._value(node.value, missed)
        if not isinstance(holder, dict) or node.attr not in holder:
            raise ValueError(f"{node.attr} is not known")
        return holder[node.attr]

    def _made(self, node: ast.Call, missed: Computed) -> Any:
        """The result of a call: a setting, an object of the file's own class, or the default of a variable."""
        name = last_name(node.func)
        if name in self.classes:
            return {**self.classes[name], **self._keywords(node, missed)}
        if name.endswith(_CONNECTION):
            return {"type": name.removesuffix(_CONNECTION).lower(), **self._keywords(node, missed)}
        if name.endswith("Config") or name == "dict":
            return self._keywords(node, missed)
        is_variable = name == "getenv" or (name == "get" and last_name(getattr(node.func, "value", node)) == "environ")
        if is_variable and len(node.args) == 2 and isinstance(node.args[0], ast.Constant):
            value = self._value(node.args[1], missed)
            if str(node.args[0].value) not in self.defaulted:
                self.defaulted.append(str(node.args[0].value))
            return value
        raise ValueError(f"{name or 'a call'} is not run")

    def _keywords(self, call: ast.Call, missed: Computed) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for keyword in call.keywords:
            inner: Computed = []
            try:
                value = self._value(keyword.value, inner)
            except ValueError:
                missed.append((keyword.arg or "**", keyword.value.lineno))
                continue
            missed.extend((f"{keyword.arg}.{name}", line) for name, line in inner)
            if keyword.arg is not None:
                found[keyword.arg] = value
            elif isinstance(value, dict):
                found.update(value)
        return found


def _assigned(node: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """The names that a statement binds, and their values."""
    if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            if isinstance(target, ast.Name):
                yield target.id, node.value
