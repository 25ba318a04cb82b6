"""How much of a model may be loaded in one batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dbt_kinds.analysis.margins import DAY, NOTHING, Margin
from dbt_kinds.analysis.units import typical_length


@dataclass(frozen=True)
class Bound:
    """How far beyond the window a source is read: bounded, unbounded or not_derivable."""

    kind: str
    before: Margin = NOTHING
    after: Margin = NOTHING

    def worst(self, other: Bound) -> Bound:
        """Merges two references to one source: not_derivable beats unbounded beats bounded, and each side takes the
        larger.
        """
        for kind in ("not_derivable", "unbounded"):
            if kind in (self.kind, other.kind):
                return Bound(kind)
        return Bound("bounded", self.before.largest(other.before), self.after.largest(other.after))


@dataclass(frozen=True)
class BatchClass:
    """The class as reported, and the batch size in intervals; None for the whole window at once."""

    name: str
    batch_size: int | None


def batch_class(bounds: Mapping[str, Bound], granularity: str) -> BatchClass | None:
    """The class of a model given the bounds of its sources; None if one of them is not derivable."""
    if any(bound.kind == "not_derivable" for bound in bounds.values()):
        return None
    if any(bound.kind == "unbounded" for bound in bounds.values()):
        return BatchClass("per_partition_only", 1)
    if all(bound.before == bound.after == NOTHING for bound in bounds.values()):
        return BatchClass("fully_batch_safe", None)
    context = max(max(bound.before.days, bound.after.days) for bound in bounds.values())
    chunk = min(max(3 * context, 7), 90)
    size = -(-chunk * DAY // typical_length(granularity))
    return BatchClass(f"bounded_safe(chunk={chunk}d,context={context}d)", size)
