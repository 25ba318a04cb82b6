"""ISO-8601 durations, as `read_duration` of `macros/intervals/source_window.sql` reads them."""

from __future__ import annotations

import re

_ISO = re.compile(r"P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")


def read_duration(written: object) -> tuple[int, int] | None:
    """Months and seconds of a duration such as P1M or P2DT12H; None if it is not one."""
    text = str(written).strip().upper()
    found = _ISO.fullmatch(text)
    if found is None or not any(found.groups()) or text.endswith("T"):
        return None
    years, months, weeks, days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return years * 12 + months, ((weeks * 7 + days) * 24 + hours) * 3600 + minutes * 60 + seconds
