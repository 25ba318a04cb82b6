"""Writes the pictures of the manual, docs/pictures/**/*.svg. A test finds those that are not up to date.

python docs/.pictures/write.py
"""

from __future__ import annotations

from pathlib import Path

import concepts
from rows import KINDS, draw_rows
from terminals import terminals

FOLDER = Path(__file__).parents[1] / "pictures"


def pictures() -> dict[str, str]:
    """The text of each file, by its path in the folder of pictures."""
    drawn = {
        "gap": concepts.gap(),
        "intervals": concepts.intervals(),
        "restatement": concepts.restatement(),
        "store": concepts.store(),
        "late-data": concepts.late_data(),
        "audits": concepts.audits(),
        "readiness": concepts.readiness(),
        "one-run": concepts.one_run(),
        "which-kind": concepts.which_kind(),
    }
    drawn |= {f"kinds/{rows.kind}": draw_rows(rows) for rows in KINDS}
    texts = {name: drawing.svg() for name, drawing in drawn.items()}
    texts |= {f"terminal/{name}": text for name, text in terminals().items()}
    return {f"{name}.svg": text for name, text in texts.items()}


def main() -> None:
    """Brings all pictures up to date."""
    wanted = pictures()
    for file in FOLDER.rglob("*.svg"):
        if file.relative_to(FOLDER).as_posix() not in wanted:
            file.unlink()
    for name, text in wanted.items():
        file = FOLDER / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
