"""The local default: Java, Iceberg and the profile, as far as no Spark is needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from dbt_kinds.cli import main
from dbt_kinds.errors import KindsError
from dbt_kinds.local import jars, java, launcher
from dbt_kinds.local.jars import format_settings, installed_spark, what_spark_fetches
from dbt_kinds.local.profile import local_profile, render_profile, spark_settings
from dbt_kinds.local.turn import wait_for_turn


def fake_java(home: Path, version: str) -> Path:
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    program.chmod(0o755)
    return home


@pytest.mark.parametrize(
    ("version", "serves"), [("17", True), ("17.0.9", True), ("1.8.0_392", False), ("11.0.2", False), ("21", False)]
)
def test_only_java_17_serves(tmp_path: Path, version: str, serves: bool) -> None:
    assert java.is_java_17(fake_java(tmp_path / "jdk", version)) is serves


def test_a_java_17_in_java_home_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = fake_java(tmp_path / "jdk", "17.0.1")
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert java.find_java_home() == home


def test_a_java_17_on_the_path_is_used_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(fake_java(tmp_path / "jdk", "17.0.1") / "bin"))
    assert java.find_java_home() is None


def test_another_java_gives_way_to_the_runtime_of_the_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "jdk", "11.0.2")))
    assert java.find_java_home() == java.bundled_java_home()
    assert java.is_java_17(java.bundled_java_home())


@pytest.mark.parametrize(("version", "replaced"), [("17.0.1", False), ("11.0.2", True), (None, True)])
def test_spark_finds_java_by_itself_afterwards(tmp_path: Path, version: str | None, replaced: bool) -> None:
    spark_env = launcher.prepare_launcher(tmp_path)
    assert spark_env == tmp_path / "conf" / "spark-env.sh"
    home = fake_java(tmp_path / "jdk", version) if version else None
    environment = {"PATH": "/nowhere"} | ({"JAVA_HOME": str(home)} if home else {})
    script = (
        f"PATH=$PATH:{':'.join(programs_without_java(tmp_path))}; set -a; . '{spark_env}'; printf %s \"$JAVA_HOME\""
    )
    told = subprocess.run(["/bin/bash", "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert told.stdout == str(java.bundled_java_home() if replaced else home)


def programs_without_java(folder: Path) -> list[str]:
    programs = folder / "programs"
    programs.mkdir()
    (programs / "grep").symlink_to("/bin/grep")
    return [str(programs)]


def test_a_spark_env_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "spark-env.sh").write_text("export MINE=1\n")
    assert launcher.prepare_launcher(tmp_path) is None
    assert (tmp_path / "conf" / "spark-env.sh").read_text() == "export MINE=1\n"


def test_a_turn_is_waited_for_in_two_lines_and_not_for_a_process_that_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("dbt_kinds.local.turn.PATIENCE", 0.3)
    gone = subprocess.Popen(["true"])
    gone.wait()
    with (tmp_path / "turn").open("w+") as first, (tmp_path / "turn").open("r+") as second:
        assert wait_for_turn(first.fileno(), 4711, "/tables/metastore")
        assert capsys.readouterr().err == ""
        is_alive = iter([True, True, True, False])
        monkeypatch.setattr("dbt_kinds.local.turn._is_alive", lambda process: next(is_alive))
        assert not wait_for_turn(second.fileno(), gone.pid, "/tables/metastore")
        first_line, second_line = capsys.readouterr().err.splitlines()
        monkeypatch.undo()
        assert first_line == (
            "dbt-kinds: process 4711 uses the metastore of this profile (/tables/metastore); waiting until it ends"
        )
        assert "dbt-kinds local-profile --dir" in second_line
        assert not wait_for_turn(second.fileno(), gone.pid, "/tables/metastore")
    assert (tmp_path / "turn").read_text() == "4711"


def test_the_settings_are_absolute_and_name_jars_that_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = spark_settings(Path("data"))
    assert settings["spark.sql.warehouse.dir"] == str(tmp_path / "data" / "warehouse")
    assert (
        f"databaseName={tmp_path / 'data' / 'metastore'};create=true"
        in settings["spark.hadoop.javax.jdo.option.ConnectionURL"]
    )
    assert Path(settings["spark.jars"]).name.startswith("iceberg-spark-runtime-3.5_2.12")
    assert Path(settings["spark.jars"]).exists()


def test_jars_come_from_a_folder_else_a_wheel_else_from_maven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KINDS_JARS", raising=False)
    assert installed_spark() == "3.5"
    assert format_settings("delta")["spark.jars.packages"] == "io.delta:delta-spark_2.12:3.3.3"
    assert format_settings("delta", "4.1")["spark.jars.packages"] == "io.delta:delta-spark_4.1_2.13:4.3.1"
    assert "spark.jars" in format_settings("iceberg") and "spark.jars.packages" in format_settings("iceberg", "4.1")
    folder = tmp_path / "delta-spark-3.5"
    folder.mkdir()
    for name in ("storage.jar", "delta.jar"):
        (folder / name).touch()
    monkeypatch.setenv("KINDS_JARS", str(tmp_path))
    assert format_settings("delta")["spark.jars"] == f"{folder / 'delta.jar'},{folder / 'storage.jar'}"
    assert "spark.jars.packages" not in format_settings("delta")
    # another version is not taken for it
    assert "spark.jars" not in format_settings("delta", "4.1")
    assert format_settings("parquet") == {}


def test_a_version_without_jars_is_refused_in_words() -> None:
    with pytest.raises(KindsError, match=r"no jar of delta is known for Spark 3.4; install PySpark 3.5"):
        format_settings("delta", "3.4")


def test_the_profile_of_a_format_has_its_catalog() -> None:
    told = CliRunner().invoke(main, ["local-profile", "--format", "delta", "--spark", "4.1"])
    settings = yaml.safe_load(told.stdout)["local"]["outputs"]["local"]["server_side_parameters"]
    assert settings["spark.sql.catalog.spark_catalog"] == "org.apache.spark.sql.delta.catalog.DeltaCatalog"
    assert settings["spark.sql.extensions"] == "io.delta.sql.DeltaSparkSessionExtension"


def test_what_spark_fetches_is_said_with_what_to_do_without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KINDS_JARS", raising=False)
    assert what_spark_fetches("iceberg") is None and what_spark_fetches("parquet") is None
    # as on Python 3.13, where pip leaves the wheel out
    monkeypatch.setattr(jars, "_jars_of_wheel", lambda *_: [])
    told = CliRunner().invoke(main, ["local-profile"])
    assert "Spark fetches org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.10.2 from Maven Central" in told.stderr
    assert "pip install --no-deps --ignore-requires-python snowpark-connect-deps-iceberg==1.0.2" in told.stderr
    told = CliRunner().invoke(main, ["local-profile", "--format", "delta", "--spark", "4.1"])
    assert "put its jars into delta-spark-4.1 of a folder, name that in KINDS_JARS" in told.stderr


def test_the_profile_is_what_dbt_reads() -> None:
    text = render_profile(local_profile(Path("data"), name="shop", schema="marts", threads=2))
    target = yaml.safe_load(text)["shop"]["outputs"]["local"]
    assert (target["type"], target["method"], target["schema"], target["threads"]) == ("spark", "session", "marts", 2)
    assert all(isinstance(value, str) for value in target["server_side_parameters"].values())


def test_local_profile_prints_the_profile_and_nothing_else_to_stdout() -> None:
    told = CliRunner().invoke(main, ["local-profile", "--name", "shop", "--dir", "data"])
    assert told.exit_code == 0
    assert set(yaml.safe_load(told.stdout)) == {"shop"}


def test_importing_the_package_imports_nothing_else() -> None:
    script = "import sys; before = set(sys.modules); import dbt_kinds; print(*sorted(set(sys.modules) - before))"
    modules = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert modules == ["dbt_kinds"]
