"""Dotted addresses of models and sources, and their short names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


def short_names(addresses: Iterable[str]) -> dict[str, str]:
    """Maps each address to its last part, or to the whole address if several share that part."""
    addresses = set(addresses)
    leaves = {address: address.rpartition(".")[2] for address in addresses}
    shared = Counter(leaves.values())
    return {address: leaf if shared[leaf] == 1 else address for address, leaf in leaves.items()}
