"""How much of a model may be loaded at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dbt_kinds.analysis.margins import NOTHING, Margin

# days an interval of the granularity counts for
_DAYS = {"day": 1, "week": 7, "month": 30, "quarter": 91, "year": 365}


@dataclass(frozen=True)
class Bound:
    """How far beyond the window a source is read: bounded, unbounded or not_derivable."""

    kind: str
    before: Margin = NOTHING
    after: Margin = NOTHING

    def worst(self, other: Bound) -> Bound:
        """Of two references to a source: not_derivable beats unbounded beats bounded, each side takes the largest."""
        for kind in ("not_derivable", "unbounded"):
            if kind in (self.kind, other.kind):
                return Bound(kind)
        return Bound("bounded", self.before.largest(other.before), self.after.largest(other.after))


@dataclass(frozen=True)
class BatchClass:
    """The class as it is reported, and the batch size in intervals; none for the whole window at once."""

    name: str
    batch_size: int | None


def batch_class(bounds: Mapping[str, Bound], granularity: str) -> BatchClass | None:
    """The class of a model by the bounds of its sources; none where one is not derivable."""
    if any(bound.kind == "not_derivable" for bound in bounds.values()):
        return None
    if any(bound.kind == "unbounded" for bound in bounds.values()):
        return BatchClass("per_partition_only", 1)
    if all(bound.before == bound.after == NOTHING for bound in bounds.values()):
        return BatchClass("fully_batch_safe", None)
    context = max(max(bound.before.days, bound.after.days) for bound in bounds.values())
    chunk = min(max(3 * context, 7), 90)
    if granularity == "minute":
        return BatchClass(f"bounded_safe(chunk={chunk}d,context={context}d)", chunk * 24 * 60)
    size = chunk * 24 if granularity == "hour" else -(-chunk // _DAYS[granularity])
    return BatchClass(f"bounded_safe(chunk={chunk}d,context={context}d)", size)
