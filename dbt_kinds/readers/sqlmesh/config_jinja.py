"""The Jinja of a configuration file, rendered without looking at the environment: the same file, the same text."""

from __future__ import annotations

import traceback
from dataclasses import dataclass, field
from typing import Any

from jinja2 import StrictUndefined, TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from dbt_kinds.errors import BadConfig

# what stands where a secret would, which nothing that is converted asks for
SECRET = "jinja"


@dataclass
class RenderedConfig:
    """A configuration as YAML.

    Attributes:
        defaulted: variables of the environment that were asked for with a default, which the text holds.
    """

    text: str = ""
    defaulted: list[str] = field(default_factory=list)


def render_config(text: str, file: str) -> RenderedConfig:
    """Renders a configuration as if no variable of the environment were set.

    Raises:
        BadConfig: its Jinja cannot be read, or asks for what is known only when the old tool runs.
    """
    rendered = RenderedConfig()

    def env_var(name: str, default: Any = None) -> Any:
        if default is not None and name not in rendered.defaulted:
            rendered.defaulted.append(name)
        return default

    jinja = ImmutableSandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True, finalize=_printed)
    try:
        rendered.text = jinja.from_string(text).render(env_var=env_var, user=lambda: None)
    except Exception as error:
        message = (
            f"has Jinja that cannot be rendered here: {error}; write the value, or env_var('<NAME>', '<default>'), "
            "which is rendered as its default"
        )
        raise BadConfig(message, file, _line_of(error)) from error
    return rendered


def _printed(value: Any) -> Any:
    return SECRET if value is None else value


def _line_of(error: Exception) -> int:
    """The line of the template, which Jinja puts into the traceback as if it were a file of Python."""
    if isinstance(error, TemplateSyntaxError):
        return error.lineno
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<template>"]
    return (lines[-1] if lines else None) or 1
