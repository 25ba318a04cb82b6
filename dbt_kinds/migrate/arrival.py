"""Distinguishes columns with a row's arrival time from those with its event time, by name."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LOADED = "|".join(
    [
        "arrived",
        "arrival",
        "inserted",
        "loaded",
        "ingest",
        "ingested",
        "ingestion",
        "synced",
        "extracted",
        "replicated",
        "imported",
        "landed",
        "processed",
        "received",
        "load",
        "etl",
        "elt",
    ]
)
_CHANGED = "modified|updated|changed|refreshed|modify|update|change"
_MOMENT = "at|on|ts|time|date|datetime|timestamp|dt|dttm|tstamp|day|utc"
_ARRIVAL = re.compile(
    rf"""
      (?:.*_)?(?:{_LOADED}|insert|sync)_(?:{_MOMENT})(?:_.*)?           # inserted_at, _loaded_at_utc
    | _?(?:inserted|loaded|ingested|synced|extracted|received)(?:at)?   # insertedat
    | (?:.*_)?(?:{_CHANGED})_(?:{_MOMENT})(?:_.*)?                      # updated_at, last_modified_date
    | (?:modified|updated)(?:_.*|at)?
    | lastmodified(?:date|at|time)? | .*modstamp | load_?(?:time|date|dts)
    | _?fivetran_.* | _airbyte_.* | _ab_.* | _?etl_.* | _sdc_.* | _?dbt_.* | _dlt_.* | _stitch_.* | _?_hevo_.* | dwh?_.*
    | (?:.*_)?batch_(?:id|{_MOMENT}|run_date|insert_ts)                 # batch_ts, _airbyte_batch_ts
    """,
    re.VERBOSE | re.IGNORECASE,
)

_CHANGE = re.compile(
    rf"(?:.*_)?(?:{_CHANGED})_(?:{_MOMENT})(?:_.*)?|(?:modified|updated)(?:_.*|at)?|lastmodified(?:date|at|time)?|.*modstamp"
)


def is_arrival(name: str, arrival: Iterable[str] = (), event: Iterable[str] = ()) -> bool:
    """Whether a column holds a row's arrival time: as `--arrival` and `--event` say, else by its name."""
    lower = name.lower()
    if lower in {given.lower() for given in event}:
        return False
    return lower in {given.lower() for given in arrival} or _ARRIVAL.fullmatch(lower) is not None


def is_changed(name: str, arrival: Iterable[str] = ()) -> bool:
    """Whether a column holds when a row was last changed, by its name, so that the source holds the newest state only.

    Args:
        arrival: columns that are said to hold an arrival, whatever their names.
    """
    lower = name.lower()
    return lower not in {given.lower() for given in arrival} and _CHANGE.fullmatch(lower) is not None
