"""A pytest plugin: what unit tests ask of macros that depend on their arguments alone, and what dbt-core's Jinja answers.

KINDS_RECORD=calls.json python -m pytest -p tests.fusion.recording tests/unit
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import math
import os
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import jinja2
import pytest
from jinja2 import meta, nodes

from tests.unit.engines import parsed
from tests.unit.macros import MACROS, CompilerError, Macros

# of each macro; those whose digests are the smallest, so that all tests have a share
CALLS, FAILING_CALLS = 400, 4
# what a macro may use and still depends on its arguments alone
CONSTANT = {
    "dbt_kinds",
    "return",
    "exceptions",
    "modules",
    "tojson",
    "fromjson",
    "local_md5",
    "varargs",
    "kwargs",
    "caller",
}
_GLOBALS = set(jinja2.Environment().globals)


@functools.cache
def pure_macros() -> frozenset[str]:
    """The macros that use nothing of dbt's context, themselves or by what they call."""
    calls: dict[str, set[str]] = {}
    impure = set()
    for file in MACROS.rglob("*.sql"):
        for macro in parsed(file.read_text()).find_all(nodes.Macro):
            alone = nodes.Template([macro], lineno=1)
            # imported names are looked for by an environment
            alone.set_environment(jinja2.Environment())
            # a name that is set in one branch only is among the undeclared ones
            stored = {name.name for name in macro.find_all(nodes.Name) if name.ctx != "load"}
            if meta.find_undeclared_variables(alone) - CONSTANT - _GLOBALS - stored:
                impure.add(macro.name)
            calls[macro.name] = {
                node.attr
                for node in macro.find_all(nodes.Getattr)
                if isinstance(node.node, nodes.Name) and node.node.name == "dbt_kinds"
            }
    while reaching := {name for name in calls if name not in impure and calls[name] & impure}:
        impure |= reaching
    return frozenset(calls) - impure


def literal(value: Any) -> str:
    """An expression of Jinja that is a value.

    Raises:
        TypeError: there is none.
    """
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)) and math.isfinite(value):
        return repr(value) if value >= 0 else f"({value!r})"
    if isinstance(value, str):
        escaped = (
            value.replace("\\", "\\\\")
            .replace("'", "\\'")
            .replace("\n", "\\n")
            .replace("\r", "\\r")
            .replace("\t", "\\t")
        )
        return f"'{escaped}'"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(key)}: {literal(inner)}" for key, inner in value.items()) + "}"
    if type(value) in (list, tuple):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, datetime) and value.tzinfo is None:
        return f"modules.datetime.datetime.fromisoformat('{value.isoformat()}')"
    if type(value) is date:
        return f"modules.datetime.date({value.year}, {value.month}, {value.day})"
    raise TypeError(f"no literal of {type(value)}")


def shown(value: Any) -> Any:
    """What a macro returned, in the form in which the replay's macro of this name shows it.

    Raises:
        TypeError: it cannot be shown.
    """
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, dict):
        return {str(key): shown(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [shown(inner) for inner in value]
    if isinstance(value, date):
        return {"instant": value.isoformat()}
    raise TypeError(f"cannot show {type(value)}")


class _Recorder:
    def __init__(self) -> None:
        self.inside = 0
        self.calls: dict[str, dict[str, dict[str, Any]]] = {}
        self.seen: set[str] = set()

    def recorded(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """The same call, which is written down when no other pure macro made it."""

        def record(*args: Any, **kwargs: Any) -> Any:
            if self.inside:
                return call(*args, **kwargs)
            text = self._text(name, args, kwargs)
            self.inside += 1
            try:
                result = call(*args, **kwargs)
            except CompilerError as error:
                self._keep(name, text, {"fails": str(error)})
                raise
            finally:
                self.inside -= 1
            with contextlib.suppress(TypeError):
                self._keep(name, text, {"answer": shown(result)})
            return result

        return record

    def _text(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        try:
            given = [*map(literal, args), *(f"{key}={literal(value)}" for key, value in kwargs.items())]
        except TypeError:
            return ""
        text = f"dbt_kinds.{name}({', '.join(given)})"
        return text if len(text) < 20_000 else ""

    def _keep(self, name: str, text: str, outcome: dict[str, Any]) -> None:
        self.seen.add(name)
        if not text:
            return
        kept = self.calls.setdefault(name + "!" * ("fails" in outcome), {})
        digest = hashlib.md5(text.encode()).hexdigest()
        limit = FAILING_CALLS if "fails" in outcome else CALLS
        if digest in kept or (len(kept) == limit and digest > max(kept)):
            return
        kept[digest] = {"macro": name, "call": text, **outcome}
        if len(kept) > limit:
            del kept[max(kept)]


_RECORDER = _Recorder()


def pytest_configure() -> None:
    """Records from here on."""
    returning = Macros._returning

    def named(name: str, module: Callable[[], Any]) -> Any:
        call = returning(name, module)
        return _RECORDER.recorded(name, call) if name in pure_macros() else call

    Macros._returning = staticmethod(named)  # type: ignore[method-assign]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Writes down all calls."""
    calls = [call for kept in _RECORDER.calls.values() for _, call in sorted(kept.items())]
    Path(os.environ["KINDS_RECORD"]).write_text(json.dumps({"pure": sorted(pure_macros()), "calls": calls}))
