"""The files of a project, and the table names derived from their paths."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from dbt_kinds.codes import OndatraCode
from dbt_kinds.diagnostics import Diagnostic, Place
from dbt_kinds.errors import UnreadableProjectError
from dbt_kinds.readers.ondatrasql.header import ModelText, read_text

_PART = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# files that mark a folder as another tool's project
_OF_OTHERS = ("config.yaml", "config.yml", "config.py", "smelt.yml", "dbt_project.yml")
_SCRIPTS = (".star", ".yaml", ".yml", ".py")
_TEST = re.compile(r"\{%-?\s*test\s+(?P<name>\w+)\s*\(\s*model\s*(?:,(?P<parameters>[^)]*))?\)")


@dataclass(frozen=True)
class Target:
    """The table that a file builds."""

    schema: str
    table: str

    @property
    def key(self) -> str:
        """The key used in references."""
        return f"{self.schema}.{self.table}".lower()

    def __str__(self) -> str:
        """The name as people write it."""
        return f"{self.schema}.{self.table}"


@dataclass(frozen=True)
class ModelFile:
    """A model's file, its table, and what is wrong with its name."""

    path: str
    target: Target
    text: ModelText
    findings: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True)
class OwnTest:
    """A generic test of the project: its file, and its parameters besides the model."""

    name: str
    path: str
    parameters: tuple[str, ...]


@dataclass
class Files:
    """All files that are read.

    Attributes:
        scripts: models that are not SQL.
        libraries: names of the functions of `lib/`.
        settings: files of `config/` with their contents.
        tests: generic tests of the project by name, and `test_files` with their contents.
    """

    models: list[ModelFile] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)
    libraries: frozenset[str] = frozenset()
    settings: dict[str, str] = field(default_factory=dict)
    tests: dict[str, OwnTest] = field(default_factory=dict)
    test_files: dict[str, str] = field(default_factory=dict)


def is_ondatrasql_project(root: Path) -> bool:
    """Whether SQL files in `models/` begin with `@kind`, and no other tool's configuration exists."""
    if any((root / name).is_file() for name in _OF_OTHERS):
        return False
    return any(
        any(directive.name == "kind" for directive in read_text(_text(root / path)).directives)
        for path in _paths(root, "models", (".sql",))
    )


def read_files(root: Path) -> Files:
    """Reads all files of a project.

    Raises:
        UnreadableProjectError: there is no folder with models.
    """
    if not (root / "models").is_dir():
        raise UnreadableProjectError(f"{root} has no folder models; name the one that holds it")
    files = Files()
    taken: dict[str, str] = {}
    for path in _paths(root, "models", (".sql",)):
        target, findings = target_of(path)
        if not findings and target.key in taken:
            message = f"{target} is the table of {taken[target.key]} already; rename one of the two files"
            findings = (Diagnostic(OndatraCode.DuplicateTarget, "error", Place(path, 1, 1), message),)
        taken.setdefault(target.key, path)
        files.models.append(ModelFile(path, target, read_text(_text(root / path)), findings))
    files.scripts = list(_paths(root, "models", _SCRIPTS))
    files.libraries = frozenset(PurePosixPath(path).stem.lower() for path in _paths(root, "lib", (".star", ".py")))
    files.settings = {path: _text(root / path) for path in _paths(root, "config", (".sql",))}
    for path in _paths(root, "tests", (".sql",)):
        text = _text(root / path)
        for found in _TEST.finditer(text):
            parameters = [part.split("=")[0].strip() for part in (found["parameters"] or "").split(",")]
            files.tests[found["name"]] = OwnTest(found["name"], path, tuple(part for part in parameters if part))
            files.test_files[path] = text
    return files


def target_of(path: str) -> tuple[Target, tuple[Diagnostic, ...]]:
    """The table of a file in `models/`: its first folder is the schema, deeper ones are joined to the name."""
    parts = PurePosixPath(path).with_suffix("").parts[1:]
    target = Target(parts[0] if len(parts) > 1 else "main", "__".join(parts[1:] or parts))
    findings = []
    for part in parts:
        reason = _wrong_with(part)
        if reason is not None:
            findings.append(
                Diagnostic(
                    OndatraCode.InvalidTarget, "error", Place(path, 1, 1), f"{part} in the path of {target} {reason}"
                )
            )
    return target, tuple(findings)


def _wrong_with(part: str) -> str | None:
    if not _PART.fullmatch(part):
        return "is no plain name; write letters, digits and underscores, and no digit first"
    if "__" in part:
        return "contains __, which joins the names of folders; write one underscore"
    if part.lower().startswith("_ondatra"):
        return "begins with _ondatra, which is kept for the tool's own tables; rename it"
    return None


def _paths(root: Path, folder: str, suffixes: tuple[str, ...]) -> Iterator[str]:
    for file in sorted((root / folder).rglob("*")) if (root / folder).is_dir() else ():
        path = PurePosixPath(file.relative_to(root).as_posix())
        if file.is_file() and file.suffix in suffixes and not any(part.startswith(".") for part in path.parts):
            yield str(path)


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n").removeprefix("\ufeff")
