"""YAML in a readable style: indented lists, plain strings where possible, original order."""

from __future__ import annotations

from typing import Any

import yaml

_Base: Any = yaml.SafeDumper


class _Dumper(_Base):  # type: ignore[misc]
    def increase_indent(self, flow: bool = False, indentless: bool = False) -> Any:
        return super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: Any, data: str) -> Any:
    style = "|" if "\n" in data and not any(line.endswith(" ") for line in data.splitlines()) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", data, style=style)


_Dumper.add_representer(str, _text)


def yaml_text(value: Any) -> str:
    """A value as YAML text."""
    text: str = yaml.dump(
        value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120, default_flow_style=False
    )
    return text
