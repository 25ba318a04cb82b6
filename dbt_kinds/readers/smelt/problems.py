"""Errors in a project's configuration, which are collected so that none hides another."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

MEANINGS: Mapping[str, str] = {
    "BackendsMismatch": "Models that read one another run on different backends.",
    "CircularReference": "Models read one another in a circle.",
    "CumulativeForbidsIncremental": "A cumulative aggregate has an incremental block.",
    "CumulativeForbidsTimeseries": "A cumulative aggregate has a timeseries block.",
    "DuplicateFunctionDefinition": "Two functions have one name.",
    "FunctionCallCycle": "Functions call one another in a circle.",
    "MalformedTimeseries": "A timeseries block lacks a key, or has a value that there is not.",
    "MissingArgument": "A call of a function lacks an argument.",
    "NameClash": "Two models or seeds have one name.",
    "TimeColumnMissing": "A model that runs on slices of time names no time column.",
    "TimeseriesRequiredForIncremental": "An incremental model has no timeseries block.",
    "UndefinedModelRef": "A query reads a model that is not there.",
    "UndefinedSource": "A query reads a source that is not there.",
    "UnknownArgument": "A call of a function has an argument that it does not take.",
    "UnknownFunction": "A query calls a function that the project does not define.",
    "UnknownKey": "A configuration has a key that there is not.",
    "UnknownMaterialization": "A model has a materialization that there is not.",
    "UnknownModel": "A file of configuration is about a model that is not there.",
    "UnreadableConfiguration": "A block or file of YAML cannot be read.",
    "UnreadableFunction": "The definition of a function cannot be read.",
    "UnreadableQuery": "A query cannot be parsed.",
    "UnreadableSchedule": "A cron, an interval unit or a beginning of weeks is refused by the package.",
}


@dataclass(frozen=True)
class Problem:
    """A named error and its place."""

    code: str
    message: str
    path: str
    line: int


def unknown_key(code: str, key: str, known: Iterable[str], where: str, path: str, line: int) -> Problem:
    """An unknown key, with the most similar known one."""
    names = sorted(known)
    near = difflib.get_close_matches(key.lower(), names, n=1, cutoff=0.5)
    advice = f"write {near[0]}" if near else f"it knows {', '.join(names)}"
    return Problem(code, f"{where} has no key '{key}'; {advice}", path, line)
