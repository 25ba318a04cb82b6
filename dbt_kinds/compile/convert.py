"""`dbt-kinds compile` from end to end: read, compare, write, report."""

from __future__ import annotations

from dbt_kinds.codes import CompileCode
from dbt_kinds.compile.readers import Progress, check_options, reader_of
from dbt_kinds.compile.report import Report, report_of
from dbt_kinds.compile.request import CompileRequest
from dbt_kinds.dbt_package import package_entry
from dbt_kinds.errors import CompileError
from dbt_kinds.writers.dbt_project import write_project
from dbt_kinds.writers.files import Changes, apply_changes, plan_changes


def compile_project(request: CompileRequest, progress: Progress | None = None) -> Report:
    """Reads a project, writes the dbt project unless only checking, and reports on every part.

    Raises:
        KindsError: nothing was read or written.
    """
    if not request.source.is_dir():
        raise CompileError(CompileCode.SourceNotFound, f"{request.source} is no folder; pass the folder of the project")
    _check_out(request)
    reader = reader_of(request)
    check_options(reader, request)
    project = reader.read(request, progress)
    if project.is_all_or_nothing and project.has_refusals:
        return report_of(request.source.name, project, Changes(), is_check=request.check)
    files = write_project(project, package_entry(request.package))
    changes = plan_changes(request.out, files, force=request.force)
    if not request.check:
        apply_changes(request.out, changes)
    return report_of(request.source.name, project, changes, is_check=request.check)


def _check_out(request: CompileRequest) -> None:
    out, source = request.out.resolve(), request.source.resolve()
    if out.exists() and not out.is_dir():
        raise CompileError(CompileCode.BadOut, f"{request.out} is a file; pass a folder")
    inputs = [source / name for name in ("models", "seeds", "audits", "macros", "tests")]
    if out == source or any(out == folder or folder in out.parents for folder in inputs):
        raise CompileError(CompileCode.BadOut, f"{request.out} lies in what is read; pass a folder of its own")
