"""dbt 2.0, and the driver through which its statements reach the Spark of tests: fetched once into a folder of the working copy."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

# the last one whose wheel holds the program; later ones fetch it from elsewhere
VERSION = "2.0.0rc196"
DUCKDB = "@duckdb/node-bindings-linux-x64@1.5.5-r.5"
CACHE = Path(__file__).parents[2] / ".fusion"
# dbt 2.0 asks for one of these versions of its driver, and fetches it where it is not there
DRIVERS = [f"libadbc_driver_spark-0.21.0.dev+dbt0.1.{patch}.so" for patch in (1, 2, 3)]


class EngineMissing(Exception):  # noqa: N818 (it is no failure)
    """dbt 2.0 cannot be had here; says what is missing."""


@dataclass(frozen=True)
class Engine:
    """Where the program is, and what is in its environment."""

    program: Path
    environment: dict[str, str]


def fetched_engine() -> Engine:
    """The engine in the folder `.fusion`, fetched by pip and npm, and its driver compiled there.

    Raises:
        EngineMissing: one of the two, or a compiler, is not there.
    """
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise EngineMissing("the driver for dbt 2.0 is built for Linux on x86-64 only")
    program, library = _program(), _duckdb()
    _driver(CACHE / "drivers" / "com.getdbt" / "adbc" / "x86_64-manylinux_2_17-linux-gnu")
    environment = {
        "XDG_CACHE_HOME": str(CACHE / "drivers"),
        "KINDS_DUCKDB": str(library),
        "DO_NOT_TRACK": "1",
        "DBT_ALLOW_EXPERIMENTAL_ADAPTERS": "true",
        "NO_COLOR": "1",
        "RUST_BACKTRACE": "0",
    }
    return Engine(program, environment)


def _program() -> Path:
    folder = CACHE / f"dbt-{VERSION}"
    program = folder / "bin" / "dbt"
    if not program.exists():
        _call([sys.executable, "-m", "venv", str(folder)])
        _call([str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--pre", f"dbt=={VERSION}"])
    return program


def _duckdb() -> Path:
    library = CACHE / "libduckdb.so"
    if not library.exists():
        CACHE.mkdir(exist_ok=True)
        (archive,) = _call(["npm", "pack", "--silent", "--pack-destination", str(CACHE), DUCKDB]).split()
        with tarfile.open(CACHE / archive) as files:
            content = files.extractfile(f"package/{library.name}")
            assert content is not None
            partial = library.with_suffix(".partial")
            with partial.open("wb") as file:
                shutil.copyfileobj(content, file)
            partial.rename(library)
        (CACHE / archive).unlink()
    return library


def _driver(folder: Path) -> None:
    source = Path(__file__).parent / "driver.c"
    folder.mkdir(parents=True, exist_ok=True)
    newest = folder / DRIVERS[-1]
    if not newest.exists() or newest.stat().st_mtime < source.stat().st_mtime:
        for name in DRIVERS:
            _call(["gcc", "-O1", "-shared", "-fPIC", "-pthread", "-o", str(folder / name), str(source), "-ldl"])


def _call(command: list[str]) -> str:
    words = " ".join(command)
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ, timeout=600)
    except (FileNotFoundError, subprocess.TimeoutExpired) as problem:
        raise EngineMissing(f"dbt 2.0 cannot be had here: `{words}`: {problem}") from problem
    if done.returncode:
        raise EngineMissing(f"dbt 2.0 cannot be had here: `{words}` failed: {done.stderr.strip()[-500:]}")
    return done.stdout
