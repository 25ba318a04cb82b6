"""Findings about a project of OndatraSQL, which `check` prints and the report of `compile` has among its notes."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import replace

from dbt_kinds.diagnostics import Diagnostic, Severity

_IN_REPORT: Mapping[Severity, Severity] = {"error": "refused", "warning": "person", "info": "note"}
_IN_CHECK: Mapping[Severity, Severity] = {"refused": "error", "wrong_use": "error", "person": "warning", "note": "info"}


def in_report(finding: Diagnostic) -> Diagnostic:
    """The same as a line of the report of `dbt-kinds compile`."""
    return replace(finding, severity=_IN_REPORT[finding.severity])


def in_check(severity: Severity) -> Severity:
    """How much a note of the report weighs among the findings."""
    return _IN_CHECK[severity]


def in_order(findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Findings by their places."""
    return sorted(findings, key=lambda finding: finding.sorted_by)


def nearest(name: str, known: Iterable[str]) -> str:
    """` (did you mean …?)`, or empty if no known name is similar."""
    found = difflib.get_close_matches(name.lower(), list(known), 1)
    return f" (did you mean {found[0]}?)" if found else ""
