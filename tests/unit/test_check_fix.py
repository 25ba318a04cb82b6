"""What `dbt-kinds check --fix` writes into the authors' files: text and manifest -> text."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jinja2
import pytest
from click.testing import Result

from dbt_kinds.analysis.edits import edited
from dbt_kinds.check.config_call import proof_edit, without_config
from dbt_kinds.errors import NotPlacedError
from dbt_kinds.writers.query_hash import query_hash
from tests.unit.test_check import LAG, check, model

HEAD = "{{ config(materialized='incremental_by_time_range', meta={'time_column': 'event_date'}) }}\n\n"
READ = "{{ source('raw', 'ev') }}"
PROOF = {"verdict": "admitted", "query_hash": "ab"}


def fixed(folder: Path, text: str, compiled: str | None = None, *more: dict[str, Any]) -> tuple[str, Result]:
    """The file afterwards, and what the command said; compiled by hand, as dbt would where the text is plain."""
    (folder / "models").mkdir(exist_ok=True)
    file = folder / "models" / "m.sql"
    file.write_bytes(text.encode())
    sql = compiled if compiled is not None else without_config(text).replace(READ, "`raw`.`ev`").strip()
    answer = check(folder, "--fix", models=[model("m", sql, raw=text.strip()), *more])
    return file.read_bytes().decode(), answer


def proof_in(text: str) -> dict[str, Any]:
    """What dbt would read of the file's configuration."""
    seen: dict[str, Any] = {}

    def config(**given: Any) -> str:
        seen.update(given)
        return ""

    names = {name: lambda *_, **__: "" for name in ("source", "ref")}
    package = SimpleNamespace(window_of=lambda *_, **__: "")
    jinja2.Template(text).render(**names, dbt_kinds=package, config=config)
    return dict(seen["meta"]["safety"])


def window(before: str, after: str = "PT0S") -> str:
    return f"{{{{ dbt_kinds.window_of(source('raw', 'ev'), 'event_date', before='{before}', after='{after}') }}}}"


def test_bounds_and_proof_are_written_and_nothing_else_changes(tmp_path: Path) -> None:
    body = f"-- {{# why #}}\nselect e.event_date,\r\n  event_ts, {LAG} as b  \nfrom {READ} e -- raw\n\n"
    text, answer = fixed(tmp_path, HEAD + body)
    assert answer.exit_code == 0, answer.output
    assert without_config(text).lstrip("\n") == body.replace(READ, window("PT30M"))
    proof = proof_in(text)
    assert proof == {
        "verdict": "admitted",
        "batch_safety": "bounded_safe(chunk=7d,context=1d)",
        "source_bounds": {"raw.ev": {"before": "PT30M", "after": "PT0S"}},
        "query_hash": query_hash(without_config(text)),
    }
    assert text.startswith(HEAD.removesuffix("}) }}\n\n") + ", 'safety': {")


def test_a_second_look_changes_nothing(tmp_path: Path) -> None:
    text, _ = fixed(tmp_path, HEAD + f"select event_date, event_ts from {READ}\n")
    assert f"from {window('PT0S')} as ev\n" in text
    # as dbt compiles what was written, and once more without compiling
    rendered = (
        "select event_date, event_ts from (select * from `raw`.`ev` where `event_date` >= "
        """/*kinds:source_start {"before": "PT0S", "after": "PT0S", "unit": "day"}*/ date '2024-01-14' and `event_date` < """
        """/*kinds:source_end {"before": "PT0S", "after": "PT0S", "unit": "day"}*/ date '2024-01-15') as ev"""
    )
    again, answer = fixed(tmp_path, text, rendered)
    assert (again, answer.exit_code) == (text, 0)
    assert "written" not in answer.output
    stale = check(tmp_path, "--fix", models=[model("m", "select event_date from `raw`.`ev`", raw=HEAD)])
    assert (tmp_path / "models/m.sql").read_text() == text
    assert "written" not in stale.output


@pytest.mark.parametrize(
    ("given", "before", "expected"),
    [
        ("before='PT0S'", "PT0S", "before='PT30M'"),
        ("unit='day'", "PT0S", "unit='day', before='PT30M'"),
        ("before='P9D', after='P1D'", "P9D", "before='P9D', after='P1D'"),
    ],
)
def test_a_window_that_reads_too_little_is_widened_and_another_left(
    tmp_path: Path, given: str, before: str, expected: str
) -> None:
    sentinel = f"""/*kinds:source_start {{"before": "{before}", "after": "PT0S", "unit": "none"}}*/ date '2024-01-14'"""
    query = f"select event_date, event_ts, {LAG} as b from "
    compiled = f"{query}(select * from `raw`.`ev` where event_date >= {sentinel}) as e"
    call = "{{ dbt_kinds.window_of(source('raw', 'ev'), 'event_date', #) }} as e"
    text, _ = fixed(tmp_path, HEAD + query + call.replace("#", given), compiled)
    assert text.endswith(query + call.replace("#", expected))
    assert ("safety" in text) == (before == "P9D")


@pytest.mark.parametrize(
    ("raw", "compiled"),
    [
        ("{% set r = source('raw', 'ev') %}select event_date, event_ts from {{ r }}", "select event_date, event_ts from `raw`.`ev`"),
        (f"-- {READ}\nselect event_date, event_ts from {READ}", "-- `raw`.`ev`\nselect event_date, event_ts from `raw`.`ev`"),
        ("select event_date, event_ts from {{ ref('gone') }}", "with __dbt__cte__gone as (select * from `raw`.`ev`) select event_date, event_ts from __dbt__cte__gone"),
    ],
    ids=["a variable", "a comment", "an ephemeral model"],
)  # fmt: skip
def test_a_reference_that_is_not_in_the_text_is_left_to_its_author(tmp_path: Path, raw: str, compiled: str) -> None:
    text, answer = fixed(tmp_path, HEAD + raw, compiled)
    assert without_config(text) == without_config(HEAD + raw)
    assert "raw.ev is read through a variable" in answer.output
    assert proof_in(text)["verdict"] == "admitted"


def test_refused_edited_and_too_narrow_models_are_left_as_they_are(tmp_path: Path) -> None:
    refused = HEAD + f"select event_date, event_ts from {READ} limit 3"
    text, answer = fixed(tmp_path, refused)
    assert (text, answer.exit_code) == (refused, 1)
    edited_since = HEAD + f"select event_date, event_ts, id from {READ}"
    (tmp_path / "models/m.sql").write_text(edited_since)
    stale = check(tmp_path, "--fix", models=[model("m", "select event_date, event_ts from raw.ev", raw="select 1")])
    assert (tmp_path / "models/m.sql").read_text() == edited_since
    assert "run dbt compile first" in stale.output
    narrow = f"select event_date, event_ts, {LAG} as b from {READ} where event_date >= '2024-01-14'"
    compiled = without_config(narrow).replace(READ, "raw.ev").replace("'2024-01-14'", "/*kinds:start_ds*/ '2024-01-14'")
    text, answer = fixed(tmp_path, HEAD + narrow, compiled)
    assert "safety" not in text
    assert "nothing is proven" in answer.output
    listed = (
        "select cast(d as date) as event_date, d as event_ts from values ('2024-01-14') as t(d) "
        "where cast(d as date) >= '2024-01-14'"
    )
    compiled = listed.replace(">= '2024-01-14'", ">= /*kinds:start_ds*/ '2024-01-14'")
    text, answer = fixed(tmp_path, HEAD + listed, compiled)
    assert "safety" not in text
    assert "nothing is proven" in answer.output


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("", "{{ config(meta={'safety': #}) }}\n\n"),
        ("{{ config() }}", "{{ config(meta={'safety': #}) }}"),
        ("{{ config(alias='é)}}') }}", "{{ config(alias='é)}}', meta={'safety': #}) }}"),
        ("{{ config(\n  tags=['a'],\n) }}", "{{ config(\n  tags=['a'], meta={'safety': #},\n) }}"),
        ("{{- config(meta={}) -}}", "{{- config(meta={'safety': #}) -}}"),
        ("{{ config(meta={\n 'é': true,\n}) }}", "{{ config(meta={\n 'é': true, 'safety': #,\n}) }}"),
        ("{{ config(meta={'safety': {'a': 1}, 'b': 2}, alias='x') }}", "{{ config(meta={'safety': #, 'b': 2}, alias='x') }}"),
        ('{{ config(meta={"safety": {"verdict": "admitted", "query_hash": "ab"}}) }}', None),
    ],
)  # fmt: skip
def test_where_a_proof_goes(head: str, expected: str | None) -> None:
    text = head + "select 1"
    edit = proof_edit(text, PROOF)
    result = edited(text, [edit] if edit is not None else [])
    written = "{'verdict': 'admitted', 'query_hash': 'ab'}"
    assert result == (head if expected is None else expected.replace("#", written)) + "select 1"
    assert proof_edit(result, PROOF) is None
    assert proof_in(result) == PROOF


@pytest.mark.parametrize(
    "head",
    [
        "{{ config(alias='a') }}{{ config(alias='b') }}",
        "{% do config(alias='a') %}",
        "{{ config({'alias': 'a'}) }}",
        "{{ config(**given) }}",
        "{{ config(meta=given) }}",
        "{{ config(meta={given: 1}) }}",
        "{{ config(alias='a' ~ 'b') }}",
    ],
)
def test_a_config_that_is_not_plain_is_left_to_its_author(head: str) -> None:
    with pytest.raises(NotPlacedError, match=r"write meta\.safety by hand"):
        proof_edit(head + "select 1", PROOF)


def test_findings_in_the_format_of_code_scanning(tmp_path: Path) -> None:
    wrong = model("wrong", "select event_date, event_ts\nfrom `raw`.`ev`\nlimit 3")
    answer = check(tmp_path, "--sarif", models=[wrong])
    log = json.loads(answer.stdout)
    assert (log["version"], answer.exit_code) == ("2.1.0", 1)
    (run,) = log["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["limit"]
    (result,) = run["results"]
    assert (result["ruleId"], result["ruleIndex"], result["level"]) == ("limit", 0, "error")
    assert result["message"]["text"].startswith("wrong: LIMIT picks other rows")
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "models/wrong.sql", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 3, "startColumn": 1}
    assert check(tmp_path, "--sarif", "--json", models=[wrong]).exit_code == 2
