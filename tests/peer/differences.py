from __future__ import annotations
from dataclasses import dataclass
@dataclass(frozen=True)
class Difference:
    sequence: str
    model: str
    engines: tuple[str, ...]
    steps: dict
DIFFERENCES: tuple[Difference, ...] = ()
