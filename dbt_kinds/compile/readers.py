"""The tools whose projects can be converted: one entry each, which is all that the command knows of a tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dbt_kinds.compile.request import CompileRequest
from dbt_kinds.errors import KindsError
from dbt_kinds.kinds import Project
from dbt_kinds.readers.ondatrasql import project as ondatrasql
from dbt_kinds.readers.ondatrasql.files import is_ondatrasql_project
from dbt_kinds.readers.smelt.kinds_project import read_kinds_project
from dbt_kinds.readers.smelt.project import is_smelt_project
from dbt_kinds.readers.sqlmesh.context import Options
from dbt_kinds.readers.sqlmesh.project import read_project

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Reader:
    """A tool.

    Attributes:
        tool: its name, as `--from` takes it.
        title: its name, as people write it.
        options: the fields of a request that its reader takes, of those that belong to some tools only.
        recognizes: whether a folder holds a project of it.
        read: makes a project of kinds of it. What cannot be converted is left out, with findings.
    """

    tool: str
    title: str
    options: frozenset[str]
    recognizes: Callable[[Path], bool]
    read: Callable[[CompileRequest, Progress | None], Project]


def reader_of(request: CompileRequest) -> Reader:
    """The reader of the tool that is named, or else of the first one that recognizes the folder."""
    named = [one for one in READERS if one.tool == request.tool]
    return next(iter(named or (one for one in READERS if one.recognizes(request.source))))


def check_options(reader: Reader, request: CompileRequest) -> None:
    """Refuses options that belong to other tools.

    Raises:
        KindsError: there is one.
    """
    without = CompileRequest(request.source, request.out)
    for name, flag in _FLAGS.items():
        if name not in reader.options and getattr(request, name) != getattr(without, name):
            titles = [one.title for one in READERS if name in one.options]
            raise KindsError(
                f"{flag} is for {' and '.join(titles)}, and this is a project of {reader.title}; leave it out"
            )


def _smelt(request: CompileRequest, progress: Progress | None) -> Project:
    return read_kinds_project(request.source, request.name, allow_downgrade=request.allow_downgrade)


def _ondatrasql(request: CompileRequest, progress: Progress | None) -> Project:
    project, _ = ondatrasql.read_kinds_project(
        request.source,
        request.name,
        allow_delta=ondatrasql.allowed_deltas(request.allow_delta),
        allow_downgrade=request.allow_downgrade,
        audits_as_tests=request.audits_as_tests,
    )
    return project


def _sqlmesh(request: CompileRequest, progress: Progress | None) -> Project:
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


_FLAGS = {
    "spark": "--spark",
    "run_macros": "--run-macros",
    "run_config": "--run-config",
    "variables": "--vars",
    "audits_as_tests": "--audits-as-tests",
    "allow_downgrade": "--allow-downgrade",
    "allow_delta": "--allow-delta",
}
_OF_SQLMESH = frozenset({"spark", "run_macros", "run_config", "variables", "audits_as_tests"})

# SQLMesh's takes what is left, says what is missing, and tells Vulcan's projects from its own
READERS = (
    Reader("smelt", "smelt", frozenset({"allow_downgrade"}), is_smelt_project, _smelt),
    Reader(
        "ondatrasql",
        "OndatraSQL",
        frozenset({"audits_as_tests", "allow_downgrade", "allow_delta"}),
        is_ondatrasql_project,
        _ondatrasql,
    ),
    Reader("vulcan", "Vulcan", _OF_SQLMESH, lambda root: False, _sqlmesh),
    Reader("sqlmesh", "SQLMesh", _OF_SQLMESH, lambda root: True, _sqlmesh),
)
