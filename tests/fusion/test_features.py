"""What dbt has beside models parses and runs on dbt 2.0, too."""

from __future__ import annotations

from collections.abc import Callable

from tests.functional.governed import check_governed_models, governed_models
from tests.functional.project import events_table
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
