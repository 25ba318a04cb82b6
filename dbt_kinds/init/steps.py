"""What a project lacks: the package, the dispatch of an embedded session, a profile, a start of its tables."""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

import yaml

from dbt_kinds.analysis.edits import edited
from dbt_kinds.dbt_package import package_entry
from dbt_kinds.dbt_profiles import target_of
from dbt_kinds.errors import KindsError
from dbt_kinds.file_diffs import file_diff
from dbt_kinds.init.yaml_edits import item_edit, node_at, with_item, with_value
from dbt_kinds.local.profile import DEFAULT_DIRECTORY, local_profile

PROJECT = "dbt_project.yml"
PACKAGES = "packages.yml"
PROFILES = "profiles.yml"
IGNORED = ".gitignore"


@dataclass
class Setup:
    """The files of a project as they are, as they should be, and what there is to say.

    Attributes:
        old: texts by name; a file that is not there has none.
        new: texts by name, of the same files and of new ones.
        told: sentences: what is there already, what was chosen, what comes next.
    """

    root: Path
    old: dict[str, str] = field(default_factory=dict)
    new: dict[str, str] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)

    @property
    def changed(self) -> list[str]:
        """The names of the files that change."""
        return [name for name, text in self.new.items() if self.old.get(name) != text]

    def diffs(self) -> Iterator[str]:
        """A unified diff of each file that changes."""
        for name in self.changed:
            yield file_diff(self.old.get(name, ""), self.new[name], name, is_new=name not in self.old)

    def write(self) -> None:
        """Writes the files that change."""
        for name in self.changed:
            text = self.new[name]
            if "\r\n" in self.old.get(name, ""):
                text = text.replace("\r\n", "\n").replace("\n", "\r\n")
            (self.root / name).write_bytes(text.encode("utf-8"))

    def text(self, name: str) -> str:
        """A file's text so far; "" if there is none."""
        return self.new.get(name, "")


def set_up(root: Path, *, package: str | None, local: bool, start: str | None) -> Setup:
    """What the project in a folder needs to use the package.

    Args:
        package: where `dbt deps` finds the package: a git URL with `@revision`, or a path; by default where this
            command was installed from.
        local: the project gets a profile of an embedded Spark.
        start: the first day that its models load, as `2024-01-31`.

    Raises:
        KindsError: the folder is no dbt project, its profile is not for Spark, or a file cannot be read.
    """
    setup = _read(root)
    project = _mapping(setup, PROJECT)
    name = project.get("name")
    if not isinstance(name, str):
        raise KindsError(f"{root / PROJECT} has no name")
    is_embedded = _add_profile(setup, project) if local else _is_embedded(setup, project)
    _add_package(setup, package)
    if is_embedded:
        _add_dispatch(setup, name)
    _add_start(setup, name, start)
    _say_what_is_next(setup, is_embedded, "file_format='iceberg', " if local else "")
    return setup


def _read(root: Path) -> Setup:
    setup = Setup(root)
    for name in (PROJECT, PACKAGES, "dependencies.yml", PROFILES, IGNORED):
        if (root / name).is_file():
            try:
                setup.old[name] = (root / name).read_bytes().decode("utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise KindsError(f"{root / name} cannot be read: {error}") from error
    if PROJECT not in setup.old:
        raise KindsError(f"no {PROJECT} in {root.resolve()}; name the folder of a dbt project, or make one: dbt init")
    setup.new = dict(setup.old)
    return setup


def _mapping(setup: Setup, name: str) -> dict[str, Any]:
    try:
        content = yaml.safe_load(setup.text(name))
    except yaml.YAMLError as error:
        raise KindsError(f"{setup.root / name} cannot be read: {error}") from error
    if content is not None and not isinstance(content, dict):
        raise KindsError(f"{setup.root / name} is no mapping")
    return content or {}


def _change(setup: Setup, name: str, text: str) -> None:
    """Takes the new text of a file, if it still says what it said."""
    before = _mapping(setup, name)
    setup.new[name] = text
    after = _mapping(setup, name)
    lost = [key for key in before if key not in after]
    if lost or after == before:
        raise KindsError(f"{setup.root / name} is written in a way that this command does not change; do it by hand")


def _add_profile(setup: Setup, project: dict[str, Any]) -> bool:
    name = str(project.get("profile") or "local")
    if "profile" not in project:
        _change(setup, PROJECT, with_value(setup.text(PROJECT), ["profile"], name))
    if name in _mapping(setup, PROFILES):
        setup.told.append(f"{PROFILES} has the profile {name} already")
        return _is_embedded(setup, project | {"profile": name})
    profile = local_profile(setup.root / DEFAULT_DIRECTORY, name=name, schema="analytics", threads=4)
    _change(setup, PROFILES, with_value(setup.text(PROFILES), [name], profile[name]))
    # a profile that was there may be one that all share; dbt writes .user.yml beside it
    _let_git_ignore(setup, f"{DEFAULT_DIRECTORY}/", *([] if PROFILES in setup.old else [PROFILES, ".user.yml"]))
    return True


def _let_git_ignore(setup: Setup, *lines: str) -> None:
    """Tables and a file that names folders of this machine are nothing for a repository."""
    text = setup.text(IGNORED)
    written = {line.strip().strip("/") for line in text.splitlines()}
    missing = [line for line in lines if line.strip("/") not in written]
    if missing:
        setup.new[IGNORED] = (text if not text or text.endswith("\n") else text + "\n") + "".join(
            f"{line}\n" for line in missing
        )


def _is_embedded(setup: Setup, project: dict[str, Any]) -> bool:
    """Whether the project's profile is an embedded session of Spark."""
    name = str(project.get("profile") or "")
    target = target_of(setup.root, name)
    if target is None:
        setup.told.append(
            f"no profile {name} was found: dbt looks into {PROFILES} here and in ~/.dbt; --local makes one of an"
            " embedded Spark"
        )
        return False
    adapter = str(target.get("type"))
    if adapter not in ("spark", "databricks"):
        raise KindsError(
            f"the profile {name} is for {adapter}; dbt_kinds runs on Spark (dbt-spark, dbt-databricks). Let profile: in"
            f" {PROJECT} name another one; if there is none of that name, --local makes it, of an embedded Spark"
        )
    return adapter == "spark" and target.get("method") == "session"


def _add_package(setup: Setup, package: str | None) -> None:
    for name in (PACKAGES, "dependencies.yml"):
        for entry in _mapping(setup, name).get("packages") or []:
            if isinstance(entry, dict) and _is_ours(entry, setup.root):
                setup.told.append(f"{name} names the package already")
                return
    has_dependencies = "dependencies.yml" in setup.old and PACKAGES not in setup.old
    name = "dependencies.yml" if has_dependencies else PACKAGES
    entry = package_entry(package or _installed_from(setup.root))
    try:
        text = with_item(setup.text(name), ["packages"], entry)
    except ValueError as error:
        raise KindsError(f"{setup.root / name}: {error}") from error
    _change(setup, name, text)
    if "local" in entry:
        setup.told.append(
            f"{name} names a folder of this machine; for jobs elsewhere, --package takes a git URL with @revision"
        )


def _is_ours(entry: dict[str, Any], root: Path) -> bool:
    if "local" in entry:
        file = root / str(entry["local"]) / PROJECT
        return file.is_file() and re.search(r"(?m)^name:\s*['\"]?dbt_kinds\b", file.read_text("utf-8")) is not None
    where = str(entry.get("package") or entry.get("git") or "")
    return PurePosixPath(where.rstrip("/")).name.removesuffix(".git") == "dbt_kinds"


def _installed_from(root: Path) -> str | None:
    """Where this command comes from, as pip recorded it: a git URL with its commit or a folder; None for a registry."""
    try:
        recorded = importlib.metadata.distribution("dbt-kinds").read_text("direct_url.json")
    except importlib.metadata.PackageNotFoundError:
        return None
    if recorded is None:
        return None
    source = json.loads(recorded)
    if "vcs_info" in source:
        return f"{source['url']}@{source['vcs_info']['commit_id']}"
    folder = Path(unquote(urlsplit(source["url"]).path))
    if not (folder / PROJECT).is_file():
        return None
    try:
        # a path through the folder above is what people write, and what moves with both
        return f"../{folder.relative_to(root.resolve().parent)}"
    except ValueError:
        return str(folder)


def _add_dispatch(setup: Setup, name: str) -> None:
    """dbt's own tables, seeds and snapshots need it to be built twice in an embedded session."""
    text = setup.text(PROJECT)
    entries = _mapping(setup, PROJECT).get("dispatch") or []
    for position, entry in enumerate(entries):
        if not isinstance(entry, dict) or entry.get("macro_namespace") != "dbt":
            continue
        if "dbt_kinds" not in entry.get("search_order", []):
            node = node_at(text, ["dispatch"])
            assert isinstance(node, yaml.SequenceNode)
            order = next(value for key, value in node.value[position].value if key.value == "search_order")
            _change(setup, PROJECT, edited(text, [item_edit(text, order, "dbt_kinds", before="dbt")]))
        return
    entry = {"macro_namespace": "dbt", "search_order": [name, "dbt_kinds", "dbt"]}
    _change(setup, PROJECT, with_item(text, ["dispatch"], entry))


def _add_start(setup: Setup, name: str, start: str | None) -> None:
    """The first day of all models that do not say another."""
    models = _mapping(setup, PROJECT).get("models") or {}
    meta = (models.get(name) or {}).get("+meta") or {}
    if "start" in meta or "begin" in meta:
        setup.told.append(f"{PROJECT} has a start already")
        return
    if start is None:
        setup.told.append(
            "no start: a model says it in its meta, or --start 2024-01-31 says it for all that do not say another"
        )
        return
    try:
        first = datetime.date.fromisoformat(start)
    except ValueError as error:
        raise KindsError(f"--start {start} is no day; write it as 2024-01-31") from error
    text = with_value(setup.text(PROJECT), ["models", name, "+meta", "start"], first.isoformat())
    _change(setup, PROJECT, text)


def _say_what_is_next(setup: Setup, is_embedded: bool, file_format: str) -> None:
    config = f"materialized='incremental_by_time_range', {file_format}meta={{'time_column': 'order_date'}}"
    setup.told += [
        "next: dbt deps" + (", in an environment with dbt-kinds[local]" if is_embedded else ""),
        f"then: one model with {{{{ config({config}) }}}}, or what `dbt-kinds migrate` proposes",
        "then: dbt-kinds plan, which writes nothing, and dbt run",
    ]
