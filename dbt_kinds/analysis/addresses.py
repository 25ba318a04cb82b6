"""Dotted addresses of models and sources, and the short names that people know them by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


def short_names(addresses: Iterable[str]) -> dict[str, str]:
    """The last part of each address; the whole address where several share that."""
    addresses = set(addresses)
    leaves = {address: address.rpartition(".")[2] for address in addresses}
    shared = Counter(leaves.values())
    return {address: leaf if shared[leaf] == 1 else address for address, leaf in leaves.items()}
