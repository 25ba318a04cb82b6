"""Seeds: CSV files read as SQLMesh does, and written as dbt reads them."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from dbt_kinds.codes import CompileCode
from dbt_kinds.diagnostics import Diagnostic
from dbt_kinds.kinds import Column, Seed
from dbt_kinds.readers.sqlmesh.block import Value

# read as NULL by pandas, and so by SQLMesh
_NULL_TEXTS = "|#N/A|#N/A N/A|#NA|-1.#IND|-1.#QNAN|-NaN|-nan|1.#IND|1.#QNAN|<NA>|N/A|NA|NULL|NaN|None|n/a|nan|null"
_DEFAULT_NULLS = frozenset(_NULL_TEXTS.split("|"))
_SETTINGS = (
    "delimiter",
    "quotechar",
    "doublequote",
    "escapechar",
    "skipinitialspace",
    "lineterminator",
    "encoding",
    "na_values",
    "keep_default_na",
)


def read_seed(seed: Seed, path: Value, settings: Value | None, root: Path) -> None:
    """Reads the CSV file of a seed.

    Raises:
        CompileError: there is no such file (SeedMissing).
        CompileError: a declared column is not in it (SeedColumns).
        CompileError: a setting is unknown, or the file does not match the settings (BadPropertyValue).
    """
    file = _file(path, seed.place.file, root)
    options = _options(settings)
    try:
        text = file.read_bytes().decode(str(options.get("encoding") or "utf-8-sig"))
    except (UnicodeDecodeError, LookupError) as error:
        raise path.error(
            CompileCode.BadPropertyValue, f"{path.text} cannot be read: {error}; set encoding in csv_settings"
        ) from error
    rows = _rows(text, options, path)
    if not rows:
        raise path.error(CompileCode.SeedColumns, f"{path.text} is empty; its first line names the columns")
    seed.header = [name.strip() for name in rows[0]]
    seed.rows = [_values(row, seed.header, options) for row in rows[1:] if row]
    if options.get("keep_default_na") is False and any("" in row for row in seed.rows):
        message = f"{path.text} keeps empty texts apart from NULL, and dbt reads both as NULL; see whether that matters"
        seed.notes.append(
            replace(
                Diagnostic.of(CompileCode.PropertyDropped, message, path.place.file, path.place.line), severity="person"
            )
        )
    _check_columns(seed, path)
    _keep_declared(seed)


def _file(path: Value, model_file: str, root: Path) -> Path:
    written = path.as_text()
    for name in (written, written.replace("\\", "/")):
        # on Windows a project may name its files with either
        if name.startswith("$root"):
            file = root / name.removeprefix("$root").lstrip("/")
        else:
            file = root / PurePosixPath(model_file).parent / name
        if file.is_file():
            return file
    message = f"the seed's file {written} does not exist; it is relative to the model's file, or begins with $root/"
    raise path.error(CompileCode.SeedMissing, message)


def _options(settings: Value | None) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for name, value in settings.as_pairs() if settings is not None else []:
        key = name.lower()
        if key not in _SETTINGS:
            message = f"csv_settings has no {name}; it knows {', '.join(_SETTINGS)}"
            raise value.error(CompileCode.BadPropertyValue, message)
        if key == "na_values":
            options[key] = _null_values(value)
        elif key in ("doublequote", "skipinitialspace", "keep_default_na"):
            options[key] = value.as_boolean()
        else:
            options[key] = value.as_text().encode().decode("unicode_escape")
            if key in ("delimiter", "quotechar", "escapechar") and len(options[key]) != 1:
                raise value.bad("one character")
    return options


def _null_values(value: Value) -> Any:
    """A list for all columns, or lists by column."""
    if any(token.text in ("=", ":=") for token in value.tokens):
        return {name: [str(item.as_literal()) for item in texts.as_list()] for name, texts in value.as_pairs()}
    return [str(item.as_literal()) for item in value.as_list()]


def _rows(text: str, options: dict[str, Any], path: Value) -> list[list[str]]:
    terminator = options.get("lineterminator")
    if terminator and terminator not in ("\n", "\r\n", "\r"):
        text = text.replace(str(terminator), "\n")
    try:
        return list(
            csv.reader(
                io.StringIO(text, newline=""),
                delimiter=options.get("delimiter", ","),
                quotechar=options.get("quotechar", '"'),
                doublequote=options.get("doublequote", True),
                escapechar=options.get("escapechar"),
                skipinitialspace=options.get("skipinitialspace", False),
                strict=False,
            )
        )
    except (csv.Error, TypeError) as error:
        raise path.error(CompileCode.BadPropertyValue, f"{path.text} is no CSV of these settings: {error}") from error


def _values(row: list[str], header: list[str], options: dict[str, Any]) -> list[str | None]:
    nulls = set(_DEFAULT_NULLS) if options.get("keep_default_na", True) else set()
    extra = options.get("na_values") or []
    values: list[str | None] = []
    for position, name in enumerate(header):
        text = row[position] if position < len(row) else ""
        own = extra.get(name, []) if isinstance(extra, dict) else extra
        values.append(None if text in nulls or text in own else text)
    return values


def _check_columns(seed: Seed, path: Value) -> None:
    by_name = {name.lower(): name for name in seed.header}
    missing = [column.name for column in seed.columns if column.name.lower() not in by_name]
    if missing:
        message = f"{path.text} has no column {', '.join(missing)}; it has {', '.join(seed.header)}"
        raise path.error(CompileCode.SeedColumns, message)
    seed.columns = [
        Column(by_name[column.name.lower()], column.data_type, column.description) for column in seed.columns
    ]


def _keep_declared(seed: Seed) -> None:
    """Drops what is not among the declared columns, and puts those in their order, as in SQLMesh's table."""
    declared = [column for column in seed.columns if column.data_type]
    if declared:
        positions = [seed.header.index(column.name) for column in declared]
        seed.columns, seed.header = declared, [column.name for column in declared]
        seed.rows = [[row[position] for position in positions] for row in seed.rows]
