"""Tells columns that say when a row was loaded from those that say when it happened, by their names."""

from __future__ import annotations

import re
from collections.abc import Iterable

_ARRIVAL = re.compile(
    r"""
      _?(?:inserted|loaded|ingested|ingestion|synced|extracted|imported|replicated|landed|processed|received|etl|elt|load|sync|
           import|staged|published_to)_?(?:at|on|ts|time|date|datetime|timestamp|dt|dttm|utc|day|tstamp|run_date)*(?:_(?:at|utc|date|ts|time|day))?
    | .*(?:_|^)(?:inserted|loaded|ingested|ingestion|synced|extracted|replicated|received|load|etl|elt)_(?:at|on|ts|time|date|datetime|timestamp|dt|tstamp|day)(?:_.*)?
    | _?fivetran_.* | _airbyte_.* | _ab_.* | _?etl_.* | _sdc_.* | _dbt_.* | dbt_.* | _dlt_.* | _stitch_.* | _rivery_.* | _hevo_.* | __hevo.*
    | ingested_.* | .*_batch_(?:ts|id|date|time|run_date) | batch_(?:ts|id|date|time|timestamp|run_date|insert_ts|loaded_at)
    | (?:.*_)?(?:modified|updated|changed|refreshed)(?:_.*)? | (?:.*_)?(?:last_)?(?:modified|update|updated|change|modify)_(?:at|on|ts|time|date|datetime|timestamp|dt|ts_msk|time_utc)(?:_.*)?
    | systemmodstamp | lastmodified(?:date|at|time)? | updatedat | modifiedat | insertedat | loadedat | loadtime | load_?dts | loaddate
    | .*modstamp | _partitiontime_loaded | (?:.*_)?insert_(?:ts|time|timestamp|date|at|datetime)(?:_.*)? | dw_.* | dwh_.* | record_(?:load|insert|update).*
    """,
    re.VERBOSE | re.IGNORECASE,
)


def is_arrival(name: str, arrival: Iterable[str] = (), event: Iterable[str] = ()) -> bool:
    """Whether a column says when its row arrived: as `--arrival` and `--event` say, else by its name."""
    lower = name.lower()
    if lower in {given.lower() for given in event}:
        return False
    return lower in {given.lower() for given in arrival} or _ARRIVAL.fullmatch(lower) is not None
