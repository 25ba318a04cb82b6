"""dbt 2.0 reads a project of every kind without a word of warning."""

from __future__ import annotations

from collections.abc import Callable

from tests.fusion.project import FUSION, TwoEngineProject
from tests.fusion.shop import Shop


def test_a_project_of_every_kind_is_parsed_without_a_warning(new_project: Callable[[str], TwoEngineProject]) -> None:
    shop = Shop(new_project("parsed"))
    shop.twins.engine = FUSION
    run = shop.twins.dbt("parse")
    assert run.success
    assert run.errors == ""
