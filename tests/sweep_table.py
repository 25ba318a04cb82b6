"""Counts anew what the sweep runs, for the table of it in CONTRIBUTING.md.

    .venv/bin/python -m tests.sweep_table

A row is of a file, or of the files of a folder that have none of their own. What the sweep runs of them is written by hand: a file without a row is named.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tests import sweep

GUIDE = Path(__file__).parent.parent / "CONTRIBUTING.md"
ROW = re.compile(r"^\| `(tests/[^`]+)` \| (.+?) \|[\d, ]+\|[\d, ]+\|$", re.MULTILINE)
TOTAL = re.compile(r"^\| all \| \| .+ \|$", re.MULTILINE)


def collected(*arguments: str) -> list[str]:
    """The ids of the tests that pytest would run. In a process of its own: which tests there are is decided when their files are imported."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", *arguments, "tests"]
    found = subprocess.run(command, cwd=GUIDE.parent, capture_output=True, text=True)
    if found.returncode != 0:
        raise SystemExit(found.stdout + found.stderr)
    return [line for line in found.stdout.splitlines() if "::" in line]


def main() -> None:
    """Writes the numbers.

    Raises:
        SystemExit: a file has no row, or a row no test.
    """
    usual = set(collected())
    counters = Counter[str](), Counter[str]()
    for nodeid in collected("--sweep"):
        counters[nodeid in usual][sweep.file_of(nodeid)] += 1
    left_out, larger = counters
    text = GUIDE.read_text("utf-8")
    rows = {path: (Counter[str](), Counter[str]()) for path, _ in ROW.findall(text)}
    without_row = set()
    for place, counter in enumerate(counters):
        for file, number in counter.items():
            owner = next((path for path in (file, *map(str, Path(file).parents)) if path in rows), None)
            if owner is None:
                without_row.add(file)
            else:
                rows[owner][place][file] = number
    if without_row:
        raise SystemExit(f"{GUIDE.name} has no row for {', '.join(sorted(without_row))}")
    empty = [path for path, counters in rows.items() if not any(counters)]
    if empty:
        raise SystemExit(f"the sweep runs nothing of {', '.join(empty)}")

    def row(found: re.Match[str]) -> str:
        return f"| `{found[1]}` | {found[2]} |{''.join(cell(counter.total()) for counter in rows[found[1]])}"

    totals = f"| all | | {left_out.total():,} of {len(usual) + left_out.total():,} | {larger.total():,} |"
    GUIDE.write_text(TOTAL.sub(totals, ROW.sub(row, text)), "utf-8")


def cell(count: int) -> str:
    return f" {count:,} |" if count else " |"


if __name__ == "__main__":
    main()
