"""Reads projects of OndatraSQL of a few lines."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dbt_kinds.diagnostics import Diagnostic
from dbt_kinds.kinds import Model, Project
from dbt_kinds.readers.ondatrasql.project import read_kinds_project
from dbt_kinds.writers.dbt_project import write_project
from tests.unit.compiling import write_files

T = "models/mart/t.sql"


@dataclass
class Read:
    """A project as it was read."""

    project: Project
    findings: list[Diagnostic]

    def found(self, severity: str | None = None, path: str | None = None) -> list[tuple[str, int]]:
        """Codes and lines of findings, without what only says that sources are read."""
        return [
            (finding.code.name, finding.place.line)
            for finding in self.findings
            if finding.severity == (severity or finding.severity)
            and finding.place.file == (path or finding.place.file)
            and finding.code.name != "ExternalReference"
        ]

    def model(self, path: str = T) -> Model:
        return next(model for model in self.project.models if model.place.file == path)

    def texts(self) -> dict[str, str]:
        """The files that are written."""
        return {file.path: file.text for file in write_project(self.project, {"local": "."})}

    def query(self, path: str = T) -> str:
        """The query of a model on one line."""
        model = self.model(path)
        text = self.texts()[f"models/{model.schema}/{model.node}.sql"]
        return " ".join(text.partition("\n) }}\n" if "config(\n" in text else " }}\n")[2].split())


def read(files: Mapping[str, str] | str, **options: Any) -> Read:
    """Reads a project; a text alone is the model mart.t."""
    with tempfile.TemporaryDirectory() as folder:
        root = write_files(Path(folder), {T: files} if isinstance(files, str) else files)
        return Read(*read_kinds_project(root, "shop", **options))
