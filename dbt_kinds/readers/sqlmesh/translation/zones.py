"""Time zones as Spark knows them: by their registered spelling only; 'utc' is none."""

from __future__ import annotations

from functools import lru_cache
from zoneinfo import available_timezones

from sqlglot import exp


def spelt_zone(zone: exp.Expr) -> exp.Expr:
    """The zone as it is registered; what is no literal stays."""
    if isinstance(zone, exp.Literal) and zone.is_string:
        return exp.Literal.string(_zones().get(zone.name.lower(), zone.name))
    return zone


@lru_cache(maxsize=1)
def _zones() -> dict[str, str]:
    return {name.lower(): name for name in available_timezones()}
