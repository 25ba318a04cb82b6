"""Validates posted events and turns them into lines of a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

from dbt_kinds.collect.fits import Fits, JsonObject, fits_type
from dbt_kinds.collect.targets import Target

_SPACE = " \t\r\n"
_RECEIVED_AT = {
    "timestamp": "%Y-%m-%dT%H:%M:%S.%fZ",
    "timestamp_ltz": "%Y-%m-%dT%H:%M:%S.%fZ",
    "timestamp_ntz": "%Y-%m-%dT%H:%M:%S.%f",
    "date": "%Y-%m-%d",
    "string": "%Y-%m-%dT%H:%M:%S.%fZ",
}
# line ends between tokens; JSON does not allow them within strings
_ONE_LINE = str.maketrans("\r\n", "  ")


class BadEventError(ValueError):
    """The posted body is not an event of its target; the message tells the sender why."""


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_float=Decimal, parse_constant=_no_constant, object_pairs_hook=JsonObject)


@dataclass(frozen=True)
class Event:
    """One object, both as written and as parsed."""

    text: str
    values: JsonObject


def read_event(body: bytes) -> Event:
    """Parses a body that holds one object.

    Raises:
        BadEventError: it holds anything else.
    """
    text = _text(body)
    event, end = _event_at(text, _after_space(text, 0))
    if _after_space(text, end) < len(text):
        raise BadEventError("the body holds more than one JSON object; post an array to …/batch")
    return event


def read_batch(body: bytes) -> list[Event]:
    """Parses a body that holds an array of objects, keeping each as written.

    Raises:
        BadEventError: it holds anything else. The message counts from 0.
    """
    text = _text(body)
    place = _after_space(text, 0)
    if text[place : place + 1] != "[":
        raise BadEventError("the body is not a JSON array of objects")
    place = _after_space(text, place + 1)
    events: list[Event] = []
    if text[place : place + 1] != "]":
        while True:
            try:
                event, place = _event_at(text, place)
            except BadEventError as error:
                raise BadEventError(f"event {len(events)}: {error}") from error
            events.append(event)
            place = _after_space(text, place)
            if text[place : place + 1] != ",":
                break
            place = _after_space(text, place + 1)
    if text[place : place + 1] != "]" or _after_space(text, place + 1) < len(text):
        raise BadEventError("the body is not a JSON array of objects")
    return events


def line_writer(target: Target) -> Callable[[Event, datetime], str]:
    """Returns a function that makes the line of an event, given its arrival time, for a target's columns.

    The function raises BadEventError if a value does not fit its column or a required one is missing. The event's text
    is kept, so that numbers keep all their digits; `received_at` is added if it is declared and absent.
    """
    checks: list[tuple[str, Fits, str]] = []
    needed = []
    format_of_arrival = None
    for column in target.columns:
        checks.append((column.name, fits_type(column.data_type), column.data_type))
        pattern = _RECEIVED_AT.get(column.data_type.strip().lower()) if column.name == "received_at" else None
        format_of_arrival = format_of_arrival or pattern
        if column.not_null and not pattern:
            needed.append(column.name)

    def line(event: Event, arrived: datetime) -> str:
        values = event.values
        wrong = [f"{name} is missing or null" for name in needed if values.get(name) is None]
        wrong += [
            f"{name} is not of type {data_type}"
            for name, fits, data_type in checks
            if values.get(name) is not None and not fits(values[name])
        ]
        wrong += [f"{name} is given twice" for name, *_ in checks if name in values.repeated]
        if wrong:
            raise BadEventError(", ".join(wrong))
        text = event.text.translate(_ONE_LINE)
        if format_of_arrival and values.get("received_at") is None:
            moment = arrived.astimezone(timezone.utc).strftime(format_of_arrival)
            text = f'{text[:-1]}{"," if values else ""}"received_at":"{moment}"}}'
        return text

    return line


def _text(body: bytes) -> str:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadEventError("the body is not UTF-8") from error


def _event_at(text: str, place: int) -> tuple[Event, int]:
    try:
        values, end = _DECODER.raw_decode(text, place)
    except RecursionError as error:
        raise BadEventError("not JSON: nested too deeply") from error
    except (ValueError, ArithmeticError) as error:
        raise BadEventError(f"not JSON: {error}") from error
    if not isinstance(values, JsonObject):
        raise BadEventError("not a JSON object")
    return Event(text[place:end], values), end


def _after_space(text: str, place: int) -> int:
    while place < len(text) and text[place] in _SPACE:
        place += 1
    return place
