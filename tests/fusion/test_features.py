"""What dbt has beside models parses and runs on dbt 2.0, too."""

from __future__ import annotations

from collections.abc import Callable

from tests.functional.governed import check_governed_models, governed_models
from tests.functional.project import DAILY_EVENTS, events_table
from tests.fusion.project import FUSION, TwoEngineProject


def test_versions_contracts_groups_exposures_and_semantic_models_stand_beside_kinds(
    new_project: Callable[[str], TwoEngineProject],
) -> None:
    project = new_project("governed")
    project.engine = FUSION
    events_table(project)
    governed_models(project)
    parsed = project.dbt("parse")
    assert parsed.success
    # dbt 2.0 has another YAML for semantic models, and takes that of dbt-core with a word
    assert all("SemanticModelDeprecated" in line for line in parsed.errors.splitlines() if "[warning]" in line), (
        parsed.errors
    )
    check_governed_models(project)


def test_what_was_refused_is_recorded_and_warnings_are_counted_when_a_run_ends(
    new_project: Callable[[str], TwoEngineProject],
) -> None:
    project = new_project("refused")
    project.engine = FUSION
    events_table(project)
    project.kind("daily", f"{DAILY_EVENTS}\nlimit 100", config="file_format='iceberg'")
    project.kind("other", DAILY_EVENTS, config="file_format='iceberg'")
    warned = project.dbt("run", now="2024-01-04")
    assert warned.success, warned.errors
    assert "dbt_kinds: 1 warning: daily 1" in warned.log
    for name in ("daily", "other"):
        project.kind(name, DAILY_EVENTS.replace("ts, ", ""), config="file_format='iceberg'")
    assert not project.dbt("run", now="2024-01-05").success
    stored = project.sql(
        "select model, message, recorded_at from {schema}.dbt_kinds_intervals where event = 'failed' and source = 'refused'"
    )
    assert sorted(model for model, _, _ in stored) == ["model.shop.daily", "model.shop.other"]
    assert {message.split(" of ")[0] for _, message, _ in stored} == {"time_column 'ts' is not a column"}
    last_run = project.operation("status", select="daily", now="2024-01-05")["models"][0]["last_run"]
    assert (last_run["state"], last_run["message"]) == ("refused", stored[0][1])
