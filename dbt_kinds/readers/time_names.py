"""SQLMesh's time variables, which are the package's macros of the same names."""

from __future__ import annotations

import re

_NAME = re.compile(r"(start|end|execution|latest)_(dt|dtntz|date|ds|ts|tstz|epoch|millis|hour)", re.IGNORECASE)


def time_variable(name: str) -> str | None:
    """The package's macro for a variable of SQLMesh, None for others; `latest_` is its old word for execution."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    bound = found[1].lower().replace("latest", "execution")
    return f"{bound}_{found[2].lower()}"


def has_window(name: str) -> bool:
    """Whether a time variable is a bound of the window; the execution time is known in every model."""
    return not name.startswith("execution")
