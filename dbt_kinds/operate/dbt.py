"""dbt, called inside this process."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dbt_kinds.errors import DbtFailedError


@dataclass(frozen=True)
class DbtOptions:
    """Where dbt runs and against what, in the words of dbt's own options."""

    project_dir: str | None = None
    profiles_dir: str | None = None
    profile: str | None = None
    target: str | None = None
    variables: Mapping[str, Any] = field(default_factory=dict)

    def arguments(self) -> list[str]:
        """The options as dbt's command line takes them."""
        given = {
            "--project-dir": self.project_dir,
            "--profiles-dir": self.profiles_dir,
            "--profile": self.profile,
            "--target": self.target,
            "--vars": json.dumps(dict(self.variables), default=str) if self.variables else None,
        }
        return [part for name, value in given.items() if value is not None for part in (name, value)]


def invoke(
    command: Sequence[str], options: DbtOptions, *, quiet: bool, on_line: Callable[[str], None] | None = None
) -> None:
    """Runs one dbt command, handing every line that a macro logs to `on_line`.

    Raises:
        DbtFailedError: dbt reported an error; the message is dbt's.
    """
    # dbt takes a second to import
    from dbt.cli.main import dbtRunner

    errors: list[str] = []

    def listen(event: Any) -> None:
        if event.info.name == "JinjaLogInfo" and on_line is not None:
            on_line(event.data.msg)
        elif event.info.level == "error":
            errors.append(event.info.msg)

    log_level = ["--log-level", "none"] if quiet else []
    result = dbtRunner(callbacks=[listen]).invoke([*log_level, *command, *options.arguments()])
    if not result.success:
        raise DbtFailedError(str(result.exception or "\n".join(errors) or f"dbt {command[0]} failed"))


def run_operation(name: str, arguments: Mapping[str, Any], options: DbtOptions) -> dict[str, Any]:
    """Calls an operation of the package and returns the JSON line it logs.

    Raises:
        DbtFailedError: the operation raised an error, or the package is not installed in the project.
    """
    answers: list[dict[str, Any]] = []

    def listen(line: str) -> None:
        if line.startswith('{"operation": '):
            answers.append(json.loads(line))

    command = ["run-operation", f"dbt_kinds.{name}", "--args", json.dumps(dict(arguments))]
    invoke(command, options, quiet=True, on_line=listen)
    return answers[-1]
