"""How much more upstream models must build so that a rebuilt window finds rebuilt rows before and after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dbt_kinds.analysis.batches import Bound
from dbt_kinds.analysis.margins import Margin

Margins = dict[str, dict[str, tuple[Margin, Margin]]]


def backbuild_margins(order: Sequence[str], bounds: Mapping[str, Mapping[str, Bound]]) -> Margins:
    """For every model the margins of its direct and indirect readers: summed along a path, and the maximum over several
    paths on each side. An unbounded source has none, because there is no window to widen.

    Args:
        order: the models, parents first.
        bounds: by reader, then by what it reads.
    """
    margins: Margins = {}
    for reader in reversed(order):
        for parent, bound in bounds.get(reader, {}).items():
            if bound.kind != "bounded":
                continue
            further = {reader: (bound.before, bound.after)}
            for last, (before, after) in margins.get(reader, {}).items():
                further[last] = (before.plus(bound.before), after.plus(bound.after))
            known = margins.setdefault(parent, {})
            for last, (before, after) in further.items():
                least = known.get(last, (Margin(), Margin()))
                known[last] = (before.largest(least[0]), after.largest(least[1]))
    return margins
