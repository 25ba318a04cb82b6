"""Reads the `@model(…)` decorator of a function as literals: computed values are refused, since nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dbt_kinds.codes import CompileCode
from dbt_kinds.errors import CompileError
from dbt_kinds.readers.sqlmesh.python_models.text_formatting import text_of

_KINDS = {
    "FullKind": "FULL",
    "ViewKind": "VIEW",
    "EmbeddedKind": "EMBEDDED",
    "SeedKind": "SEED",
    "ManagedKind": "MANAGED",
    "CustomKind": "CUSTOM",
    "IncrementalByTimeRangeKind": "INCREMENTAL_BY_TIME_RANGE",
    "IncrementalByUniqueKeyKind": "INCREMENTAL_BY_UNIQUE_KEY",
    "IncrementalByPartitionKind": "INCREMENTAL_BY_PARTITION",
    "IncrementalUnmanagedKind": "INCREMENTAL_UNMANAGED",
    "SCDType2ByTimeKind": "SCD_TYPE_2_BY_TIME",
    "SCDType2ByColumnKind": "SCD_TYPE_2_BY_COLUMN",
}
# calls of sqlglot that are equivalent to their first argument
_SQL_CALLS = frozenset({"to_column", "column", "to_identifier", "to_table", "parse_one", "maybe_parse", "build"})


class RawSql(str):
    """Text that was built as SQL, as opposed to a string literal."""

    __slots__ = ()


@dataclass(frozen=True)
class Property:
    """A keyword of `@model`, and the line where its value begins."""

    value: Any
    line: int


@dataclass
class Declaration:
    """A function with `@model(…)` above it.

    Attributes:
        constants: top-level assignments of the module, by name.
    """

    function: ast.FunctionDef
    line: int
    properties: dict[str, Property] = field(default_factory=dict)
    constants: Mapping[str, ast.expr] = field(default_factory=dict)

    def take(self, name: str, default: Any = None) -> Any:
        """Removes and returns a property's value."""
        found = self.properties.pop(name, None)
        return default if found is None else found.value


def find_models(tree: ast.Module) -> list[tuple[ast.FunctionDef, ast.Call]]:
    """The functions that are models, each with its decorator."""
    found = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                if isinstance(decorator, ast.Call) and is_model_decorator(decorator):
                    found.append((node, decorator))
    return found


def hidden_models(tree: ast.Module) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions declared as models where none are supported: async ones, and those inside a block."""
    seen = {id(function) for function, _ in find_models(tree)}
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and id(node) not in seen
        and any(is_model_decorator(decorator) for decorator in node.decorator_list)
    ]


def is_model_decorator(node: ast.expr) -> bool:
    """Whether a decorator is `@model(…)`."""
    return isinstance(node, ast.Call) and last_name(node.func) == "model"


def constants_of(tree: ast.Module) -> dict[str, ast.expr]:
    """The names that are assigned exactly once at the module's top level."""
    found: dict[str, ast.expr] = {}
    twice: set[str] = set()
    for node in tree.body:
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign | ast.AugAssign):
            targets = [node.target]
        value = getattr(node, "value", None)
        for target in targets:
            for name in ast.walk(target):
                if isinstance(name, ast.Name):
                    if name.id in found or name is not target or isinstance(node, ast.AugAssign) or value is None:
                        twice.add(name.id)
                    else:
                        found[name.id] = value
    return {name: value for name, value in found.items() if name not in twice}


def read_declaration(
    function: ast.FunctionDef, decorator: ast.Call, constants: Mapping[str, ast.expr], file: str
) -> Declaration:
    """The decorator's arguments as literals.

    Raises:
        CompileError: one is computed (PythonModelUnsupported).
    """
    declaration = Declaration(function, decorator.lineno, constants=constants)
    reader = Literals(constants, file)
    if decorator.args:
        declaration.properties["name"] = Property(reader.value(decorator.args[0]), decorator.args[0].lineno)
    for keyword in decorator.keywords:
        value = reader.value(keyword.value)
        if keyword.arg is not None:
            declaration.properties[keyword.arg] = Property(value, keyword.value.lineno)
        elif isinstance(value, dict):
            for name, item in value.items():
                declaration.properties[str(name)] = Property(item, keyword.value.lineno)
    return declaration


@dataclass
class Literals:
    """Evaluates literal expressions without running code.

    Attributes:
        bound: values of names bound by a comprehension.
    """

    constants: Mapping[str, ast.expr]
    file: str
    depth: int = 0
    bound: Mapping[str, Any] = field(default_factory=dict)

    def value(self, node: ast.expr) -> Any:
        """The value of an expression.

        Raises:
            CompileError: it is computed (PythonModelUnsupported).
        """
        self.depth += 1
        try:
            if self.depth > 100:
                raise self.computed(node)
            return self._value(node)
        finally:
            self.depth -= 1

    def _value(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            return self._items(node.elts)
        if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
            return [inner.value(node.elt) for inner in self._each(node, node.generators)]
        if isinstance(node, ast.DictComp):
            return {str(inner.value(node.key)): inner.value(node.value) for inner in self._each(node, node.generators)}
        if isinstance(node, ast.Name) and node.id in self.bound:
            return self.bound[node.id]
        if isinstance(node, ast.Dict):
            return self._mapping(node)
        if isinstance(node, ast.Name) and node.id in self.constants:
            return self.value(self.constants[node.id])
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            number = self.value(node.operand)
            if isinstance(number, int | float):
                return -number
        if isinstance(node, ast.JoinedStr):
            return "".join(self._part(part) for part in node.values)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = self.value(node.left), self.value(node.right)
            if isinstance(left, str) and isinstance(right, str):
                return left + right
            if isinstance(left, list) and isinstance(right, list):
                return left + right
        raise self.computed(node)

    def _items(self, nodes: Sequence[ast.expr]) -> list[Any]:
        found: list[Any] = []
        for node in nodes:
            value = self.value(node.value if isinstance(node, ast.Starred) else node)
            if isinstance(node, ast.Starred) and not isinstance(value, list):
                raise self.computed(node)
            found.extend(value if isinstance(node, ast.Starred) else [value])
        return found

    def _each(self, node: ast.expr, generators: Sequence[ast.comprehension]) -> Iterator[Literals]:
        """Readers with the names of a comprehension bound to each item of its literal lists in turn."""
        if not generators:
            yield self
            return
        generator, *rest = generators
        items = self.value(generator.iter)
        if not isinstance(items, list) or generator.ifs or generator.is_async:
            raise self.computed(node)
        for item in items:
            bound = {**self.bound, **self._bind(generator.target, item)}
            yield from replace(self, bound=bound)._each(node, rest)

    def _bind(self, target: ast.expr, value: Any) -> dict[str, Any]:
        if isinstance(target, ast.Name):
            return {target.id: value}
        if isinstance(target, ast.Tuple) and isinstance(value, list) and len(value) == len(target.elts):
            return {
                name: item
                for inner, part in zip(target.elts, value, strict=True)
                for name, item in self._bind(inner, part).items()
            }
        raise self.computed(target)

    def _part(self, part: ast.expr) -> str:
        if isinstance(part, ast.FormattedValue) and part.format_spec is None:
            return str(self.value(part.value))
        return str(self.value(part))

    def _mapping(self, node: ast.Dict) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is not None:
                found[str(self.value(key))] = self.value(value)
                continue
            merged = self.value(value)
            if not isinstance(merged, dict):
                raise self.computed(value)
            found.update(merged)
        return found

    def _attribute(self, node: ast.Attribute) -> Any:
        """`ModelKindName.FULL`, `exp.DataType.Type.INT`: the name of an enumeration's member."""
        if isinstance(node.value, ast.Attribute) and node.attr in ("value", "name"):
            return self._attribute(node.value)
        if isinstance(node.value, ast.Name) and node.value.id not in self.constants and node.attr.isupper():
            return node.attr
        if last_name(node.value) in ("ModelKindName", "Type", "DType") and node.attr.isupper():
            return node.attr
        raise self.computed(node)

    def _call(self, node: ast.Call) -> Any:
        name = last_name(node.func)
        keywords: dict[str, Any] = {}
        for keyword in node.keywords:
            value = self.value(keyword.value)
            if keyword.arg is not None:
                keywords[keyword.arg] = value
            elif isinstance(value, dict):
                keywords.update(value)
        if name == "dict" and not node.args:
            return keywords
        if name in _KINDS:
            return {"name": _KINDS[name], **{key: value for key, value in keywords.items() if key != "name"}}
        if name == "TimeColumn" and not node.args:
            return keywords
        arguments = self._items(node.args)
        if name == "dict" and len(arguments) == 1 and isinstance(arguments[0], dict):
            return {**arguments[0], **keywords}
        if name in ("list", "tuple", "set", "frozenset") and len(arguments) == 1 and isinstance(arguments[0], list):
            return arguments[0]
        if name in _SQL_CALLS and arguments and all(isinstance(argument, str) for argument in arguments):
            return RawSql(arguments[0] if name != "column" or len(arguments) == 1 else ".".join(reversed(arguments)))
        if name in ("number", "string") and len(arguments) == 1:
            return RawSql(arguments[0]) if name == "number" else str(arguments[0])
        if name in ("date", "datetime") and len(arguments) >= 3 and all(isinstance(item, int) for item in arguments):
            year, month, day, *clock = arguments
            text = f"{year:04}-{month:02}-{day:02}"
            return f"{text} {':'.join(f'{part:02}' for part in [*clock, 0, 0, 0][:3])}" if clock else text
        raise self.computed(node)

    def computed(self, node: ast.expr) -> CompileError:
        """An error about an expression that would have to be run."""
        message = f"{text_of(node)} is computed, and the file is not run; write the value into @model"
        return CompileError(CompileCode.PythonModelUnsupported, message, self.file, getattr(node, "lineno", 1))


def last_name(node: ast.expr) -> str:
    """`model` of `sqlmesh.model`."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
