"""One model that cannot be planned does not hide the others."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dbt_kinds.errors import DbtFailedError
from dbt_kinds.operate.dbt import Dbt
from dbt_kinds.operate.plan import plans_of, read_plans
from dbt_kinds.operate.report import Report, render_report
from dbt_kinds.operate.status import read_status


class Project:
    """What dbt tells of a project whose models raise errors."""

    def __init__(self, **errors: str) -> None:
        self.errors = errors
        self.asked: list[list[str]] = []
        nodes = [self.node(name) for name in ("a", "b", "c")]
        materialization = {
            "macro.dbt_kinds.materialization_full_default": SimpleNamespace(name="materialization_full_default")
        }
        self.manifest = SimpleNamespace(nodes={node.unique_id: node for node in nodes}, macros=materialization)

    @staticmethod
    def node(name: str) -> Any:
        config = SimpleNamespace(materialized="full", meta={}, get=lambda key: None)
        depends_on = SimpleNamespace(macros=[], nodes=[])
        return SimpleNamespace(
            unique_id=f"model.shop.{name}", name=name, package_name="shop", resource_type="model", config=config,
            depends_on=depends_on, raw_code="",
        )  # fmt: skip

    def operation(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        names = [word.removeprefix("shop.") for word in arguments.get("select", "a b c").split()]
        self.asked.append(names)
        for model in names:
            if model in self.errors:
                raise DbtFailedError(
                    f"Compilation Error\n  dbt_kinds: model {model}: {self.errors[model]}\n  > in macro fail"
                )
        models = [{"model": f"model.shop.{model}", "missing": []} for model in names]
        return {"operation": name, "execution_time": "2024-01-05T00:00:00", "plans": models, "models": models}


def test_a_model_that_is_refused_is_one_line_with_its_error() -> None:
    project = Project(b="the clock is before its last batch")
    status = read_status(cast(Dbt, project))
    assert [(model.name, model.reason) for model in status.models] == [
        ("a", ""), ("b", "refused: the clock is before its last batch"), ("c", ""),
    ]  # fmt: skip
    plans = plans_of(read_plans(cast(Dbt, project)))
    assert [(plan.name, plan.reason) for plan in plans][1] == ("b", "refused: the clock is before its last batch")
    assert project.asked == [["a", "b", "c"], ["a", "c"]] * 2


def test_the_report_shows_it_beside_the_others() -> None:
    models = read_status(cast(Dbt, Project(b="the clock is before its last batch"))).models
    page = render_report(Report(models))
    assert "refused: the clock is before its last batch" in page
    assert re.findall(r'class="name">(\w+)', page) == ["a", "b", "c"]


def test_several_are_told_each() -> None:
    status = read_status(cast(Dbt, Project(a="one", c="two")))
    assert [model.reason for model in status.models] == ["refused: one", "", "refused: two"]


def test_where_all_are_refused_there_is_an_answer_of_refusals() -> None:
    answer = read_plans(cast(Dbt, Project(a="one", b="two", c="three")))
    assert [plan.refused for plan in plans_of(answer)] == ["one", "two", "three"]


def test_an_error_that_is_about_no_model_stays_an_error() -> None:
    class Broken(Project):
        def operation(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
            raise DbtFailedError("Runtime Error\n  the warehouse is down")

    with pytest.raises(DbtFailedError, match="the warehouse is down"):
        read_status(cast(Dbt, Broken()))


def test_a_model_that_does_not_compile_is_refused_with_dbt_s_own_message() -> None:
    class Uncompiled(Project):
        def compiled_code(self, nodes: Sequence[Any], *, full_refresh: bool) -> dict[str, str]:
            if any(node.name == "b" for node in nodes):
                raise DbtFailedError("Compilation Error in model b (models/b.sql)\n  'nothing' is undefined")
            return {node.unique_id: "select 1" for node in nodes}

    project = Uncompiled()
    for node in project.manifest.nodes.values():
        node.config.meta["on_query_change"] = "rebuild"
    plans = plans_of(read_plans(cast(Dbt, project)))
    assert [(plan.name, plan.refused) for plan in plans] == [("a", None), ("b", "'nothing' is undefined"), ("c", None)]
    assert project.asked == [["a", "c"]]


SPARK = """Encountered an error while running operation: Runtime Error
  Runtime Error
    [TABLE_OR_VIEW_NOT_FOUND] The table or view `nothing_there` cannot be found. Verify the spelling.
    'Project ['to_json('collect_list(struct(NamePlaceholder, *))) AS rows#27]
    +- 'SubqueryAlias `dbt_kinds: model b: ready_until`"""
JAVA = """Encountered an error while running operation: Runtime Error
  An error occurred while calling o145.collectToPython.
  : org.apache.spark.SparkException: Job aborted due to stage failure: java.lang.RuntimeException: bad
\tat org.apache.spark.sql.catalyst.expressions.RaiseError.eval(misc.scala:90)"""


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (SPARK, "[TABLE_OR_VIEW_NOT_FOUND] The table or view `nothing_there` cannot be found. Verify the spelling."),
        (JAVA, "org.apache.spark.SparkException: Job aborted due to stage failure: java.lang.RuntimeException: bad"),
    ],
)
def test_an_error_of_spark_is_about_the_option_whose_query_was_sent_last(error: str, cause: str) -> None:
    class Watermarks(Project):
        def operation(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
            if "b" in arguments.get("select", "a b c"):
                raise DbtFailedError(error, "select * from (\nselect 1\n) as `dbt_kinds: model b: ready_until`")
            return super().operation(name, arguments)

    plans = plans_of(read_plans(cast(Dbt, Watermarks())))
    assert [plan.refused for plan in plans] == [None, f"ready_until cannot be evaluated: {cause}", None]


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ("Runtime Error\n  [TABLE_OR_VIEW_NOT_FOUND] The table `raw` cannot be found", "[TABLE_OR_VIEW_NOT_FOUND] The table `raw` cannot be found"),
        ("Runtime Error\n  Could not connect to any of [('127.0.0.1', 10000)]", None),
    ],
)  # fmt: skip
def test_an_error_of_spark_is_about_the_model_that_was_looked_at_unless_spark_is_gone(
    error: str, told: str | None
) -> None:
    class Looking(Project):
        def operation(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
            if "b" in arguments.get("select", "a b c"):
                raise DbtFailedError(error, "refresh table raw", "b")
            return super().operation(name, arguments)

    if told is None:
        with pytest.raises(DbtFailedError):
            read_plans(cast(Dbt, Looking()))
    else:
        plans = plans_of(read_plans(cast(Dbt, Looking())))
        assert [plan.refused for plan in plans] == [None, told, None]
