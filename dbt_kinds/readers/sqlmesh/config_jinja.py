"""Renders the Jinja of a configuration file independently of the environment: the same file gives the same text."""

from __future__ import annotations

import traceback
from dataclasses import dataclass, field
from typing import Any

from jinja2 import StrictUndefined, TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from dbt_kinds.codes import CompileCode
from dbt_kinds.errors import CompileError
from dbt_kinds.readers.sqlmesh.environment import placeholder

# a placeholder for secrets, which are not used by any converted setting
SECRET = "jinja"


@dataclass
class RenderedConfig:
    """A configuration as YAML.

    Attributes:
        defaulted: environment variables with a default, which is used in the text.
    """

    text: str = ""
    defaulted: list[str] = field(default_factory=list)


def render_config(text: str, file: str) -> RenderedConfig:
    """Renders a configuration as if no environment variables were set.

    Raises:
        CompileError: its Jinja cannot be read, or needs values known only when the source tool runs (BadConfig).
    """
    rendered = RenderedConfig()

    def env_var(name: str, default: Any = None) -> Any:
        if default is not None and name not in rendered.defaulted:
            rendered.defaulted.append(name)
        return placeholder(name) if default is None else default

    jinja = ImmutableSandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True, finalize=_printed)
    try:
        rendered.text = jinja.from_string(text).render(env_var=env_var, user=lambda: None)
    except Exception as error:
        message = (
            f"has Jinja that cannot be rendered here: {error}; write the value, or env_var('<NAME>', '<default>'), "
            "which is rendered as its default"
        )
        raise CompileError(CompileCode.BadConfig, message, file, _line_of(error)) from error
    return rendered


def _printed(value: Any) -> Any:
    return SECRET if value is None else value


def _line_of(error: Exception) -> int:
    """The line in the template, which Jinja puts into the traceback like that of a Python file."""
    if isinstance(error, TemplateSyntaxError):
        return error.lineno
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<template>"]
    return (lines[-1] if lines else None) or 1
