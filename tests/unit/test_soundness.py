"""Soundness, by execution in DuckDB: what the classifier admits gives the same rows on slices of time as on the whole."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, assume, event, given, settings

from tests.soundness.duckdb_engine import DuckDBEngine
from tests.soundness.trials import Case, cases, classified, trial_of
from tests.sweep import size

EXAMPLES = size("KINDS_EXAMPLES", 100, full=3000)


@pytest.fixture(scope="module")
def engine() -> DuckDBEngine:
    return DuckDBEngine()


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate, Phase.target, Phase.shrink),
)
@given(case=cases())
def test_slices_with_pushdown_add_up_to_the_whole(engine: DuckDBEngine, case: Case) -> None:
    verdict = classified(case)
    event("admitted" if verdict.is_admitted else "refused")
    for finding in verdict.findings:
        event(finding.code.name)
    assume(verdict.is_admitted)
    assert engine.differences([trial_of(case, verdict)]) == []
