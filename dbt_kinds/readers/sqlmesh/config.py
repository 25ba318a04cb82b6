"""The configuration of a SQLMesh or Vulcan project, as far as a dbt project can express it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from dbt_kinds.codes import CompileCode
from dbt_kinds.diagnostics import Diagnostic
from dbt_kinds.errors import CompileError, UnreadableScheduleError
from dbt_kinds.intervals.units import read_unit
from dbt_kinds.readers.sqlmesh.config_jinja import render_config
from dbt_kinds.readers.sqlmesh.config_literals import literals_of
from dbt_kinds.readers.sqlmesh.config_run import run_config
from dbt_kinds.readers.sqlmesh.environment import variables_in
from dbt_kinds.readers.sqlmesh.gateways import catalog_of
from dbt_kinds.readers.sqlmesh.instants import MovingInstant, NoInstant, cron, instant
from dbt_kinds.readers.yaml_nodes import read_yaml

# keys used by the reader, and keys that belong in profiles.yml or have no counterpart
_READ = frozenset(
    {
        "model_defaults",
        "variables",
        "time_column_format",
        "ignore_patterns",
        "before_all",
        "after_all",
        "default_gateway",
        "gateways",
        "gateway",
        "model_naming",
        "project",
        "name",
    }
)
_CONNECTION = frozenset({"gateways", "gateway", "default_connection", "default_test_connection", "test_connection"})
_YAML_FILES = ("config.yaml", "config.yml", "sqlmesh.yaml", "sqlmesh.yml")
_DBT_PROJECT = "dbt_project.yml"
_FORMAT = "%Y-%m-%d"


@dataclass
class Config:
    """The project's configuration.

    Attributes:
        file: the file it was read from, relative to the project.
        defaults: `model_defaults` as written.
        catalog: the catalog that the default gateway connects to.
        is_vulcan: whether it uses a key that only Vulcan has.
        not_converted: keys that have no counterpart in dbt.
    """

    file: str
    defaults: dict[str, Any] = field(default_factory=dict)
    variables: dict[str, Any] = field(default_factory=dict)
    time_column_format: str = _FORMAT
    ignore_patterns: list[str] = field(default_factory=list)
    before_all: list[str] = field(default_factory=list)
    after_all: list[str] = field(default_factory=list)
    gateway: str = ""
    catalog: str | None = None
    infer_names: bool = False
    project: str = ""
    is_vulcan: bool = False
    not_converted: list[str] = field(default_factory=list)
    notes: list[Diagnostic] = field(default_factory=list)

    @property
    def dialect(self) -> str | None:
        """The dialect of models that do not name one."""
        dialect = self.defaults.get("dialect")
        return str(dialect).split(",")[0].strip().lower() if dialect else None


def read_config(root: Path, *, runs: bool = False, variables: Mapping[str, Any] | None = None) -> Config:
    """Reads the configuration of a project.

    Args:
        runs: whether a config.py is run; otherwise its literals are read.
        variables: values that take precedence over the configuration's, by name.

    Raises:
        CompileError: there is none (ConfigNotFound).
        CompileError: it cannot be read, or SQLMesh runs a dbt project by it (BadConfig).
    """
    _refuse_dbt_project(root)
    config = _read(root, runs=runs)
    given = {name.lower(): value for name, value in (variables or {}).items()}
    kept = {name: value for name, value in config.variables.items() if name.lower() not in given}
    config.variables = {**kept, **given}
    return config


def _refuse_dbt_project(root: Path) -> None:
    """SQLMesh reads a folder with a dbt_project.yml as a dbt project, unless a config.py says something else."""
    if not (root / _DBT_PROJECT).is_file():
        return
    python = root / "config.py"
    if python.is_file() and "sqlmesh.dbt" not in python.read_text(encoding="utf-8", errors="replace"):
        return
    message = "SQLMesh runs a dbt project here, whose models are dbt's already; convert them with dbt-kinds migrate"
    raise CompileError(CompileCode.BadConfig, message, _DBT_PROJECT, 1)


def _read(root: Path, *, runs: bool) -> Config:
    for name in _YAML_FILES:
        if (root / name).is_file():
            return _read_yaml(root / name)
    if (root / "config.py").is_file():
        return _run_python(root / "config.py") if runs else _read_python(root / "config.py")
    names = ", ".join(_YAML_FILES)
    raise CompileError(
        CompileCode.ConfigNotFound, f"{root.name} has no {names} or config.py; pass the folder that holds one"
    )


def _read_yaml(path: Path) -> Config:
    name = path.name
    try:
        written = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CompileError(CompileCode.BadConfig, f"cannot be read: {error}", name, 1) from error
    rendered = render_config(written, name)
    config = _config(name, _content(rendered.text, name))
    _note_defaulted(config, rendered.defaulted)
    return config


def _note_defaulted(config: Config, names: list[str]) -> None:
    if names:
        message = f"{', '.join(names)} of the environment became the default that stands in {config.file}"
        config.notes.append(Diagnostic.of(CompileCode.VariableFrozen, message, config.file, 1))


def _content(text: str, name: str) -> dict[str, Any]:
    try:
        documents = [document.value() for document in read_yaml(text, name)]
    except CompileError as error:
        raise CompileError(CompileCode.BadConfig, error.message, name, error.line) from error
    content = documents[0] if documents else {}
    if len(documents) > 1 or not isinstance(content, dict):
        raise CompileError(CompileCode.BadConfig, "is not a mapping; write keys such as model_defaults", name, 1)
    return content


def _config(file: str, content: Mapping[str, Any]) -> Config:
    config = Config(file)
    config.defaults = _model_defaults(_mapping(content, "model_defaults", file), config)
    config.variables = dict(_mapping(content, "variables", file))
    config.time_column_format = str(content.get("time_column_format") or _FORMAT)
    for name in ("ignore_patterns", "before_all", "after_all"):
        setattr(config, name, _texts(content, name, file))
    gateways = _mapping(content, "gateways", file)
    if "connection" in gateways:
        # a single gateway replaces the mapping from its name to it
        gateways = {"": gateways}
    config.gateway = str(content.get("default_gateway") or next(iter(gateways), "") or "")
    chosen = gateways.get(config.gateway) or content.get("gateway") or {}
    if isinstance(chosen, dict):
        connection = chosen.get("connection") or content.get("default_connection")
        if isinstance(connection, dict):
            config.catalog = catalog_of(connection)
        if isinstance(chosen.get("variables"), dict):
            config.variables = {**config.variables, **chosen["variables"]}
    naming = content.get("model_naming")
    config.infer_names = isinstance(naming, dict) and bool(naming.get("infer_names"))
    config.project = str(content.get("project") or content.get("name") or "")
    _note_the_rest(config, content)
    return config


def _model_defaults(written: Mapping[str, Any], config: Config) -> dict[str, Any]:
    """Defaults, with dates and crons as strings like in models.

    Raises:
        CompileError: one is not a date, a cron or a unit (BadConfig).
    """
    # a key without a value is not a default; only a config.py has dates
    defaults = {
        key: value.isoformat() if isinstance(value, date) else value
        for key, value in written.items()
        if value is not None
    }
    for key in [key for key, value in defaults.items() if variables_in(value)]:
        names = ", ".join(variables_in(defaults.pop(key)))
        message = (
            f"model_defaults {key} comes from the environment ({names}), which only dbt knows, and was left out; write "
            "the value, or env_var('<NAME>', '<default>')"
        )
        code = CompileCode.RelativeStart if key == "start" else CompileCode.PropertyDropped
        config.notes.append(Diagnostic.of(code, message, config.file, 1))
    if defaults.get("start") is not None:
        try:
            defaults["start"] = instant(str(defaults["start"]))
        except MovingInstant:
            message = f"model_defaults start '{defaults.pop('start')}' moves every day and was left out; write a date"
            config.notes.append(Diagnostic.of(CompileCode.RelativeStart, message, config.file, 1))
        except NoInstant as problem:
            raise CompileError(
                CompileCode.BadConfig,
                f"model_defaults start is {problem}; write a date such as 2024-01-01",
                config.file,
                1,
            ) from None
    try:
        if "cron" in defaults:
            defaults["cron"] = cron(str(defaults["cron"]), "model_defaults cron")
        if "interval_unit" in defaults:
            read_unit(defaults["interval_unit"])
    except UnreadableScheduleError as problem:
        raise CompileError(CompileCode.BadConfig, str(problem), config.file, 1) from problem
    if "assertions" in defaults:
        if "audits" in defaults:
            raise CompileError(
                CompileCode.BadConfig,
                "model_defaults: audits and assertions say the same; keep one of them",
                config.file,
                1,
            )
        defaults["audits"] = defaults.pop("assertions")
        config.is_vulcan = True
    for key in ("pre_statements", "post_statements", "on_virtual_update", "audits"):
        if isinstance(defaults.get(key), str):
            defaults[key] = [defaults[key]]
    if not isinstance(defaults.get("physical_properties") or {}, dict):
        raise CompileError(
            CompileCode.BadConfig,
            "model_defaults physical_properties is not a mapping; write 'key: value' lines",
            config.file,
            1,
        )
    return defaults


def _note_the_rest(config: Config, content: Mapping[str, Any]) -> None:
    connections = sorted(_CONNECTION & content.keys())
    if connections:
        message = f"{', '.join(connections)} not converted: profiles.yml decides where this runs"
        config.notes.append(Diagnostic.of(CompileCode.GatewayIgnored, message, config.file, 1))
    config.not_converted = sorted(content.keys() - _READ - _CONNECTION)


def _mapping(content: Mapping[str, Any], name: str, file: str) -> dict[str, Any]:
    value = content.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise CompileError(CompileCode.BadConfig, f"{name} is {value!r}; write a mapping", file, 1)
    return {str(key): item for key, item in value.items()}


def _texts(content: Mapping[str, Any], name: str, file: str) -> list[str]:
    value = content.get(name) or []
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise CompileError(CompileCode.BadConfig, f"{name} is {value!r}; write a list of strings", file, 1)
    return items


def _read_python(path: Path) -> Config:
    """The literals of a config.py, which is never executed."""
    try:
        literals = literals_of(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise CompileError(
            CompileCode.BadConfig, f"is not Python: {error}", path.name, getattr(error, "lineno", 1) or 1
        ) from error
    config = _config(path.name, literals.settings)
    _note_defaulted(config, literals.defaulted)
    config.notes.extend(
        Diagnostic.of(
            CompileCode.PropertyDropped,
            f"{name} is computed and was not read; --run-config runs config.py, in a process of its own",
            path.name,
            line,
        )
        for name, line in literals.computed
        if name.split(".")[0] not in _CONNECTION
    )
    return config


def _run_python(path: Path) -> Config:
    """The settings of a config.py, which is executed."""
    found = run_config(path)
    config = _config(path.name, found["settings"])
    _note_defaulted(config, found["defaulted"])
    if found["unset"]:
        message = f"{', '.join(found['unset'])} of the environment: asked for in {path.name}, and taken as not set"
        config.notes.append(Diagnostic.of(CompileCode.VariableFrozen, message, path.name, 1))
    config.notes.extend(
        Diagnostic.of(
            CompileCode.PropertyDropped,
            f"{name} comes from what is not run or not installed here, and was not read",
            path.name,
            1,
        )
        for name in found["computed"]
        if name.split(".")[0] not in _CONNECTION and name.split(".")[0] in _READ
    )
    return config
