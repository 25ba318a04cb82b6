"""The package's macros as Python functions: jinja2 alone renders them, as dbt would call them."""

from __future__ import annotations

import datetime
import functools
import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from types import CodeType, SimpleNamespace
from typing import Any

import jinja2.environment
import jinja2.sandbox
import pytz

from dbt_kinds.dbt_package import package_folder

MACROS = package_folder() / "macros"


class CompilerError(Exception):
    """What dbt's exceptions.raise_compiler_error raises."""


class _Returned(Exception):  # noqa: N818 (a jump out of a macro, no error)
    def __init__(self, value: Any) -> None:
        self.value = value


def _return(value: Any = None) -> None:
    raise _Returned(value)


def raise_compiler_error(message: str) -> None:
    """What dbt has under that name."""
    raise CompilerError(message)


def variable_of(variables: dict[str, Any]) -> Callable[..., Any]:
    """What dbt has as var()."""
    return lambda name, default=None: variables.get(name, default)


_EXTENSIONS = ("jinja2.ext.do", "jinja2.ext.loopcontrols")
# dbt's
_SANDBOX = jinja2.sandbox.SandboxedEnvironment(extensions=_EXTENSIONS)
# a third faster
_PLAIN = jinja2.Environment(extensions=_EXTENSIONS)

# what dbt hands over of each, no more
_MODULES = {
    "datetime": {name: getattr(datetime, name) for name in ("date", "datetime", "time", "timedelta", "tzinfo")},
    "re": {name: getattr(re, name) for name in re.__all__},
    "pytz": {name: getattr(pytz, name) for name in pytz.__all__},
}


@functools.cache
def _files() -> list[tuple[tuple[str, ...], Path]]:
    """The names of the macros of each file."""
    return [
        (tuple(re.findall(r"{% macro (\w+)\(", plain_macros(file.read_text()))), file)
        for file in sorted(MACROS.rglob("*.sql"))
    ]


@functools.cache
def _compiled(file: Path, environment: jinja2.Environment) -> CodeType:
    # jinja2 does not export names that begin with an underscore; dbt renames all of them like this
    renamed = re.sub(r"{% macro (\w+)\(", r"{% macro dbt_macro__\1(", plain_macros(file.read_text()))
    return environment.compile(renamed, filename=str(file))


def plain_macros(text: str) -> str:
    """The text of a file as jinja2 alone reads it: generic tests as the macros that dbt makes of them, no
    materializations, which run in dbt only.
    """
    text = re.sub(r"(?s){% materialization .*?{% endmaterialization %}", "", text)
    return re.sub(r"{% test (\w+)\(", r"{% macro test_\1(", text).replace("{% endtest %}", "{% endmacro %}")


class Macros:
    """Every macro of the package as a Python function; `dbt_kinds.x(...)` inside a macro finds it here."""

    def __init__(
        self,
        *,
        variables: dict[str, Any] | None = None,
        arguments: dict[str, Any] | None = None,
        environment: dict[str, str] | None = None,
        adapter_type: str = "spark",
        node: dict[str, Any] | None = None,
        clock: datetime.datetime = datetime.datetime(2024, 1, 10, 8, 0, 0),
        is_sandboxed: bool = True,
        **of_dbt: Any,
    ) -> None:
        """`variables`, `arguments` and `environment` are those of the run, `of_dbt` what else dbt's context has.

        Args:
            is_sandboxed: whether macros may only do what dbt's sandbox allows; without it they are faster.
        """
        self._functions: dict[str, Any] = {}
        self._environment = _SANDBOX if is_sandboxed else _PLAIN
        context: dict[str, Any] = {
            **self._environment.globals,
            "dbt_kinds": self._functions,
            "return": _return,
            "exceptions": SimpleNamespace(raise_compiler_error=raise_compiler_error),
            "modules": _MODULES,
            "var": variable_of(variables or {}),
            "invocation_args_dict": arguments or {},
            "env_var": lambda name, default=None: (environment or {}).get(name, default),
            "run_started_at": clock.replace(tzinfo=pytz.utc),
            "adapter": SimpleNamespace(
                type=lambda: adapter_type,
                quote=lambda name: f"`{name}`",
                dispatch=lambda name, package: self.dispatched(name, adapter_type),
            ),
            "execute": True,
            "dbt_version": "1.11.0",
            "graph": {"nodes": {}},
            "model": node or {},
            "tojson": json.dumps,
            "fromjson": json.loads,
            "local_md5": lambda text: hashlib.md5(text.encode()).hexdigest(),
            **of_dbt,
        }
        self._context = context
        for names, file in _files():
            module = self._module_when_asked(file)
            self._functions.update({name: self._returning(name, module) for name in names})

    def _module_when_asked(self, file: Path) -> Callable[[], Any]:
        """The macros of a file, which is compiled when one of them is called: a run needs a part of the package."""

        @functools.cache
        def module() -> Any:
            template = jinja2.Template.from_code(self._environment, _compiled(file, self._environment), {})
            # all files share one context, so that it can be changed for all at once
            return jinja2.environment.TemplateModule(template, template.new_context(self._context, shared=True))

        return module

    def dispatched(self, name: str, adapter_type: str) -> Any:
        """What adapter.dispatch finds of ours for an adapter."""
        return self._functions.get(f"{adapter_type}__{name}") or self._functions[f"default__{name}"]

    def change_context(self, **of_dbt: Any) -> None:
        """Lets the macros see another part of dbt's context, as another invocation has it."""
        self._context.update(of_dbt)

    def replace(self, macros: dict[str, Any]) -> None:
        """Lets functions take the places of macros of those names, also where other macros call them."""
        self._functions.update(macros)

    @staticmethod
    def _returning(name: str, module: Callable[[], Any]) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return str(getattr(module(), f"dbt_macro__{name}")(*args, **kwargs)).strip()
            except _Returned as returned:
                return returned.value

        return call

    def __getattr__(self, name: str) -> Any:
        """A macro by its name."""
        try:
            return self._functions[name]
        except KeyError:
            raise AttributeError(name) from None
