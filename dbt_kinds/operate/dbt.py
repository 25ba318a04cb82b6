"""Calls dbt inside this process."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import yaml

from dbt_kinds.errors import DbtFailedError, KindsError

_LOOKS_AT = "dbt_kinds: looks at model "


@dataclass(frozen=True)
class DbtOptions:
    """Where and against what dbt runs, named like dbt's own options."""

    project_dir: str | None = None
    profiles_dir: str | None = None
    profile: str | None = None
    target: str | None = None
    variables: Mapping[str, Any] = field(default_factory=dict)

    def with_variables(self, variables: Mapping[str, Any]) -> DbtOptions:
        """The same, with these variables beside its own."""
        return replace(self, variables={**self.variables, **variables})

    def arguments(self) -> list[str]:
        """The options as arguments of dbt's command line."""
        given = {
            "--project-dir": self.project_dir,
            "--profiles-dir": self.profiles_dir,
            "--profile": self.profile,
            "--target": self.target,
            "--vars": yaml_text(self.variables) if self.variables else None,
        }
        return [part for name, value in given.items() if value is not None for part in (name, value)]


def invoke(
    command: Sequence[str],
    options: DbtOptions,
    *,
    quiet: bool,
    on_line: Callable[[str], None] | None = None,
    on_begin: Callable[[str], None] | None = None,
    manifest: Any = None,
) -> Any:
    """Runs one dbt command, passing every line that a macro logs or prints to `on_line`; returns dbt's result.

    Args:
        on_begin: is called with the id of the invocation when it begins.
        manifest: the project as parsed by an earlier command, so that dbt does not read it again.

    Raises:
        KindsError: dbt-core is not installed.
        DbtFailedError: dbt reported an error; the message is dbt's.
    """
    try:
        # importing dbt takes a second
        from dbt.cli.main import dbtRunner
    except ImportError as error:
        raise KindsError(
            f"this command calls dbt-core, which is not installed here ({error}); install it with your adapter,"
            " as in pip install dbt-core dbt-spark"
        ) from error

    errors: list[str] = []
    last = {"statement": "", "model": ""}

    def listen(event: Any) -> None:
        if on_begin is not None and event.info.name == "MainReportVersion":
            on_begin(event.info.invocation_id)
        if event.info.name == "SQLQuery":
            last["statement"] = event.data.sql
        elif event.info.name == "JinjaLogDebug" and event.data.msg.startswith(_LOOKS_AT):
            last["model"] = event.data.msg.removeprefix(_LOOKS_AT)
        elif event.info.name in ("JinjaLogInfo", "PrintEvent") and on_line is not None:
            on_line(event.data.msg)
        elif event.info.level == "error":
            errors.append(event.info.msg)

    log_level = ["--log-level", "none"] if quiet else []
    runner = dbtRunner(manifest=manifest, callbacks=[listen])
    result = runner.invoke([*log_level, *command, *options.arguments()])
    if not result.success:
        told = str(result.exception or "\n".join(errors) or f"dbt {command[0]} failed")
        raise DbtFailedError(told, **last)
    return result.result


@dataclass
class Dbt:
    """A dbt project, parsed only once.

    target/run_results.json is preserved: `dbt retry` reads it, and a run-operation overwrites it (measured on 1.11).
    """

    options: DbtOptions

    @cached_property
    def manifest(self) -> Any:
        """dbt's manifest of the project.

        Raises:
            DbtFailedError: the project or profile cannot be read.
        """
        return self._invoke("parse", manifest=None)

    def operation(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Calls an operation of the package and returns the JSON line it prints.

        Raises:
            KindsError: the package is not installed in the project, or lacks the operation.
            DbtFailedError: the operation raised an error.
        """
        if f"macro.dbt_kinds.{name}" not in self.manifest.macros:
            raise KindsError(_what_to_install(name, self.manifest))
        answers: list[dict[str, Any]] = []

        def listen(line: str) -> None:
            if line.startswith('{"operation": '):
                answers.append(json.loads(line))

        command = ["run-operation", f"dbt_kinds.{name}", "--args", yaml_text(arguments)]
        self._invoke(*command, on_line=listen, manifest=self._fresh_manifest())
        return answers[-1]

    def compiled_code(self, nodes: Sequence[Any], *, full_refresh: bool = False) -> dict[str, str]:
        """The compiled query of every node given, by its unique id.

        Raises:
            DbtFailedError: one of them does not compile.
        """
        # a fully qualified name may also match a folder, which brings in unrequested models
        wanted = {node.unique_id for node in nodes}
        command = ["compile", "--select", *(f"fqn:{'.'.join(node.fqn)}" for node in nodes)]
        result = self._invoke(*command, *(["--full-refresh"] if full_refresh else []), manifest=self._fresh_manifest())
        compiled = [entry.node for entry in result.results]
        return {node.unique_id: node.compiled_code for node in compiled if node.unique_id in wanted}

    def run(self, node: Any, variables: Mapping[str, Any], on_begin: Callable[[str], None] | None = None) -> None:
        """Runs one model with these variables beside those of the project.

        Args:
            on_begin: is called with the id of the invocation when it begins.

        Raises:
            DbtFailedError: the model failed.
        """
        options = self.options.with_variables(variables)
        command = ["--no-write-json", "run", "--select", f"fqn:{'.'.join(node.fqn)}"]
        invoke(command, options, quiet=True, manifest=self._fresh_manifest(), on_begin=on_begin)

    def with_variables(self, variables: Mapping[str, Any]) -> Dbt:
        """The same project, as it is parsed already, with these variables beside its own."""
        other = Dbt(self.options.with_variables(variables))
        other.__dict__.update({"manifest": self.manifest, "_graph": self._graph})
        return other

    @cached_property
    def _graph(self) -> dict[str, Any]:
        return dict(self.manifest.flat_graph)

    def _fresh_manifest(self) -> Any:
        # macros keep state of their invocation in dbt's graph; the next invocation must read the store again
        self.manifest.flat_graph = dict(self._graph)
        return self.manifest

    def _invoke(self, *command: str, **how: Any) -> Any:
        return invoke(["--no-write-json", *command], self.options, quiet=True, **how)


def yaml_text(value: Mapping[str, Any]) -> str:
    """A mapping for dbt's command line, as YAML. JSON does not work: it writes a character beyond 65,535 as two
    escapes, which YAML reads as two broken characters.
    """
    text: str = yaml.dump(dict(value), Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper), sort_keys=False)
    return text


def _what_to_install(operation: str, manifest: Any) -> str:
    if any(macro.package_name == "dbt_kinds" for macro in manifest.macros.values()):
        return (
            f"the dbt package dbt_kinds of this project has no operation {operation}; set its revision in packages.yml "
            "to that of this command, and run dbt deps"
        )
    return (
        f"the project {manifest.metadata.project_name} lacks the dbt package dbt_kinds; add it to packages.yml, "
        "as its README shows, and run dbt deps"
    )
