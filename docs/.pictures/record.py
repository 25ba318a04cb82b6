"""Records what the demonstration prints, for the pictures of terminals: recordings/*.txt, and the report of its tables.

python docs/.pictures/record.py    # some minutes, and Spark
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
RECORDINGS = HERE / "recordings"
REPORT = HERE.parent / "pictures" / "report.html"
COLUMNS = 112
COLOUR = re.compile(r"\x1b\[[\d;]*m")
RULE = re.compile(r"^─+ (.+?) ─+$")
# of a run, what the models say and how they end; without the clock, and without tests
TOLD = re.compile(r"dbt_kinds: (?!looks)| of \d+ (OK|ERROR|SKIP) created|Done\.")
CLOCK = re.compile(r"\d\d:\d\d:\d\d  ")


def main() -> None:
    """Runs the demonstration, cuts out what is shown, and writes the report of its tables, which lack a week again."""
    with tempfile.TemporaryDirectory() as folder:
        printed = _run(Path.cwd(), "dbt-kinds", "demo", "--dir", folder + "/demo")
        RECORDINGS.mkdir(exist_ok=True)
        for name, text in recordings(printed).items():
            (RECORDINGS / f"{name}.txt").write_text(text, encoding="utf-8")
        project, time = Path(folder) / "demo" / "project", "{kinds_execution_time: 2013-07-02}"
        # with the gap of the first picture
        week = "{select: departures_hourly, start: 2013-06-03, end: 2013-06-10}"
        _run(project, "dbt", "run-operation", "dbt_kinds.forget", "--args", week, "--vars", time)
        _run(project, "dbt-kinds", "report", "--vars", time, "--html", str(REPORT))


def recordings(printed: str) -> dict[str, str]:
    """What is shown of the demonstration: a command, and what it answered."""
    parts: dict[str, list[str]] = {}
    title = ""
    for line in printed.splitlines():
        if rule := RULE.match(COLOUR.sub("", line)):
            title = rule[1]
        parts.setdefault(title, []).append(line)

    def part(begins: str) -> list[str]:
        return next(lines for title, lines in parts.items() if title.startswith(begins))

    return {
        "gap": _answer("dbt-kinds status", part("Forget the week")),
        "run": "\n".join(["$ dbt build", *_of_models(part("And run: only that week"))]) + "\n",
        "plan": _answer("dbt-kinds plan", part("Load the week")),
    }


def _answer(command: str, lines: list[str]) -> str:
    first = next(at for at, line in enumerate(lines) if COLOUR.sub("", line) == f"$ {command}")
    return "\n".join([f"$ {command}", *lines[first + 1 :]]).rstrip() + "\n"


def _of_models(lines: list[str]) -> list[str]:
    return [CLOCK.sub("", line, count=1) for line in lines if TOLD.search(line)]


def _run(folder: Path, *command: str) -> str:
    environment = os.environ | {"FORCE_COLOR": "1", "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
    program = Path(sys.executable).parent / command[0]
    told = subprocess.run(
        [program, *command[1:]], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if told.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{told.stdout}{told.stderr}")
    return told.stdout


if __name__ == "__main__":
    main()
