"""Compiles projects of a few lines."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from dbt_kinds.cli import main
from dbt_kinds.compile.convert import compile_project
from dbt_kinds.compile.report import Report
from dbt_kinds.compile.request import CompileRequest
from dbt_kinds.diagnostics import Diagnostic
from dbt_kinds.kinds import Model, Project
from dbt_kinds.readers.sqlmesh.context import Options
from dbt_kinds.readers.sqlmesh.project import read_project
from dbt_kinds.writers.dbt_project import write_project

CONFIG = "model_defaults:\n  dialect: {dialect}\n  start: 2024-01-01\n"


def write_files(root: Path, files: Mapping[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


@dataclass
class Compiled:
    """What one model of a small project came to."""

    project: Project
    model: Model | None
    notes: list[Diagnostic]

    @property
    def codes(self) -> list[str]:
        return [note.code.name for note in self.notes]

    @property
    def refusal(self) -> str:
        """The code and line of what refused the model, as in `MissingName:1`."""
        return next((f"{note.code}:{note.place.line}" for note in self.notes if note.severity == "refused"), "")


def read(
    text: str, dialect: str = "duckdb", config: str = "", files: Mapping[str, str] | None = None, **options: Any
) -> Compiled:
    """Reads a project of one model beside other files."""
    with tempfile.TemporaryDirectory() as folder:
        root = write_files(
            Path(folder),
            {"config.yaml": CONFIG.format(dialect=dialect) + config, **(files or {}), "models/model.sql": text},
        )
        project = read_project(root, Options(name="shop", **options))
    models = [model for model in project.models if model.place.file == "models/model.sql"]
    left = [note for entry in project.left_out if entry.place.file == "models/model.sql" for note in entry.notes]
    return Compiled(project, models[0] if models else None, models[0].notes if models else left)


def written(files: Mapping[str, str], out: Path, **request: Any) -> Report:
    """Compiles a project of some files into a folder."""
    with tempfile.TemporaryDirectory() as folder:
        root = write_files(Path(folder) / "shop", {"config.yaml": CONFIG.format(dialect="duckdb"), **files})
        return compile_project(CompileRequest(root, out, **request))


def run(*arguments: object) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of `dbt-kinds compile`."""
    result = CliRunner().invoke(main, ["compile", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


def query_of(
    sql: str, dialect: str = "duckdb", config: str = "", files: Mapping[str, str] | None = None, **options: Any
) -> str:
    """The SQL file's query that a full model becomes, on one line; the refusal's code when there is none."""
    from dbt_kinds.writers.jinja import rendered

    compiled = read(f"MODEL (name db.result, kind INCREMENTAL_UNMANAGED);\n{sql}", dialect, config, files, **options)
    if compiled.model is None:
        return compiled.refusal.split(":")[0]
    query = compiled.model.query
    assert not hasattr(query, "references")
    nodes = {node.key: node.node for node in (*compiled.project.models, *compiled.project.seeds)}
    return " ".join(rendered(query, nodes.__getitem__).split())


def read_files(files: Mapping[str, str], adapter: str = "spark", *, run_macros: bool = False) -> Project:
    """The project that files are; without a configuration it gets one for Spark."""
    config = {} if "config.py" in files else {"config.yaml": CONFIG.format(dialect="spark")}
    with tempfile.TemporaryDirectory() as folder:
        root = write_files(Path(folder), {**config, **files})
        return read_project(root, Options(adapter=adapter, name="compiled", run_macros=run_macros))


def written_files(files: Mapping[str, str], adapter: str = "spark", *, run_macros: bool = False) -> dict[str, str]:
    """The dbt project that files become, by path, without the line that says it is generated."""
    texts = write_project(read_files(files, adapter, run_macros=run_macros), {"local": "."})
    return {file.path: _without_header(file.text) for file in texts}


def notes_of(project: Project) -> list[Diagnostic]:
    """Everything the report would say."""
    found = [note for node in (*project.models, *project.seeds) for note in node.notes]
    found += [note for left in project.left_out for note in left.notes]
    return found + [note for table in project.sources for note in table.notes] + project.notes


def codes_of(project: Project) -> set[str]:
    """The codes of everything the report would say."""
    return {note.code.name for note in notes_of(project)}


def _without_header(text: str) -> str:
    first, _, rest = text.partition("\n")
    return rest if "generated by dbt-kinds" in first else text
