"""SQLMesh's time variables, for which the package has macros with the same names."""

from __future__ import annotations

import re

_BOUNDS = ("start", "end", "execution", "latest")
_FORMS = ("dt", "dtntz", "date", "ds", "ts", "tstz", "epoch", "millis", "hour")
_NAME = re.compile(rf"({'|'.join(_BOUNDS)})_({'|'.join(_FORMS)})", re.IGNORECASE)


def time_variable(name: str) -> str | None:
    """The package's macro for a SQLMesh variable, None for others; `latest_` is the old prefix for execution."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    bound = found[1].lower().replace("latest", "execution")
    return f"{bound}_{found[2].lower()}"


def time_names() -> dict[str, str]:
    """All time variables of SQLMesh, with the package's macros."""
    names = [f"{bound}_{form}" for bound in _BOUNDS for form in _FORMS]
    return {name: time_variable(name) or name for name in names}


def has_window(name: str) -> bool:
    """Whether a time variable is a bound of the window; the execution time is known in every model."""
    return not name.startswith("execution")
