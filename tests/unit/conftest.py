"""KINDS_EXAMPLES says how many examples a property of the planner is tried on; the smaller properties take a tenth."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "kinds",
    max_examples=int(os.environ.get("KINDS_EXAMPLES", "500")),
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("kinds")
