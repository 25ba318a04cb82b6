"""KINDS_EXAMPLES says how many examples a property is tried on; the smaller properties take a tenth."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from tests.sweep import size

settings.register_profile(
    "kinds",
    max_examples=size("KINDS_EXAMPLES", 250, full=5000),
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("kinds")
