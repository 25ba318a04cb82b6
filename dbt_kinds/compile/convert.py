"""`dbt-kinds compile` from end to end: read, compare, write, report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dbt_kinds.codes import CompileCode
from dbt_kinds.compile.report import Report, report_of
from dbt_kinds.dbt_package import package_entry
from dbt_kinds.errors import CompileError, KindsError
from dbt_kinds.kinds import Project
from dbt_kinds.readers.ondatrasql import project as ondatrasql
from dbt_kinds.readers.ondatrasql.files import is_ondatrasql_project
from dbt_kinds.readers.smelt.kinds_project import read_kinds_project
from dbt_kinds.readers.smelt.project import is_smelt_project
from dbt_kinds.readers.sqlmesh.context import Options
from dbt_kinds.readers.sqlmesh.project import read_project
from dbt_kinds.translation.target import VERSIONS
from dbt_kinds.writers.dbt_project import write_project
from dbt_kinds.writers.files import Changes, apply_changes, plan_changes


@dataclass(frozen=True)
class CompileRequest:
    """The arguments of the command."""

    source: Path
    out: Path
    tool: str | None = None
    adapter: str = "spark"
    spark: str = VERSIONS[0]
    name: str | None = None
    package: str | None = None
    run_macros: bool = False
    run_config: bool = False
    variables: Mapping[str, Any] = field(default_factory=dict)
    force: bool = False
    check: bool = False
    allow_downgrade: bool = False
    audits_as_tests: bool = False
    allow_delta: tuple[str, ...] = ()


def compile_project(request: CompileRequest, progress: Callable[[str, int, int], None] | None = None) -> Report:
    """Reads a project, writes the dbt project unless only checking, and reports on every part.

    Raises:
        KindsError: nothing was read or written.
    """
    if not request.source.is_dir():
        raise CompileError(CompileCode.SourceNotFound, f"{request.source} is no folder; pass the folder of the project")
    _check_out(request)
    project = _read(request, progress)
    if project.is_all_or_nothing and project.has_refusals:
        return report_of(request.source.name, project, Changes(), is_check=request.check)
    files = write_project(project, package_entry(request.package))
    changes = plan_changes(request.out, files, force=request.force)
    if not request.check:
        apply_changes(request.out, changes)
    return report_of(request.source.name, project, changes, is_check=request.check)


def _read(request: CompileRequest, progress: Callable[[str, int, int], None] | None) -> Project:
    """Reads the project with the requested tool's reader, or with the one its files indicate."""
    if request.tool == "smelt" or (request.tool is None and is_smelt_project(request.source)):
        _check_options(request)
        return read_kinds_project(request.source, request.name, allow_downgrade=request.allow_downgrade)
    if request.tool == "ondatrasql" or (request.tool is None and is_ondatrasql_project(request.source)):
        _check_options(request)
        allowed = ondatrasql.allowed_deltas(request.allow_delta)
        return ondatrasql.read_kinds_project(
            request.source,
            request.name,
            allow_delta=allowed,
            allow_downgrade=request.allow_downgrade,
            audits_as_tests=request.audits_as_tests,
        )[0]
    options = Options(
        adapter=request.adapter,
        spark=request.spark,
        run_macros=request.run_macros,
        run_config=request.run_config,
        variables=request.variables,
        name=request.name,
        is_vulcan=None if request.tool is None else request.tool == "vulcan",
        audits_as_tests=request.audits_as_tests,
    )
    return read_project(request.source, options, progress)


def _check_options(request: CompileRequest) -> None:
    """Other tools have no such configuration, and their queries are written for the oldest version, which all read."""
    if request.spark != VERSIONS[0]:
        raise KindsError("--spark is for SQLMesh and Vulcan; leave it out: every version reads what is written")
    if request.run_config or request.variables:
        raise KindsError("--run-config and --vars are for SQLMesh and Vulcan; leave them out")


def _check_out(request: CompileRequest) -> None:
    out, source = request.out.resolve(), request.source.resolve()
    if out.exists() and not out.is_dir():
        raise CompileError(CompileCode.BadOut, f"{request.out} is a file; pass a folder")
    inputs = [source / name for name in ("models", "seeds", "audits", "macros", "tests")]
    if out == source or any(out == folder or folder in out.parents for folder in inputs):
        raise CompileError(CompileCode.BadOut, f"{request.out} lies in what is read; pass a folder of its own")
