"""How dbt and the JVMs of tests run: they live for seconds or minutes and see little data."""

from __future__ import annotations

import gc
import json
import os
import shutil
from pathlib import Path
from typing import Any

import dbt.cli.requires
from click import Context
from dbt.contracts.graph.manifest import Manifest
from dbt_common.tests import enable_test_caching

from tests.functional.project import PACKAGE

# for one process and tables of a few rows: compiling code for a query and shuffling its rows into parts takes longer than the query
SETTINGS = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    # no other process has to read the metastore
    "spark.hadoop.javax.jdo.option.ConnectionURL": "jdbc:derby:memory:metastore;create=true",
}


def quick_dbt() -> None:
    """Lets this process parse quickly, again and again.

    dbt parses its 650 macros anew whenever --vars change, unless it caches them as its own test suite does; and its many
    objects make Python's garbage collector look at all of them often (measured: 0.45 instead of 0.7 s of CPU a parse).
    """
    enable_test_caching()
    gc.set_threshold(100_000, 50, 100)
    _reuse_parsing()


def _reuse_parsing() -> None:
    """Hands the last manifest of a project to the next invocation that would parse the same.

    Half of the invocations change nothing but the time (measured: parsing is two fifths of an invocation of one model).
    dbt offers this to programs; what a run writes into its nodes is not handed on.
    """
    parse = dbt.cli.requires.setup_manifest
    parsed: dict[str, tuple[str, Manifest]] = {}

    def setup_manifest(ctx: Context, **settings: Any) -> None:
        flags = ctx.obj["flags"]
        if ctx.obj.get("manifest") is not None or flags.WRITE_JSON or flags.PARTIAL_PARSE:
            parse(ctx, **settings)
            return
        root = str(ctx.obj["runtime_config"].project_root)
        state = _state(ctx)
        if root in parsed and parsed[root][0] == state:
            ctx.obj["manifest"] = _unused(parsed[root][1])
            parse(ctx, **settings)
            return
        parse(ctx, **settings)
        parsed[root] = (state, _unused(ctx.obj["manifest"]))

    dbt.cli.requires.setup_manifest = setup_manifest


def _state(ctx: Context) -> str:
    """What the manifest of an invocation depends on."""
    config = ctx.obj["runtime_config"]
    # the package and its variables that begin with kinds_ are read when a model runs
    variables = {name: value for name, value in config.cli_vars.items() if not name.startswith("kinds_")}
    environment = {name: value for name, value in os.environ.items() if name.startswith("DBT")}
    credentials = config.credentials.to_dict(omit_none=True)
    flags = [ctx.obj["flags"].WARN_ERROR, str(ctx.obj["flags"].WARN_ERROR_OPTIONS)]
    return json.dumps([variables, environment, credentials, flags, _files(Path(config.project_root))], default=str)


def _files(folder: Path) -> list[tuple[str, int, int]]:
    """The files of a project but for what dbt writes; other packages are linked, and stay as they are."""
    found = []
    for path in sorted(folder.iterdir()):
        if path.is_dir() and path.name not in ("target", "logs"):
            found.append((str(path), 0, 0))
            found.extend([] if path.is_symlink() else _files(path))
        elif path.is_file():
            facts = path.stat()
            found.append((str(path), facts.st_mtime_ns, facts.st_size))
    return found


def _unused(manifest: Manifest) -> Manifest:
    """A manifest as it was parsed, whose nodes a run may write to."""
    copy = Manifest.__new__(Manifest)
    copy.__dict__.update(manifest.__dict__)
    for kind in ("nodes", "sources", "exposures", "unit_tests", "disabled"):
        setattr(copy, kind, _copied(getattr(manifest, kind)))
    copy.build_flat_graph()
    return copy


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _copied(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_copied(one) for one in value]
    return value.from_dict(value.to_dict(omit_none=True))


def quick_jvms() -> None:
    """Lets JVMs that are started from here on compile once, quickly, and collect garbage seldom and in one thread.

    A quarter of the time of a test goes where code is compiled for long lives (measured: 102 s instead of 141 s of CPU).
    """
    options = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC -Xmn400m"
    # each session of a Thrift server that ends collects garbage by hand, four times (measured: half of a server's time)
    options += " -XX:+DisableExplicitGC"
    # Hadoop calls chmod for every file that it writes
    options += " -Djdk.lang.Process.launchMechanism=VFORK"
    os.environ["JAVA_TOOL_OPTIONS"] = options


def lean_package(folder: Path) -> Path:
    """Copies the package into a folder without the descriptions of its macros, which take a third of a parse.

    (Measured: 0.8 and 0.53 s of CPU.)
    """
    for file in (PACKAGE / "dbt_project.yml", *(PACKAGE / "macros").rglob("*.sql")):
        copy = folder / file.relative_to(PACKAGE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        # dbt 2.0 does not follow links to files
        shutil.copyfile(file, copy)
    return folder
