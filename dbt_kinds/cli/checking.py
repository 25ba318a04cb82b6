"""Commands that tell whether models may run on slices of time: check and explain."""

from __future__ import annotations

from pathlib import Path

import click

from dbt_kinds.cli.group import examples, main
from dbt_kinds.cli.options import json_option
from dbt_kinds.cli.printing import NO_MODELS, print_json, print_table, say
from dbt_kinds.errors import UnreadableProjectError


@main.command(epilog=examples("check", "check --compile --fix", "check ../ondatrasql_project --from ondatrasql"))
@click.argument("directory", type=click.Path(path_type=Path), default=Path())
@click.option(
    "--target-path", default="target", show_default=True, help="The folder that dbt compile wrote its manifest to."
)
@click.option("--compile", "compiles", is_flag=True, help="Run dbt compile first, with the project's own profile.")
@click.option(
    "--fix", "fixes", is_flag=True, help="Write the derived bounds (as window_of) and the proof into the models."
)
@click.option(
    "--annotations", "as_annotations", is_flag=True, help="Print findings as GitHub annotations, shown in the diff."
)
@click.option("--sarif", "as_sarif", is_flag=True, help="Print findings as SARIF 2.1.0, for code scanning.")
@click.option(
    "--from",
    "tool",
    type=click.Choice(["smelt", "ondatrasql"]),
    help="Check the files of another tool's project instead.",
)
@click.option("--strict", is_flag=True, help="With --from: also exit with 1 on warnings.")
@json_option
def check(
    directory: Path,
    target_path: str,
    *,
    tool: str | None,
    strict: bool,
    compiles: bool,
    fixes: bool,
    as_annotations: bool,
    as_sarif: bool,
    as_json: bool,
) -> None:
    """Check that the models of a dbt project may run on slices of time. Exits with 1 if one may not.

    Reads target/manifest.json as dbt compile wrote it. With --from it reads the source files of another tool's
    project and reports what dbt-kinds compile would report.
    """
    if tool is not None:
        if compiles or fixes or as_annotations or as_sarif:
            raise click.UsageError("--from goes with --json and --strict only")
        if tool == "smelt":
            return explain_source(directory, strict=strict, as_json=as_json)
        return check_source(directory, strict=strict, as_json=as_json)
    from dbt_kinds.check import fix
    from dbt_kinds.check.annotations import annotation_lines
    from dbt_kinds.check.compiled_project import read_compiled_project
    from dbt_kinds.check.findings import check_project, told_of
    from dbt_kinds.check.sarif import sarif_log
    from dbt_kinds.operate.dbt import DbtOptions, invoke
    from dbt_kinds.verdicts import is_refused, report_lines, verdict_table

    if as_json + as_sarif + as_annotations > 1:
        raise click.UsageError("--json, --sarif and --annotations are three ways to print the same; give one")
    if compiles:
        invoke(["compile", "--target-path", target_path], DbtOptions(project_dir=str(directory)), quiet=True)
    project = read_compiled_project(directory, target_path)
    checked = check_project(project)
    told = told_of(checked)
    if as_json:
        print_json(told)
    elif as_sarif:
        print_json(sarif_log(told))
    elif as_annotations:
        for line in annotation_lines(told):
            click.echo(line)
    else:
        print_table(verdict_table(told))
        for line in report_lines(told):
            say(line)
        if not told["models"]:
            say(NO_MODELS)
    if fixes:
        found = list(fix.fixes(directory, project, checked))
        fix.write_fixes(directory, found)
        for line in fix.report_lines(found):
            say(line)
    if is_refused(told):
        click.get_current_context().exit(1)


def check_source(directory: Path, *, strict: bool, as_json: bool) -> None:
    """Prints the findings of an OndatraSQL project; exits with 1 on errors, with `strict` also on warnings."""
    from dbt_kinds.readers.ondatrasql.project import read_kinds_project

    _, findings = read_kinds_project(directory)
    if as_json:
        print_json(
            [
                {
                    "path": found.place.file,
                    "line": found.place.line,
                    "column": found.place.column,
                    "code": found.code.name,
                    "severity": found.severity,
                    "message": found.message,
                }
                for found in findings
            ]
        )
    else:
        for found in findings:
            say(f"{found.place}:{found.place.column}: {found.severity} {found.code}: {found.message}")
        say(f"{len(findings)} findings")
    grave = ("error", "warning") if strict else ("error",)
    if any(found.severity in grave for found in findings):
        click.get_current_context().exit(1)


@main.command(epilog=examples("explain ../smelt_project"))
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--from", "origin", type=click.Choice(["smelt"]), help="The project's tool; detected by default.")
@json_option
def explain(directory: Path, origin: str | None, as_json: bool) -> None:
    """Show whether each model may run on slices of time, and how far it reads. Exits with 1 if one may not.

    The same as check --from smelt.
    """
    from dbt_kinds.readers.smelt.project import is_smelt_project

    if origin is None and not is_smelt_project(directory):
        raise UnreadableProjectError(f"{directory} has no smelt.yml; write --from smelt where it is a smelt project")
    explain_source(directory, strict=False, as_json=as_json)


def explain_source(directory: Path, *, strict: bool, as_json: bool) -> None:
    """Prints the verdicts on a smelt project; exits with 1 if a model is refused, with `strict` also on warnings."""
    from dbt_kinds.explain import explanation
    from dbt_kinds.readers.smelt.project import read_project
    from dbt_kinds.verdicts import findings_in, is_refused, report_lines, verdict_table

    project = read_project(directory)
    told = explanation(project)
    for warning in project.warnings:
        say(warning)
    if as_json:
        print_json(told)
    else:
        print_table(verdict_table(told))
        for line in report_lines(told):
            say(line)
    if is_refused(told) or (strict and (project.warnings or any(findings_in(told)))):
        click.get_current_context().exit(1)
