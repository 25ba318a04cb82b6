"""Environment variables without a default in a configuration: only dbt knows their values, by its own `env_var`."""

from __future__ import annotations

import re
from typing import Any

_PLACEHOLDER = re.compile(r"⟦env (\w+)⟧")


class Unset(str):
    """What stands for a variable's value while a project is read: not set where a configuration asks for it."""

    __slots__ = ()

    def __bool__(self) -> bool:
        """As if the variable were not set."""
        return False


def placeholder(name: str) -> Unset:
    """What stands for a variable's value."""
    return Unset(f"⟦env {name}⟧")


def variables_in(value: Any) -> list[str]:
    """The variables in a configured value, however nested."""
    if isinstance(value, dict):
        return [name for item in value.values() for name in variables_in(item)]
    if isinstance(value, list | tuple):
        return [name for item in value for name in variables_in(item)]
    return _PLACEHOLDER.findall(value) if isinstance(value, str) else []


def jinja_of(value: str) -> str:
    """A configured text as an expression of dbt's: `'raw_' ~ env_var('STAGE')`."""
    parts = enumerate(_PLACEHOLDER.split(value))
    return " ~ ".join(f"env_var('{part}')" if number % 2 else repr(part) for number, part in parts if part)
