"""Reads a dbt project from its files; no warehouse, packages or manifest are needed.

If there is a manifest, its configs take precedence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from dbt_kinds.errors import UnreadableProjectError
from dbt_kinds.readers.dbt.calls import COMPUTED
from dbt_kinds.readers.dbt.config_call import ConfigCall, config_calls

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_ENV_VAR = re.compile(
    r"""\{\{\s*env_var\(\s*['"][^'"]*['"]\s*(?:,\s*['"](?P<default>[^'"]*)['"]\s*)?\)(?:\s*\|\s*(?:as_\w+|int))?\s*\}\}"""
)
# a time in a form that compares otherwise than a date or a timestamp
_HELD_AS = re.compile(
    r"\b(?:iso[- ]?8601|text|strings?|varchar|epoch|unix(?: time| seconds| timestamp)?|milliseconds|millis|yyyymmdd)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Properties:
    """The YAML properties of one node: its configuration, column types, unique columns, those without NULL, and the
    file.
    """

    config: Mapping[str, Any] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    file: str = ""
    unique: frozenset[frozenset[str]] = frozenset()
    not_null: frozenset[str] = frozenset()


@dataclass(frozen=True)
class ModelFile:
    """A file of a model or of snapshots; `path` is relative to the project's root."""

    name: str
    path: str
    text: str
    inherited: Mapping[str, Any] = field(default_factory=dict)
    properties: Properties = field(default_factory=Properties)
    manifest_config: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def calls(self) -> list[ConfigCall]:
        """The calls of config() in the text."""
        return config_calls(self.text)

    @cached_property
    def own_config(self) -> dict[str, Any]:
        """The arguments of the file's own calls of config()."""
        return {name: value for call in self.calls for name, value in call.values.items()}

    @cached_property
    def config(self) -> dict[str, Any]:
        """The configuration: the manifest's, else the file's over its properties over the folder's.

        COMPUTED for values that are not literals.
        """
        properties = {name.lstrip("+"): _setting(name, value) for name, value in self.properties.config.items()}
        text = {**self.inherited, **properties, **self.own_config}
        # from the manifest only values that add information: dbt fills in a value for each setting it knows
        told = {name: value for name, value in self.manifest_config.items() if value not in (None, [], {})}
        return text | {name: value for name, value in told.items() if name in text or name in _TOLD}

    @property
    def is_python(self) -> bool:
        """Whether it is a Python model."""
        return self.path.endswith(".py")


# settings that a manifest may supply if the text leaves them open
_TOLD = frozenset(
    {
        "materialized",
        "incremental_strategy",
        "unique_key",
        "partition_by",
        "event_time",
        "begin",
        "batch_size",
        "file_format",
    }
)


@dataclass(frozen=True)
class DbtProject:
    """The contents of a project's folder; `disabled` are the files of models that its target does not have."""

    root: Path
    name: str
    models: tuple[ModelFile, ...]
    snapshots: tuple[ModelFile, ...]
    macros: Mapping[str, str]
    variables: Mapping[str, Any]
    model_properties: Mapping[str, Properties]
    snapshot_properties: Mapping[str, Properties]
    source_types: Mapping[tuple[str, str], Properties]
    model_folder: str
    profile: str
    macro_files: Mapping[str, str] = field(default_factory=dict)
    disabled: frozenset[str] = frozenset()

    @cached_property
    def models_by_name(self) -> dict[str, ModelFile]:
        """The models by name; of several with one name that which is enabled."""
        models = sorted(self.models, key=lambda model: model.path not in self.disabled)
        return {model.name: model for model in models}


def read_project(root: Path) -> DbtProject:
    """Reads the project in a folder.

    Raises:
        UnreadableProjectError: the folder has no dbt_project.yml, or one that cannot be read.
    """
    file = root / "dbt_project.yml"
    if not file.is_file():
        raise UnreadableProjectError(f"{root} has no dbt_project.yml; name the folder of a dbt project")
    try:
        settings = yaml.load(file.read_text("utf-8"), _LOADER)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UnreadableProjectError(f"{file} cannot be read: {error}") from error
    if not isinstance(settings, dict) or not isinstance(settings.get("name"), str):
        raise UnreadableProjectError(f"{file} is not a mapping with a name")
    name = settings["name"]
    model_paths = _paths(settings, "model-paths", "source-paths", "models")
    snapshot_paths = _paths(settings, "snapshot-paths", "", "snapshots")
    macro_paths = _paths(settings, "macro-paths", "", "macros")
    properties = _all_properties(root, [*model_paths, *snapshot_paths])
    manifest = _manifest_configs(root, settings)
    macros: dict[str, str] = {}
    macro_files: dict[str, str] = {}
    for path, text in _files(root, macro_paths, (".sql",)):
        for found in re.finditer(r"\{%[-+]?\s*macro\s+(\w+)", text):
            macros[found[1]] = text
            macro_files[found[1]] = path
    model_properties = properties["models"]

    def read(paths: list[str], section: str, known: Mapping[str, Properties]) -> Iterator[ModelFile]:
        endings = (".sql", ".py") if section == "models" else (".sql",)
        for folder in paths:
            for path, text in _files(root, [folder], endings):
                inside = PurePosixPath(path).relative_to(folder)
                inherited = _folder_config(settings.get(section), name, inside)
                stem = inside.name.rsplit(".", 1)[0]
                yield ModelFile(stem, path, text, inherited, known.get(stem, Properties()), manifest.get(path, {}))

    return DbtProject(
        root,
        name,
        tuple(read(model_paths, "models", model_properties)),
        tuple(read(snapshot_paths, "snapshots", properties["snapshots"])),
        macros,
        _variables(settings.get("vars"), name),
        model_properties,
        properties["snapshots"],
        {(key.split(".", 1)[0], key.split(".", 1)[1]): value for key, value in properties["sources"].items()},
        model_paths[0],
        str(settings.get("profile") or ""),
        macro_files,
    )


def _paths(settings: Mapping[str, Any], name: str, old_name: str, default: str) -> list[str]:
    given = settings.get(name) or settings.get(old_name) or [default]
    return [str(PurePosixPath(path)) for path in ([given] if isinstance(given, str) else given)]


def _files(root: Path, folders: list[str], endings: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for folder in folders:
        for file in sorted((root / folder).rglob("*")):
            if file.name.endswith(endings) and file.is_file():
                try:
                    text = file.read_bytes().decode("utf-8")
                except UnicodeDecodeError:
                    continue
                yield file.relative_to(root).as_posix(), text


def _folder_config(tree: Any, name: str, inside: PurePosixPath) -> dict[str, Any]:
    """The settings of dbt_project.yml for a file: inner folders take precedence over outer ones."""
    config: dict[str, Any] = {}
    for part in (None, name, *inside.parts[:-1], inside.name.rsplit(".", 1)[0]):
        if part is not None:
            tree = tree.get(part) if isinstance(tree, Mapping) else None
        if not isinstance(tree, Mapping):
            break
        for key, value in tree.items():
            if str(key).startswith("+") or not isinstance(value, Mapping):
                config[str(key).removeprefix("+")] = _setting(str(key), value)
    return config


def _setting(name: str, value: Any) -> Any:
    """The value of a setting; a hook remains as written, since what it calls matters, and so does what enables a model,
    which depends on the target.
    """
    return value if name.endswith(("hook", "enabled")) else _read(value)


def _read(value: Any) -> Any:
    """A YAML setting; if computed by Jinja it is unknown, except for an environment variable with a default."""
    if not isinstance(value, str) or "{{" not in value:
        return value
    found = _ENV_VAR.fullmatch(value.strip())
    return found["default"] if found and found["default"] is not None else COMPUTED


def _variables(given: Any, name: str) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        return {}
    own = given.get(name)
    # a mapping is a variable, or the variables of the package that its name is
    merged = {**given, **(own if isinstance(own, Mapping) else {})}
    return {str(key): _read(value) for key, value in merged.items()}


def _all_properties(root: Path, folders: list[str]) -> dict[str, dict[str, Properties]]:
    found: dict[str, dict[str, Properties]] = {"models": {}, "snapshots": {}, "sources": {}}
    for path, text in _files(root, folders, (".yml", ".yaml")):
        try:
            content = yaml.load(text, _LOADER)
        except yaml.YAMLError:
            continue
        if not isinstance(content, Mapping):
            continue
        for section in ("models", "snapshots"):
            for entry in _entries(content.get(section)):
                found[section][str(entry.get("name"))] = _properties(entry, path)
        for source in _entries(content.get("sources")):
            for table in _entries(source.get("tables")):
                found["sources"][f"{source.get('name')}.{table.get('name')}"] = _properties(table, path)
    return found


def _entries(value: Any) -> list[Mapping[str, Any]]:
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


def _properties(entry: Mapping[str, Any], path: str) -> Properties:
    config = entry.get("config")
    types = {
        str(column.get("name")).lower(): told
        for column in _entries(entry.get("columns"))
        if (told := _type(column)) is not None
    }
    relation = {"relation": entry["relation"]} if "relation" in entry else {}
    settings = {**(config if isinstance(config, Mapping) else {}), **relation}
    return Properties(settings, types, path, _unique(entry), _not_null(entry))


def _type(column: Mapping[str, Any]) -> str | None:
    """A column's declared type, or that of a time which its description says is held as text or as a number."""
    if column.get("data_type"):
        return str(column["data_type"]).lower()
    described = _HELD_AS.search(str(column.get("description") or ""))
    return f"{described[0].lower()} in its description" if described else None


def _unique(entry: Mapping[str, Any]) -> frozenset[frozenset[str]]:
    """The sets of columns that tests and constraints declare unique."""
    found = [[column["name"]] for column in _entries(entry.get("columns")) if "name" in column and _is_unique(column)]
    for constraint in _entries(entry.get("constraints")):
        if constraint.get("type") in ("primary_key", "unique"):
            found.append(constraint.get("columns") or [])
    for name, arguments in _tests(entry):
        if name.rsplit(".", 1)[-1] == "unique_combination_of_columns":
            found.append(arguments.get("combination_of_columns") or arguments.get("columns") or [])
        elif name == "unique":
            found.append([arguments.get("column_name")])
    return frozenset(
        frozenset(str(name).lower() for name in names)
        for names in found
        if isinstance(names, list) and all(names) and names
    )


def _is_unique(column: Mapping[str, Any]) -> bool:
    kinds = {constraint.get("type") for constraint in _entries(column.get("constraints"))}
    return bool(kinds & {"primary_key", "unique"}) or any(name == "unique" for name, _ in _tests(column))


def _not_null(entry: Mapping[str, Any]) -> frozenset[str]:
    """The columns that tests and constraints declare to have no NULL."""
    found = set()
    for column in _entries(entry.get("columns")):
        kinds = {constraint.get("type") for constraint in _entries(column.get("constraints"))}
        if kinds & {"primary_key", "not_null"} or any(name == "not_null" for name, _ in _tests(column)):
            found.add(str(column.get("name")).lower())
    for constraint in _entries(entry.get("constraints")):
        if constraint.get("type") in ("primary_key", "not_null"):
            found |= {str(name).lower() for name in constraint.get("columns") or []}
    return frozenset(found)


def _tests(entry: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The generic tests of a node or column with their arguments, except those with a `where`, which are weaker."""
    for section in ("tests", "data_tests"):
        for test in entry.get(section) or [] if isinstance(entry.get(section), list) else []:
            if isinstance(test, str):
                yield test, {}
            elif isinstance(test, Mapping):
                for name, given in test.items():
                    given = given if isinstance(given, Mapping) else {}
                    config = given.get("config")
                    narrowed = {**given, **(config if isinstance(config, Mapping) else {})}
                    inner = given.get("arguments")
                    if "where" not in narrowed:
                        yield str(name), {**given, **(inner if isinstance(inner, Mapping) else {})}


def _manifest_configs(root: Path, settings: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The configs in target/manifest.json by the node's file."""
    file = root / str(_read(settings.get("target-path")) or "target") / "manifest.json"
    try:
        nodes = json.loads(file.read_text("utf-8"))["nodes"]
        return {
            node["original_file_path"]: node["config"]
            for node in nodes.values()
            if node["resource_type"] in ("model", "snapshot") and node["package_name"] == settings["name"]
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
