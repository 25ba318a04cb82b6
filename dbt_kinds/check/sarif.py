"""Findings in the Static Analysis Results Interchange Format (SARIF 2.1.0, OASIS), which code scanning reads.

The few objects that a finding needs are written by hand: the packages that model the whole schema are generated, larger
than this command, and unmaintained.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import dbt_kinds
from dbt_kinds.diagnostics import Code, Diagnostic
from dbt_kinds.verdicts import findings_in

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_log(told: Mapping[str, Any]) -> dict[str, Any]:
    """One run, with a result per finding and a rule per code."""
    found = list(findings_in(told))
    codes = sorted({one.code for _, one in found}, key=lambda code: code.name)
    driver = {"name": "dbt-kinds", "version": dbt_kinds.__version__, "rules": [_rule(code) for code in codes]}
    results = [_result(model, one, codes.index(one.code)) for model, one in found]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: Code) -> dict[str, Any]:
    return {"id": code.name, "shortDescription": {"text": code.meaning}}


def _result(model: str | None, found: Diagnostic, rule: int) -> dict[str, Any]:
    region = {"startLine": found.place.line}
    if found.place.column:
        region["startColumn"] = found.place.column
    # a relative URI below the checked folder
    artifact = {"uri": quote(found.place.file.replace("\\", "/")), "uriBaseId": "%SRCROOT%"}
    return {
        "ruleId": found.code.name,
        "ruleIndex": rule,
        "level": "warning" if found.severity == "warning" else "error",
        "message": {"text": f"{model}: {found.message}" if model else found.message},
        "locations": [{"physicalLocation": {"artifactLocation": artifact, "region": region}}],
    }
