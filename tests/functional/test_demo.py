"""The README's first command does what it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.functional.speed import quick_jvms


def programs_but_java(folder: Path) -> Path:
    """A folder that can be a PATH: all the system's programs, but no Java."""
    folder.mkdir()
    for system in (Path("/usr/bin"), Path("/bin")):
        for program in system.iterdir():
            link = folder / program.name
            if not program.name.startswith("java") and not link.is_symlink():
                link.symlink_to(program)
    return folder


def test_the_demonstration_loads_exactly_what_is_missing_and_equals_the_raw_data(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from dbt_kinds.cli import main; main()", "demo", "--dir", str(tmp_path / "demo")]
    quick_jvms()
    environment = {name: value for name, value in os.environ.items() if name not in ("JAVA_HOME", "SPARK_HOME")}
    environment["PATH"] = str(programs_but_java(tmp_path / "programs"))
    told = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
    batches = [line.split("dbt_kinds: ")[1] for line in told.stdout.splitlines() if ": batch " in line]
    # the demonstration compares the rows itself
    loaded = [re.split(r": (?:written|[\d,]+ rows) in ", line)[0] for line in batches]
    assert sorted(loaded) == [
        "airline_days: batch 1 of 1, 2013-01-01T00:00:00 to 2013-06-30T00:00:00",
        "airline_days: batch 1 of 1, 2013-04-01T00:00:00 to 2013-04-08T00:00:00",
        "airline_days: batch 1 of 1, 2013-06-03T00:00:00 to 2013-06-04T00:00:00",
        "airline_days: batch 1 of 1, 2013-06-30T00:00:00 to 2013-07-02T00:00:00",
        "airline_weeks: batch 1 of 1, 2013-01-01T00:00:00 to 2013-06-30T00:00:00",
        "airline_weeks: batch 1 of 1, 2013-04-01T00:00:00 to 2013-04-14T00:00:00",
        "airline_weeks: batch 1 of 1, 2013-06-03T00:00:00 to 2013-06-10T00:00:00",
        "airline_weeks: batch 1 of 1, 2013-06-30T00:00:00 to 2013-07-02T00:00:00",
        "departures_hourly: batch 1 of 1, 2013-06-01T00:00:00 to 2013-06-30T00:00:00",
        "departures_hourly: batch 1 of 1, 2013-06-03T00:00:00 to 2013-06-10T00:00:00",
        "departures_hourly: batch 1 of 1, 2013-06-03T12:00:00 to 2013-06-03T14:00:00",
        "departures_hourly: batch 1 of 1, 2013-06-30T00:00:00 to 2013-07-02T00:00:00",
        "flights_with_weather: batch 1 of 1, 2013-01-01T00:00:00 to 2013-06-30T00:00:00",
        "flights_with_weather: batch 1 of 1, 2013-04-01T00:00:00 to 2013-04-08T00:00:00",
        "flights_with_weather: batch 1 of 1, 2013-06-03T00:00:00 to 2013-06-04T00:00:00",
        "flights_with_weather: batch 1 of 1, 2013-06-30T00:00:00 to 2013-07-02T00:00:00",
    ]
    assert "All as it should be." in told.stdout
