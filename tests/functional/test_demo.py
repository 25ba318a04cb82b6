"""The README's first command does what it says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.functional.speed import quick_jvms


def test_the_demonstration_loads_exactly_what_is_missing_and_equals_the_raw_data(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from dbt_kinds.cli import main; main()", "demo", "--dir", str(tmp_path / "demo")]
    quick_jvms()
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
    loaded = [line.split("dbt_kinds: ")[1].split(" in ")[0] for line in told.stdout.splitlines() if ": batch " in line]
    assert sorted(loaded) == [
        "airline_days: batch 1 of 1, 2013-01-01T00:00:00 to 2013-06-30T00:00:00: 2,666 rows",
        "airline_days: batch 1 of 1, 2013-04-01T00:00:00 to 2013-04-08T00:00:00: 103 rows",
        "airline_days: batch 1 of 1, 2013-06-30T00:00:00 to 2013-07-02T00:00:00: 30 rows",
        "airline_weeks: batch 1 of 1, 2013-01-01T00:00:00 to 2013-06-30T00:00:00: 2,719 rows",
        "airline_weeks: batch 1 of 1, 2013-04-01T00:00:00 to 2013-04-14T00:00:00: 195 rows",
        "airline_weeks: batch 1 of 1, 2013-06-30T00:00:00 to 2013-07-02T00:00:00: 30 rows",
        "departures_hourly: batch 1 of 1, 2013-06-01T00:00:00 to 2013-06-30T00:00:00: 1,555 rows",
        "departures_hourly: batch 1 of 1, 2013-06-03T00:00:00 to 2013-06-10T00:00:00: 376 rows",
        "departures_hourly: batch 1 of 1, 2013-06-30T00:00:00 to 2013-07-02T00:00:00: 106 rows",
        "flights_with_weather: batch 1 of 1, 2013-01-01T00:00:00 to 2013-06-30T00:00:00: 165,174 rows",
        "flights_with_weather: batch 1 of 1, 2013-04-01T00:00:00 to 2013-04-08T00:00:00: 6,594 rows",
        "flights_with_weather: batch 1 of 1, 2013-06-30T00:00:00 to 2013-07-02T00:00:00: 1,860 rows",
    ]
    assert "All as it should be." in told.stdout
