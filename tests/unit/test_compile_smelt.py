"""A smelt project written as a dbt project: files -> files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from dbt_kinds.cli import main
from dbt_kinds.compile.convert import compile_project
from dbt_kinds.compile.report import Report
from dbt_kinds.compile.request import CompileRequest
from dbt_kinds.writers.query_hash import query_hash
from tests.unit.test_smelt import QUERY, SERIES, project

TABLE = f"---\nmaterialization: table\n{SERIES}incremental: {{}}\n---\n"
LAG = "LAG(id) OVER (PARTITION BY id ORDER BY event_ts RANGE BETWEEN INTERVAL '30 minutes' PRECEDING AND CURRENT ROW)"


def compiled(root: Path, out: Path, files: Mapping[str, str], *, allow_downgrade: bool = False) -> Report:
    return compile_project(CompileRequest(project(root, **files), out, allow_downgrade=allow_downgrade))


def body(out: Path, name: str) -> str:
    """A model's query, without what stands above it."""
    return (out / "models" / f"{name}.sql").read_text().partition(" }}\n\n")[2]


def test_bounds_are_pushed_down_and_an_ephemeral_parent_is_written_out(tmp_path: Path) -> None:
    out = tmp_path / "out"
    report = compiled(
        tmp_path / "shop",
        out,
        {
            "models/narrowed.sql": f"---\nmaterialization: ephemeral\n---\n{QUERY}WHERE id > 0; -- done\n",
            "models/web/daily.sql": TABLE
            + "SELECT n.event_date, n.event_ts FROM smelt.narrowed AS n -- {{ not Jinja }}\n",
            "models/all_of_it.sql": "SELECT *, {{ dbt_kinds.execution_ts() }} AS seen FROM smelt.narrowed",
        },
    )
    assert report.exit_code(strict=True) == 0
    assert body(out, "daily") == (
        "SELECT n.event_date, n.event_ts FROM (\n"
        "SELECT event_date, event_ts, id FROM {{ dbt_kinds.window_of(source('raw', 'ev'), 'event_date', before='PT0S', "
        "after='PT0S') }} as ev\nWHERE id > 0\n) AS n -- {{ '{{' }} not Jinja }}\n"
    )
    assert body(out, "all_of_it") == "SELECT *, {{ dbt_kinds.execution_ts() }} AS seen FROM {{ ref('narrowed') }}\n"
    assert "time_column: event_date" in (out / "models/sources.yml").read_text()


def test_a_model_carries_its_class_its_margins_and_what_was_proven_of_its_query(tmp_path: Path) -> None:
    out = tmp_path / "out"
    compiled(
        tmp_path / "shop",
        out,
        {
            "models/parsed.sql": TABLE + QUERY,
            "models/sessions.sql": TABLE + f"SELECT event_date, event_ts, id, {LAG} AS before FROM smelt.parsed",
            "models/later.sql": TABLE
            + "SELECT s.event_date, s.event_ts, o.id FROM smelt.sessions s\n"
            + "JOIN smelt.parsed o ON o.event_date BETWEEN s.event_date - INTERVAL '3 days' AND s.event_date",
        },
    )
    parsed, sessions = ((out / "models" / f"{name}.sql").read_text() for name in ("parsed", "sessions"))
    assert (
        "'backbuild_margins': {'later': {'before': 'P3D', 'after': 'PT0S'}, 'sessions': {'before': 'PT30M', 'after': 'PT0S'}}"
        in parsed
    )
    assert "'batch_size': 7" in sessions
    assert "event_time='event_ts'" in sessions
    proven = re.search(r"'query_hash': '(\w+)'", sessions)
    assert proven is not None
    assert proven[1] == query_hash(body(out, "sessions"))
    assert proven[1] != query_hash(body(out, "sessions").replace("30 minutes", "60 minutes"))


def test_margins_reach_through_a_view_that_tells_its_time(tmp_path: Path) -> None:
    out = tmp_path / "out"
    joined = "JOIN smelt.{} o ON o.event_date BETWEEN s.event_date - INTERVAL '{} days' AND s.event_date"
    for materialization in ("view", "table"):
        compiled(
            tmp_path / materialization,
            out,
            {
                "models/parsed.sql": TABLE + QUERY,
                "models/seen.sql": f"---\nmaterialization: {materialization}\n{SERIES}---\n"
                + f"SELECT s.event_date, s.event_ts, o.id FROM smelt.parsed s {joined.format('parsed', 2)}",
                "models/later.sql": TABLE
                + f"SELECT s.event_date, s.event_ts, o.id FROM smelt.seen s {joined.format('seen', 3)}",
            },
        )
        assert (
            "'backbuild_margins': {'later': {'before': 'P5D', 'after': 'PT0S'}, 'seen': {'before': 'P2D', 'after': 'PT0S'}}"
            in (out / "models" / "parsed.sql").read_text()
        )
        assert "backbuild_margins" not in (out / "models" / "seen.sql").read_text()


def test_a_refused_model_leaves_nothing_written_unless_it_may_be_built_anew(tmp_path: Path) -> None:
    out = tmp_path / "out"
    files = {"models/m.sql": TABLE + QUERY + "LIMIT 3", "models/good.sql": TABLE + QUERY}
    refused = compiled(tmp_path / "shop", out, files)
    assert refused.exit_code(strict=False) == 1
    assert not out.exists()
    assert [(note.code.name, note.place.line) for note in refused.all_notes()] == [("limit", 7)]
    allowed = compiled(tmp_path / "shop", out, files, allow_downgrade=True)
    assert allowed.exit_code(strict=False) == 0
    assert [note.code.name for note in allowed.all_notes()] == ["Downgraded"]
    assert "{{ config(materialized='full') }}" in (out / "models/m.sql").read_text()
    assert compiled(tmp_path / "shop", out, files).exit_code(strict=False) == 1


@pytest.mark.parametrize(
    "text",
    [
        TABLE + "SELECT event_ts, id FROM smelt.sources.raw.ev LIMIT 3",
        "---\nmaterialization: cumulative_aggregate\n---\nSELECT id, AVG(id) AS a FROM smelt.sources.raw.ev GROUP BY id",
        "---\nmaterialization: tabel\n---\n" + QUERY,
    ],
)
def test_an_error_is_never_downgraded(tmp_path: Path, text: str) -> None:
    report = compiled(tmp_path / "shop", tmp_path / "out", {"models/m.sql": text}, allow_downgrade=True)
    assert report.exit_code(strict=False) == 1
    assert not (tmp_path / "out").exists()


def test_a_cumulative_aggregate_says_how_it_is_merged(tmp_path: Path) -> None:
    out = tmp_path / "out"
    sql = "SELECT id, COUNT(*) AS n FROM smelt.sources.raw.ev GROUP BY id"
    compiled(tmp_path / "shop", out, {"models/m.sql": f"---\nmaterialization: cumulative_aggregate\n---\n{sql}"})
    text = (out / "models/m.sql").read_text()
    assert "materialized='cumulative_aggregate'" in text
    assert "'time_column': 'event_date'" in text
    assert "'unique_key': ['id']" in text
    assert "'combine': {'n': 'add'}" in text
    assert "dbt_kinds.window_of(source('raw', 'ev'), 'event_date', before='PT0S', after='PT0S')" in text


def test_a_source_carries_what_is_said_of_it_and_of_its_columns(tmp_path: Path) -> None:
    users = (
        "description: who\ntags: [core, people]\nowner: team\n"
        "columns: [{name: id, type: BIGINT, description: their number}, {name: country}]\n"
    )
    files = {"models/m.sql": "SELECT id FROM smelt.sources.raw.users\n", "models/sources/raw/users.yml": users}
    report = compiled(tmp_path / "shop", tmp_path / "out", files)
    assert report.exit_code(strict=True) == 0
    tables = yaml.safe_load((tmp_path / "out/models/sources.yml").read_text())["sources"][0]["tables"]
    assert next(table for table in tables if table["name"] == "users") == {
        "name": "users",
        "description": "who",
        "config": {"tags": ["core", "people"], "meta": {"owner": "team"}},
        "columns": [
            {"name": "id", "data_type": "bigint", "description": "their number"},
            {"name": "country"},
        ],
    }


def test_from_says_what_a_folder_is(tmp_path: Path) -> None:
    root = project(tmp_path / "shop", **{"models/m.sql": QUERY})
    (root / "smelt.yml").unlink()
    for tool, code in (("smelt", 0), ("sqlmesh", 2)):
        answer = CliRunner().invoke(
            main, ["compile", str(root), "--out", str(tmp_path / tool), "--from", tool, "--json"]
        )
        assert answer.exit_code == code, answer.output
    assert json.loads((tmp_path / "smelt/.dbt_kinds/compiled.json").read_text())


def test_how_a_schema_may_change_becomes_options_and_metas_of_columns(tmp_path: Path) -> None:
    out = tmp_path / "out"
    alter = (
        f"---\nmaterialization: table\n{SERIES}incremental: {{}}\nschema_evolution:\n  strategy: alter_and_backfill\n"
        "columns:\n  id:\n    default: \"'pending'\"\n    backfill: CASE WHEN id IS NULL THEN 0 ELSE id END\n---\n"
    )
    refresh = TABLE.replace("incremental: {}\n", "incremental: {}\nschema_evolution: {strategy: full_refresh}\n")
    report = compiled(tmp_path / "shop", out, {"models/m.sql": alter + QUERY, "models/r.sql": refresh + QUERY})
    assert report.exit_code(strict=True) == 0
    altered, refreshed = ((out / "models" / f"{name}.sql").read_text() for name in ("m", "r"))
    assert all(said in altered for said in ("'on_additive_change': 'allow'", "'on_destructive_change': 'error'"))
    assert "'on_query_change': 'rebuild'" in refreshed
    column = yaml.safe_load((out / "models/m.yml").read_text())["models"][0]["columns"][0]
    assert column["config"]["meta"] == {"default": "'pending'", "backfill": "CASE WHEN id IS NULL THEN 0 ELSE id END"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{strategy: rebuild}", "schema_evolution.strategy 'rebuild' is none of alter_and_backfill, full_refresh"),
        ("{stratgy: full_refresh}", "strategy"),
        ("rebuild", "schema_evolution is 'rebuild'; write, say, strategy: alter_and_backfill below it"),
    ],
)
def test_a_schema_evolution_that_cannot_be_read_is_named(tmp_path: Path, text: str, message: str) -> None:
    head = TABLE.replace("incremental: {}\n", f"incremental: {{}}\nschema_evolution: {text}\n")
    report = compiled(tmp_path / "shop", tmp_path / "out", {"models/m.sql": head + QUERY})
    assert [note.code.name for note in report.all_notes()] == ["UnknownKey"]
    assert message in next(iter(report.all_notes())).message
