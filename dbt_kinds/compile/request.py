"""What `dbt-kinds compile` is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dbt_kinds.translation.target import VERSIONS


@dataclass(frozen=True)
class CompileRequest:
    """The arguments of the command."""

    source: Path
    out: Path
    tool: str | None = None
    adapter: str = "spark"
    spark: str = VERSIONS[0]
    name: str | None = None
    package: str | None = None
    run_macros: bool = False
    run_config: bool = False
    variables: Mapping[str, Any] = field(default_factory=dict)
    force: bool = False
    check: bool = False
    allow_downgrade: bool = False
    audits_as_tests: bool = False
    allow_delta: tuple[str, ...] = ()
