"""The functions that receive changes: `push` of `sinks/<name>.py` in the project."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dbt_kinds.errors import KindsError

Push = Callable[..., Any]


def read_function(project: Path, name: str) -> Push:
    """Loads the function `push` of a file in the project's folder `sinks`; it may import its sibling files.

    Raises:
        KindsError: there is no such file, it cannot be imported, or it has no function `push`.
    """
    file = project / "sinks" / f"{name}.py"
    if not file.is_file():
        raise KindsError(
            f"{file} does not exist; write it with a function push(changes, *args), or name another in sink"
        )
    if str(file.parent) not in sys.path:
        sys.path.append(str(file.parent))
    spec = importlib.util.spec_from_file_location(f"dbt_kinds_sink_{name}", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise KindsError(f"{file} cannot be imported: {type(error).__name__}: {error}") from error
    push = getattr(module, "push", None)
    if not callable(push):
        raise KindsError(f"{file} has no function push; write def push(changes, *args)")
    return push  # type: ignore[no-any-return]
