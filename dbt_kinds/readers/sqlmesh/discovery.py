"""Finds the files of a project, in sorted order, by type."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from dbt_kinds.codes import CompileCode
from dbt_kinds.errors import CompileError

_NOT_CONVERTED = ("linter", "signals", "materializations")
_OF_VULCAN = ("models/semantics/", "models/metrics/", "semantics/", "metrics/", "dq/", "checks/")
_KIND_OF_VULCAN = re.compile(r"^\s*kind\s*:\s*['\"]?(semantic|metric|dq)\b", re.MULTILINE | re.IGNORECASE)
_SKIPPED = frozenset({"__pycache__", "node_modules", "target", "dbt_packages", "venv"})


@dataclass
class Files:
    """Paths relative to the root, in POSIX spelling.

    Attributes:
        semantics: YAML with semantic models, metrics and checks in a Vulcan project.
        not_converted: folders that have no counterpart in dbt.
    """

    root: Path
    models: list[str] = field(default_factory=list)
    python_models: list[str] = field(default_factory=list)
    audits: list[str] = field(default_factory=list)
    jinja_macros: list[str] = field(default_factory=list)
    python_macros: list[str] = field(default_factory=list)
    external: list[str] = field(default_factory=list)
    unit_tests: list[str] = field(default_factory=list)
    metrics: list[str] = field(default_factory=list)
    semantics: list[str] = field(default_factory=list)
    not_converted: list[str] = field(default_factory=list)

    def text(self, path: str) -> str:
        """The text of a file; invalid UTF-8 is replaced, so that one odd comment does not stop everything."""
        return (self.root / path).read_bytes().decode("utf-8-sig", errors="replace").replace("\r\n", "\n")


def find_files(root: Path, ignore_patterns: Iterable[str]) -> Files:
    """Finds a project's files.

    Raises:
        CompileError: the root is not a folder (SourceNotFound).
    """
    if not root.is_dir():
        raise CompileError(CompileCode.SourceNotFound, f"{root} is no folder; pass the folder of the project")
    patterns = list(ignore_patterns)
    files = Files(root)
    for path in _walk(root, root):
        if not any(_matches(path, pattern) for pattern in patterns):
            _sort_in(files, path)
    files.not_converted = [f"{name}/" for name in _NOT_CONVERTED if (root / name).is_dir()]
    return files


def has_semantics(files: Files) -> bool:
    """Whether there is YAML of Vulcan's, by folder or by its `kind`; SQLMesh does not read it."""
    return any(path.startswith(_OF_VULCAN) or _KIND_OF_VULCAN.search(files.text(path)) for path in files.semantics)


def _sort_in(files: Files, path: str) -> None:
    parts = PurePosixPath(path).parts
    top, suffix = parts[0], PurePosixPath(path).suffix
    is_yaml = suffix in (".yaml", ".yml")
    if top in ("dq", "checks", "semantics", "metrics") and is_yaml:
        files.semantics.append(path)
    elif path in ("external_models.yaml", "external_models.yml", "schema.yaml", "schema.yml") or (
        top == "external_models" and is_yaml
    ):
        files.external.append(path)
    elif top == "models" and is_yaml:
        files.semantics.append(path)
    elif top == "models" and suffix == ".sql":
        files.models.append(path)
    elif top == "models" and suffix == ".py" and parts[-1] != "__init__.py":
        files.python_models.append(path)
    elif top == "audits" and suffix == ".sql":
        files.audits.append(path)
    elif top == "macros" and suffix == ".sql":
        files.jinja_macros.append(path)
    elif top == "macros" and suffix == ".py":
        files.python_macros.append(path)
    elif top == "tests" and is_yaml and parts[-1].startswith("test"):
        files.unit_tests.append(path)
    elif top == "metrics" and suffix == ".sql":
        files.metrics.append(path)


def _walk(folder: Path, root: Path) -> Iterator[str]:
    for entry in sorted(folder.iterdir(), key=lambda path: path.name):
        if entry.name.startswith(".") or entry.name in _SKIPPED:
            continue
        if entry.is_dir():
            yield from _walk(entry, root)
        else:
            yield entry.relative_to(root).as_posix()


def _matches(path: str, pattern: str) -> bool:
    """Whether a pattern of the config matches a path; `**/` also matches no folder at all."""
    variants = {pattern, pattern.replace("**/", "")}
    return any(fnmatch.fnmatch(path, variant) for variant in variants)
