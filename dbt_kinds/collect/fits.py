"""Whether a JSON value fits a column: what `events` would load and not reject (macros/ingest/event_rows.sql).

A value that Spark would change does not fit: decimals are rounded there, times cut off, of two equal keys one is lost.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Context, Decimal
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError

Fits = Callable[[Any], bool]

_BITS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}
_TIME = r"\d{1,2}(?::\d{1,2}(?::\d{1,2}(?:\.\d{1,9})?)?)?"
_ZONE = r"\s*(?:Z|UTC|GMT|[+-]\d{1,2}(?::\d{2})?)"
_DAY = re.compile(r"\s*(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?(.*?)\s*", re.DOTALL)
_TIME_OF_DAY = re.compile(rf"[ T]({_TIME})(?:{_ZONE})?")
_UTC = r"\s*(?:Z|UTC|GMT|[+-][0:]+)?"
_MIDNIGHT = re.compile(rf"(?:[ T][0:.]*{_UTC})?\s*")
_TIME_IN_UTC = re.compile(rf"(?:[ T][0-9:.]*{_UTC})?\s*")
_BELOW_MICROSECONDS = re.compile(r"\.\d{6}\d*[1-9]")
_NUMBERS_IN_WORDS = ("NaN", "Infinity", "+Infinity", "-Infinity", "INF", "+INF", "-INF")


class JsonObject(dict[str, Any]):
    """An object with the keys that it has twice."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        """The later of two values counts, as in Python and in Spark."""
        super().__init__(pairs)
        times = Counter(key for key, _ in pairs) if len(self) < len(pairs) else {}
        self.repeated = {key for key, number in times.items() if number > 1}


def fits_type(data_type: str) -> Fits:
    """A predicate for a Spark type on non-null values, as `json.loads` reads them with `parse_float=Decimal` and
    `object_pairs_hook=JsonObject`.

    For an unknown type everything fits, and the run decides.
    """
    try:
        return _fits(exp.DataType.build(data_type, dialect="spark"))
    except SqlglotError:
        return _anything


def _fits(kind: exp.DataType) -> Fits:
    name = kind.this.name
    if name in _BITS:
        return _whole(_BITS[name])
    if name in ("ARRAY", "LIST"):
        return _array_of(_fits(kind.expressions[0]))
    if name == "MAP":
        return _object_of(_fits(kind.expressions[1]))
    if name == "STRUCT":
        return _struct_of({field.name: _fits(field.args["kind"]) for field in kind.expressions})
    if name == "DECIMAL":
        sizes = [int(size.name) for size in kind.expressions]
        return _decimal(*(sizes + [10, 0][len(sizes) :]))
    return {
        "BOOLEAN": lambda value: isinstance(value, bool),
        "FLOAT": _float(lambda value: float(struct.unpack("f", struct.pack("f", value))[0])),
        "DOUBLE": _float(float),
        "VARCHAR": _text,
        "TEXT": _text,
        "DATE": _date,
        "TIMESTAMP": _timestamp,
        "TIMESTAMPTZ": _timestamp,
        "TIMESTAMPLTZ": _timestamp,
        "TIMESTAMPNTZ": _timestamp_ntz,
    }.get(name, _anything)


def _anything(value: Any) -> bool:
    return True


def _whole(bits: int) -> Fits:
    limit = 2 ** (bits - 1)
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and -limit <= value < limit


def _text(value: Any) -> bool:
    """Half of a character, such as `\\ud83d` alone, is none."""
    if isinstance(value, dict):
        return all(_text(part) for pair in value.items() for part in pair)
    if isinstance(value, list):
        return all(_text(part) for part in value)
    return not isinstance(value, str) or not any("\ud800" <= letter <= "\udfff" for letter in value)


def _float(nearest: Callable[[float], float]) -> Fits:
    def fits(value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
            return value in _NUMBERS_IN_WORDS
        try:
            read = nearest(float(value))
        except OverflowError:
            return False
        if read in (float("inf"), float("-inf")) or (read == 0) != (value == 0):
            return False
        # what is written for a fraction is the nearest number anyway
        return isinstance(value, Decimal) or (Decimal(repr(read)) == value and abs(value) < 10**38)

    return fits


def _decimal(precision: int, scale: int) -> Fits:
    def fits(value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
            return False
        number = Decimal(value)
        if not number.is_finite() or number.adjusted() >= precision - scale:
            return False
        return number == number.quantize(Decimal(1).scaleb(-scale), context=Context(prec=precision + 2))

    return fits


def _array_of(element: Fits) -> Fits:
    return lambda value: isinstance(value, list) and all(part is None or element(part) for part in value)


def _object_of(element: Fits) -> Fits:
    return lambda value: (
        isinstance(value, JsonObject)
        and not value.repeated
        and all(part is None or element(part) for part in value.values())
    )


def _struct_of(fields: Mapping[str, Fits]) -> Fits:
    def fits(value: Any) -> bool:
        return (
            isinstance(value, JsonObject)
            and not value.repeated
            and all(value.get(name) is None or field_fits(value[name]) for name, field_fits in fields.items())
        )

    return fits


def _date(value: Any) -> bool:
    found = _day_and_rest(value)
    return found is not None and _MIDNIGHT.fullmatch(found) is not None


def _timestamp(value: Any) -> bool:
    found = _day_and_rest(value)
    if found is None:
        return False
    time = _TIME_OF_DAY.fullmatch(found) if found else None
    if not time or _BELOW_MICROSECONDS.search(time[1]):
        return not found
    units = [float(unit) for unit in time[1].split(":")]
    return all(unit < limit for unit, limit in zip(units, (24, 60, 60), strict=False))


def _timestamp_ntz(value: Any) -> bool:
    return _timestamp(value) and _TIME_IN_UTC.fullmatch(_day_and_rest(value) or "") is not None


def _day_and_rest(value: Any) -> str | None:
    """The rest of a string after its leading date, None if there is no date. A number is treated as its text."""
    found = _DAY.fullmatch(str(value)) if isinstance(value, (str, int)) and not isinstance(value, bool) else None
    if not found:
        return None
    try:
        date(int(found[1]), int(found[2] or 1), int(found[3] or 1))
    except ValueError:
        return None
    return found[4] if found[3] or not found[4] else None
