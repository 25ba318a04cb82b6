"""Reads a smelt project's files: models, sources and seeds by address."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from dbt_kinds.analysis.catalogue import Timeseries
from dbt_kinds.codes import CheckCode
from dbt_kinds.diagnostics import Diagnostic
from dbt_kinds.errors import UnreadableConfigurationError, UnreadableProjectError
from dbt_kinds.readers.smelt.blocks import Block, read_block
from dbt_kinds.readers.smelt.configuration import (
    SOURCE_COLUMN_KEYS,
    SOURCE_KEYS,
    Configuration,
    read_columns,
    read_configuration,
    read_timeseries,
    texts,
)
from dbt_kinds.readers.smelt.files import Part, split_file
from dbt_kinds.readers.smelt.functions import Function, Functions, is_function_file
from dbt_kinds.readers.smelt.problems import unknown_key

PROJECT_FILE = "smelt.yml"
# these keys are replaced by profiles.yml, or have no effect
_PASSED_OVER = ("name", "version", "target", "targets")
_PROJECT_KEYS = (*_PASSED_OVER, "paths", "models", "default_materialization")


@dataclass(frozen=True)
class Model:
    """One model. `sql` is the file's text with all but this model's query blanked out, so that positions are the
    author's.
    """

    address: str
    name: str
    path: str
    line: int
    sql: str
    configuration: Configuration


@dataclass(frozen=True)
class Source:
    """A YAML file with columns: a table that the project does not build."""

    address: str
    path: str
    schema: str
    table: str
    columns: Mapping[str, Any]
    timeseries: Timeseries | None
    description: str | None = None
    tags: tuple[str, ...] = ()
    owner: str | None = None


@dataclass(frozen=True)
class SmeltProject:
    """A whole project, by address without `smelt.`; `problems` has the errors of smelt.yml and of sources."""

    root: Path
    models: Mapping[str, Model] = field(default_factory=dict)
    sources: Mapping[str, Source] = field(default_factory=dict)
    seeds: Mapping[str, str] = field(default_factory=dict)
    functions: Mapping[str, Function] = field(default_factory=dict)
    problems: tuple[Diagnostic, ...] = ()
    warnings: tuple[str, ...] = ()


def is_smelt_project(root: Path) -> bool:
    """Whether a folder has a smelt.yml."""
    return (root / PROJECT_FILE).is_file()


def read_project(root: Path) -> SmeltProject:
    """Reads all files below a folder. Raises UnreadableProjectError if there is no folder, and
    UnreadableConfigurationError if smelt.yml cannot be read; any other error is a problem of its model. Follows
    smelt's pages on project structure and incremental models.
    """
    if not root.is_dir():
        raise UnreadableProjectError(f"{root} is no folder; name the one that holds {PROJECT_FILE}")
    file = root / PROJECT_FILE
    project = read_block(file.read_text("utf-8"), PROJECT_FILE) if file.is_file() else Block(path=PROJECT_FILE)
    problems = [
        unknown_key(CheckCode.UnknownKey, key, _PROJECT_KEYS, PROJECT_FILE, *project.place(key))
        for key in project.data
        if key not in _PROJECT_KEYS
    ]
    paths = project.data.get("paths") or ["models"]
    prefixes = [PurePosixPath(str(path)) for path in (paths if isinstance(paths, list) else [paths])]
    default = str(project.data.get("default_materialization") or "view")
    models: dict[str, Model] = {}
    functions = Functions()
    warnings: list[str] = []
    configured: set[str] = set()
    for path in _files(root, (".sql",)):
        text = (root / path).read_text("utf-8")
        if is_function_file(text):
            functions.add_file(text, path)
            continue
        for part in split_file(text):
            name = part.name or path.stem
            address = _address(path.with_name(name), prefixes)
            key = next((found for found in (address, name) if found in project.below("models").data), name)
            configured.add(key)
            model = _model(part, address, name, path, project.below("models", key), default)
            if model is None:
                continue
            if address in models:
                message = (
                    f"two models are called smelt.{address}, this one and that of {models[address].path}; rename one"
                )
                model = replace(
                    model, configuration=_with(model, Diagnostic.of(CheckCode.NameClash, message, str(path), part.line))
                )
            models[address] = model
            warnings += model.configuration.warnings
    for key in project.below("models").data:
        if key not in configured:
            names = [model.name for model in models.values()]
            problems.append(
                unknown_key(CheckCode.UnknownModel, key, names, "the project", *project.place("models", key))
            )
    sources, wrong = _sources(root, prefixes)
    seeds = {_address(path.with_suffix(""), prefixes): str(path) for path in _files(root, (".csv",))}
    problems += [*wrong, *functions.problems]
    return SmeltProject(root, models, sources, seeds, functions.by_address, tuple(problems), tuple(warnings))


def _with(model: Model, problem: Diagnostic) -> Configuration:
    return replace(model.configuration, problems=(*model.configuration.problems, problem))


def _model(part: Part, address: str, name: str, path: PurePosixPath, shared: Block, default: str) -> Model | None:
    try:
        own = read_block(part.configuration, str(path), part.configuration_line)
    except UnreadableConfigurationError as error:
        problem = Diagnostic.of(CheckCode.UnreadableConfiguration, str(error), error.path, error.line)
        configuration = replace(read_configuration(shared, default), problems=(problem,))
        return Model(address, name, str(path), part.line, part.sql, configuration)
    if not part.sql.strip() and not own.data:
        return None
    if not own.path:
        own = replace(own, path=str(path), line=part.line)
    name = str(own.data.get("name") or name)
    return Model(address, name, str(path), part.line, part.sql, read_configuration(own.over(shared), default))


def _sources(root: Path, prefixes: list[PurePosixPath]) -> tuple[dict[str, Source], list[Diagnostic]]:
    found: dict[str, Source] = {}
    problems: list[Diagnostic] = []
    for path in _files(root, (".yml", ".yaml")):
        if path.name == PROJECT_FILE:
            continue
        try:
            block = read_block((root / path).read_text("utf-8"), str(path))
        except UnreadableConfigurationError as error:
            problems.append(Diagnostic.of(CheckCode.UnreadableConfiguration, str(error), error.path, error.line))
            continue
        if "columns" not in block.data:
            continue
        address = _address(path.with_suffix(""), prefixes)
        address = address if address.startswith("sources.") else f"sources.{address}"
        source, wrong = _source(block, address, str(path))
        found[address] = source
        problems += wrong
    return found, problems


def _source(block: Block, address: str, path: str) -> tuple[Source, list[Diagnostic]]:
    problems = [
        unknown_key(CheckCode.UnknownKey, key, SOURCE_KEYS, "a source", *block.place(key))
        for key in block.data
        if key not in SOURCE_KEYS
    ]
    columns, wrong = read_columns(block, SOURCE_COLUMN_KEYS)
    problems += wrong
    series = None
    if block.data.get("timeseries") is not None:
        series, wrong = read_timeseries(block)
        problems += wrong
        known = {name.lower() for name in columns}
        for key in ("event_time_column", "partition_column") if series is not None else ():
            column = getattr(series, key)
            if column.lower() not in known:
                message = f"timeseries.{key} is {column}, which columns lacks; it has {', '.join(sorted(columns))}"
                problems.append(Diagnostic.of(CheckCode.MalformedTimeseries, message, *block.place("timeseries", key)))
    parts = address.split(".")
    schema, _, table = str(block.data.get("name") or ".".join(parts[-2:])).rpartition(".")
    said = block.data
    tags = tuple(texts(said.get("tags")))
    source = Source(
        address, path, schema or parts[-2], table, columns, series, said.get("description"), tags, said.get("owner")
    )
    return source, problems


def _files(root: Path, suffixes: tuple[str, ...]) -> Iterator[PurePosixPath]:
    for file in sorted(root.rglob("*")):
        path = PurePosixPath(file.relative_to(root).as_posix())
        is_hidden = any(part.startswith(".") or part == "target" for part in path.parts)
        if file.is_file() and file.suffix in suffixes and not is_hidden:
            yield path


def _address(path: PurePosixPath, prefixes: list[PurePosixPath]) -> str:
    for prefix in prefixes:
        if path.is_relative_to(prefix):
            return ".".join(path.relative_to(prefix).parts)
    return ".".join(path.parts)
