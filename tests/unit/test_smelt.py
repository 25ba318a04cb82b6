"""A smelt project read from files, and what explain says of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dbt_kinds.cli import main
from dbt_kinds.explain import explanation
from dbt_kinds.readers.smelt.project import read_project
from tests.unit.compiling import write_files

EVENTS = """columns:
  - {name: event_ts, type: TIMESTAMP}
  - {name: event_date, type: DATE}
  - {name: id, type: INTEGER}
timeseries: {event_time_column: event_ts, partition_column: event_date, granularity: day}
"""
SERIES = "timeseries: {event_time_column: event_ts, partition_column: event_date, granularity: day}\n"
QUERY = "SELECT event_date, event_ts, id FROM smelt.sources.raw.ev\n"


def project(root: Path, **files: str) -> Path:
    return write_files(root, {"smelt.yml": "name: shop\n", "models/sources/raw/ev.yml": EVENTS, **files})


def told(root: Path, **files: str) -> dict[str, Any]:
    return explanation(read_project(project(root, **files)))


def test_file_and_smelt_yml_merge_and_places_are_the_authors(tmp_path: Path) -> None:
    found = told(
        tmp_path,
        **{
            "smelt.yml": "paths: [models]\nmodels:\n  sessions:\n    tags: [core]\n    incremental:\n      unique_key: [id]\n",
            "models/web/sessions.sql": f"---\nmaterialization: table\ntags: [web]\nowner: team\n{SERIES}incremental: {{}}\n---\n-- why\n{QUERY}LIMIT 3\n",
        },
    )
    assert found["execution_order"] == ["sessions"]
    model = found["models"]["sessions"]
    [finding] = model["incremental"].pop("findings")
    assert (finding["code"], finding["severity"], finding["override"]) == ("limit", "refusal", "allow_limit")
    assert (finding["line"], finding["column"]) == (10, 1)
    assert model == {
        "path": "models/web/sessions.sql",
        "dependencies": ["ev"],
        "materialization": "incremental_by_time_range",
        "tags": ["core", "web"],
        "owner": "team",
        "incremental": {
            "granularity": "day",
            "partition_column": "event_date",
            "event_time_column": "event_ts",
            "unique_key": ["id"],
            "verdict": "refused",
            "source_bounds": {
                "ev": {"type": "bounded", "partition_col": "event_date", "before": "PT0S", "after": "PT0S"}
            },
        },
    }


def test_a_file_of_several_models_and_an_ephemeral_one_that_is_inlined(tmp_path: Path) -> None:
    text = (
        "--- name: narrowed ---\nmaterialization: ephemeral\n---\n" + QUERY + "--- name: daily ---\n"
        f"---\nmaterialization: table\n{SERIES}incremental: {{}}\n---\n"
        "SELECT event_date, event_ts FROM smelt.narrowed\n"
    )
    found = told(tmp_path, **{"models/two.sql": text})
    assert found["execution_order"] == ["narrowed", "daily"]
    assert found["models"]["daily"]["incremental"]["verdict"] == "admitted"
    assert found["models"]["daily"]["incremental"]["batch_safety"] == "fully_batch_safe"
    assert list(found["models"]["daily"]["incremental"]["source_bounds"]) == ["ev"]


@pytest.mark.parametrize(
    ("block", "codes"),
    [
        ("materialization: table\nincremental: {}\n", ["TimeseriesRequiredForIncremental"]),
        (f"materialization: ephemeral\n{SERIES}", ["MalformedTimeseries"]),
        ("materialization: table\ntimeseries: {partition_column: a}\n", ["MalformedTimeseries", "MalformedTimeseries"]),
        (f"materialization: table\n{SERIES.replace('day', 'decade')}", ["MalformedTimeseries"]),
        (f"materialization: table\n{SERIES.replace('day}', 'day, week_start: sunday}')}", ["MalformedTimeseries"]),
        ("materialization: table\nincremental: {granularity: day}\n", ["MalformedTimeseries", "TimeseriesRequiredForIncremental"]),
        (f"materialization: cumulative_aggregate\n{SERIES}", ["CumulativeForbidsTimeseries"]),
        ("materialization: cumulative_aggregate\nincremental: {}\n", ["CumulativeForbidsIncremental"]),
        ("materialisation: table\n", ["UnknownKey"]),
        (f"materialization: table\n{SERIES}incremental: {{safety_overrides: {{allow_limits: true}}}}\n", ["UnknownKey"]),
        ("columns:\n  id: {tipe: int, tests: [unique]}\n", ["UnknownKey", "UnknownKey"]),
        ("columns: [id, {nmae: b}]\n", ["UnknownKey"]),
        ("columns: id\n", ["UnknownKey"]),
    ],
)  # fmt: skip
def test_an_error_of_configuration_is_named(tmp_path: Path, block: str, codes: list[str]) -> None:
    found = told(tmp_path, **{"models/m.sql": f"---\n{block}---\n{QUERY}", "models/other.sql": QUERY})
    assert sorted(problem["code"] for problem in found["models"]["m"]["errors"]) == codes
    assert all(problem["path"] == "models/m.sql" for problem in found["models"]["m"]["errors"])
    assert "incremental" not in found["models"]["m"]
    assert "errors" not in found["models"]["other"]


@pytest.mark.parametrize(
    ("columns", "line", "words"),
    [
        ("[{name: id, type: int},\n{name: a,\ndescriptoin: x}]", 4, "the column a has no key 'descriptoin'; write description"),
        ("\n  id: {type: int}\n  a:\n    tipe: int", 5, "the column a has no key 'tipe'; write type"),
        ("[{name: id, default: 1}]", 2, "the column id has no key 'default'"),
        ("[{name: id}, {type: int}]", 2, "every column needs a name"),
    ],
)  # fmt: skip
def test_an_error_in_the_columns_of_a_source_is_named_with_its_line(
    tmp_path: Path, columns: str, line: int, words: str
) -> None:
    found = read_project(project(tmp_path, **{"sources/raw/u.yml": f"description: x\ncolumns: {columns}\n"}))
    assert [(one.code.name, one.place.file, one.place.line) for one in found.problems] == [
        ("UnknownKey", "sources/raw/u.yml", line)
    ]
    assert words in found.problems[0].message


def test_the_command_exits_with_1_for_a_refusal_and_with_2_for_no_project(tmp_path: Path) -> None:
    root = project(
        tmp_path / "p", **{"models/m.sql": f"---\nmaterialization: table\n{SERIES}incremental: {{}}\n---\n{QUERY}"}
    )
    answer = CliRunner().invoke(main, ["explain", str(root), "--json"])
    assert answer.exit_code == 0
    assert json.loads(answer.stdout)["version"] == 1
    (root / "models/m.sql").write_text(f"---\nmaterialization: table\n{SERIES}incremental: {{}}\n---\n{QUERY}LIMIT 1")
    answer = CliRunner().invoke(main, ["explain", str(root), "--json"])
    assert answer.exit_code == 1
    assert json.loads(answer.stdout)["models"]["m"]["incremental"]["verdict"] == "refused"
    assert CliRunner().invoke(main, ["explain", str(tmp_path)]).exit_code == 2


def test_check_from_smelt_says_what_explain_says(tmp_path: Path) -> None:
    head = f"---\nmaterialization: table\n{SERIES}incremental: {{}}\n---\n"
    root = project(tmp_path, **{"models/m.sql": f"{head}{QUERY}", "models/n.sql": f"{head}{QUERY}LIMIT 1"})
    asked = [["explain", str(root), "--json"], ["check", str(root), "--from", "smelt", "--json"]]
    explained, checked = (CliRunner().invoke(main, words) for words in asked)
    assert (checked.exit_code, checked.stdout) == (1, explained.stdout) and '"limit"' in checked.stdout


def test_strict_check_from_smelt_fails_on_a_warning(tmp_path: Path) -> None:
    root = project(tmp_path, **{"models/m.sql": f"---\nmaterialization: view\n{SERIES}incremental: {{}}\n---\n{QUERY}"})
    words = ["check", str(root), "--from", "smelt"]
    assert [CliRunner().invoke(main, [*words, *more]).exit_code for more in ([], ["--strict"])] == [0, 1]


def test_a_cumulative_aggregate_tells_how_it_is_merged(tmp_path: Path) -> None:
    header = "---\nmaterialization: cumulative_aggregate\n---\n"
    found = told(
        tmp_path,
        **{
            "models/totals.sql": f"{header}SELECT id, COUNT(*) AS n, MAX(event_ts) AS last FROM smelt.sources.raw.ev GROUP BY id",
            "models/wrong.sql": f"{header}SELECT id, AVG(id) AS n\nFROM smelt.sources.raw.ev\nGROUP BY id, event_date",
        },
    )["models"]
    assert found["totals"]["cumulative"] == {
        "driving_source": "ev",
        "unique_key": ["id"],
        "combine": {"n": "add", "last": "greatest"},
    }
    assert [(problem["code"], problem["line"]) for problem in found["wrong"]["errors"]] == [
        ("CumulativeUnknownAggregator", 4),
        ("CumulativeRequiresGroupBy", 6),
    ]
