"""Runs a config.py, as a program of its own: `python -m dbt_kinds.readers.sqlmesh.config_process FILE`.

SQLMesh's and Vulcan's classes are stand-ins that keep what they are given, whether these tools are installed or not; so
is what else the project imports and is not installed. The environment is as if no variable were set. The last line of
the output is JSON: `{settings, computed, defaulted, unset}`, see `config_run`.
"""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.machinery
import json
import os
import runpy
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Any

from dbt_kinds.readers.sqlmesh.environment import placeholder, variables_in

# a text that contains what only the tool itself knows
_COMPUTED = "⟦computed⟧"
# what Python and its libraries need
_KEPT = ("PATH", "HOME", "LANG", "TMPDIR", "SYSTEMROOT")
# read from files beside the project, which may hold secrets
_NEVER_REAL = ("sqlmesh", "vulcan", "dotenv")


class _Opaque:
    """A value that is not known here: whatever is done with it is not known either."""

    def __call__(self, *args: Any, **rest: Any) -> _Opaque:
        del args, rest
        return self

    def __getattr__(self, name: str) -> _Opaque:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, key: Any) -> _Opaque:
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __str__(self) -> str:
        return _COMPUTED

    def __fspath__(self) -> str:
        return _COMPUTED


class _Class(type):
    """The type of stand-ins for classes: what is asked of such a class itself is not known."""

    def __getattr__(cls, name: str) -> _Opaque:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Opaque()


class _Settings(metaclass=_Class):
    """A stand-in for an object of the tool's, such as `Config(…)`: the arguments it was made from."""

    def __init__(self, *args: Any, **given: Any) -> None:
        """Keeps the named arguments."""
        del args
        self.__dict__.update(given)

    def __getattr__(self, name: str) -> _Opaque:
        """What it was not given."""
        if name.startswith("__"):
            raise AttributeError(name)
        return _Opaque()

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> dict[str, str]:
        """Lets pydantic, which is real where it is installed, take any value for one."""
        del source, handler
        return {"type": "any"}

    def given(self) -> dict[str, Any]:
        """Its settings: those of its classes in the project, and its arguments."""
        found: dict[str, Any] = {}
        for one in reversed(type(self).__mro__):
            if one not in _Settings.__mro__:
                found.update({name: value for name, value in vars(one).items() if _is_setting(name, value)})
        name = type(self).__name__
        if name.endswith("ConnectionConfig"):
            found = {"type": name.removesuffix("ConnectionConfig").lower(), **found}
        return {**found, **vars(self)}


def _is_setting(name: str, value: Any) -> bool:
    return not name.startswith("_") and not isinstance(
        value, types.FunctionType | classmethod | staticmethod | property
    )


class _Module(types.ModuleType):
    """A stand-in for a module; a name with a capital letter is a class."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value: Any = _Class(name, (_Settings,), {"__module__": "standin"}) if name[0].isupper() else _Opaque()
        setattr(self, name, value)
        return value


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds stand-ins for the modules for which it is asked to."""

    def __init__(self, stands_in: Callable[[str], bool]) -> None:
        self._stands_in = stands_in

    def find_spec(self, name: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        del path, target
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if self._stands_in(name) else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        del module


def _is_tools(name: str) -> bool:
    return name.split(".")[0] in _NEVER_REAL


def _is_imported_by(root: Path) -> bool:
    """Whether the import under way stands in a file of the project: libraries try out what may not be there."""
    frame = sys._getframe(1)
    while frame.f_back is not None and (
        frame.f_code.co_filename == __file__ or frame.f_code.co_filename.startswith("<frozen importlib")
    ):
        frame = frame.f_back
    return Path(frame.f_code.co_filename).is_relative_to(root)


class _Environment(dict[str, str]):
    """The environment as if no variable were set; what is asked for without a default is a placeholder."""

    def __init__(self, kept: Mapping[str, str]) -> None:
        super().__init__(kept)
        self.asked: list[str] = []
        self.defaulted: list[str] = []

    def __missing__(self, name: str) -> str:
        if not isinstance(name, str):
            # as os.environ does; Python itself asks so before it starts a program
            raise TypeError("str expected")
        self.asked.append(name)
        return placeholder(name)

    def get(self, name: str, default: Any = None) -> Any:
        if name in self or default is None:
            return self[name]
        self.defaulted.append(name)
        return default


class _NumberType(type):
    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, cls.__mro__[1])


class _Integer(int, metaclass=_NumberType):
    """`int` for a text that may be a placeholder."""

    def __new__(cls, value: Any = 0, *args: Any) -> Any:
        return _Opaque() if _is_unknown(value) else int(value, *args)


class _Real(float, metaclass=_NumberType):
    """`float` for a text that may be a placeholder."""

    def __new__(cls, value: Any = 0.0) -> Any:
        return _Opaque() if _is_unknown(value) else float(value)


def _is_unknown(value: Any) -> bool:
    return isinstance(value, _Opaque) or bool(variables_in(value))


class _Plain:
    """Turns settings into what JSON has, and notes which of them are not known."""

    def __init__(self) -> None:
        self.computed: list[str] = []

    def mapping(self, given: Mapping[Any, Any], place: str = "") -> dict[str, Any]:
        found = {}
        for key, value in given.items():
            name = f"{place}.{key}" if place else str(key)
            if _is_unknown(key):
                self.computed.append(place or "a key")
                continue
            with contextlib.suppress(ValueError):
                found[str(key)] = self._value(value, name)
        return found

    def _value(self, value: Any, name: str) -> Any:
        if isinstance(value, _Settings):
            return self.mapping(value.given(), name)
        if isinstance(value, Mapping):
            return self.mapping(value, name)
        if isinstance(value, list | tuple | set | frozenset):
            return [self._value(item, name) for item in value]
        if isinstance(value, Enum):
            return self._value(value.value, name)
        if isinstance(value, date | Path):
            value = value.isoformat() if isinstance(value, date) else str(value)
        if isinstance(value, str) and _COMPUTED not in value:
            return str(value)
        if value is None or isinstance(value, bool | int | float):
            return value
        self.computed.append(name)
        raise ValueError(name)


def run(file: Path) -> dict[str, Any]:
    """The settings of a config.py, as `config_run` describes them."""
    environment = _Environment({name: os.environ[name] for name in _KEPT if name in os.environ})
    # what the project sets in it is its own affair
    os.environ = environment  # type: ignore[assignment]  # noqa: B003
    sys.meta_path.insert(0, _Finder(_is_tools))
    folders = _folders_around(file.parent)
    sys.meta_path.append(_Finder(lambda name: _is_imported_by(folders[-1])))
    sys.path = [str(file.parent), *sys.path, *map(str, folders[1:])]
    os.chdir(file.parent)
    with contextlib.redirect_stdout(sys.stderr):
        names = runpy.run_path(str(file), {"int": _Integer, "float": _Real}, run_name="config")
    plain = _Plain()
    settings = plain.mapping(_stated(names))
    unset = [name for name in environment.asked if name not in variables_in(settings)]
    return {
        "settings": settings,
        "computed": plain.computed,
        "defaulted": list(dict.fromkeys(environment.defaulted)),
        "unset": list(dict.fromkeys(unset)),
    }


def _folders_around(root: Path) -> list[Path]:
    """A folder and those around it, up to that of the repository, from which an installed project imports."""
    found = [root]
    while not (found[-1] / ".git").exists() and found[-1] != found[-1].parent:
        found.append(found[-1].parent)
    return found if (found[-1] / ".git").exists() else [root]


def _stated(names: Mapping[str, Any]) -> Mapping[str, Any]:
    config = names.get("config")
    if isinstance(config, _Settings):
        return config.given()
    if isinstance(config, Mapping):
        return config
    made = [value for value in names.values() if isinstance(value, _Settings) and type(value).__name__ == "Config"]
    if len(made) == 1:
        return made[0].given()
    return {name: names[name] for name in ("model_defaults", "variables") if name in names}


if __name__ == "__main__":
    print(json.dumps(run(Path(sys.argv[1]).resolve())))
