"""What is handed to dbt, and which models it is asked to compile."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from dbt_kinds.errors import KindsError
from dbt_kinds.operate.compiled_queries import compiled_queries
from dbt_kinds.operate.dbt import Dbt, DbtOptions, yaml_text


@settings(max_examples=settings().max_examples // 10)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_reaches_dbt_as_it_is(text: str) -> None:
    assert yaml.safe_load(yaml_text({"queries": {"model.shop.orders": text}})) == {
        "queries": {"model.shop.orders": text}
    }


@pytest.mark.parametrize(
    "text", ["select '😀'", "2024-01-01", "null", "a\u2028b\x85c\x7f", "- x: {{ y }}\n\ttab  \n", "", "%Y"]
)
def test_text_that_yaml_could_take_for_something_else(text: str) -> None:
    assert yaml.safe_load(yaml_text({"select": text})) == {"select": text}


WITHOUT_DBT = """
import sys
class Without:
    def find_spec(self, name, path=None, target=None):
        if name.split('.')[0] == 'dbt':
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
sys.meta_path.insert(0, Without())
from dbt_kinds.cli import main
main()
"""


def without_dbt(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the command as if dbt were not installed."""
    return subprocess.run([sys.executable, "-c", WITHOUT_DBT, *arguments], capture_output=True, text=True, check=False)


def test_projects_are_compiled_without_dbt(tmp_path: Path) -> None:
    (tmp_path / "shop" / "models").mkdir(parents=True)
    (tmp_path / "shop" / "config.yaml").write_text("model_defaults: {dialect: spark}\n")
    (tmp_path / "shop" / "models" / "orders.sql").write_text("MODEL (name shop.orders, kind FULL); SELECT 1 AS id")
    told = without_dbt("compile", str(tmp_path / "shop"), "--out", str(tmp_path / "out"))
    assert told.returncode == 0, told.stderr
    assert list((tmp_path / "out").rglob("orders.sql"))


def test_a_command_that_calls_dbt_says_that_it_is_missing(tmp_path: Path) -> None:
    told = without_dbt("plan", "--project-dir", str(tmp_path))
    assert told.returncode == 2
    assert "pip install dbt-core dbt-spark" in " ".join(told.stderr.split())


def macro(name: str, *calls: str, package: str = "shop") -> SimpleNamespace:
    unique_id = f"macro.{package}.{name}"
    return SimpleNamespace(
        unique_id=unique_id,
        name=name,
        package_name=package,
        resource_type="macro",
        depends_on=SimpleNamespace(macros=calls),
    )


def node(
    name: str,
    *reads: str,
    sql: str = "",
    kind: str = "incremental_by_time_range",
    calls: tuple[str, ...] = (),
    **meta: Any,
) -> SimpleNamespace:
    return SimpleNamespace(
        unique_id=f"model.shop.{name}", name=name, package_name="shop", resource_type="model", raw_code=sql,
        config=SimpleNamespace(materialized=kind, meta=meta, get={}.get), depends_on=SimpleNamespace(macros=calls, nodes=reads),
    )  # fmt: skip


class FakeDbt(Dbt):
    """Compiles nothing, and says what it was asked for."""

    def __init__(self, *entries: SimpleNamespace) -> None:
        super().__init__(DbtOptions())
        kinds = [
            macro("materialization_incremental_by_time_range_spark", package="dbt_kinds"),
            macro("window_of", package="dbt_kinds"),
        ]
        nodes = {entry.unique_id: entry for entry in entries if entry.resource_type == "model"}
        macros = {entry.unique_id: entry for entry in (*kinds, *entries) if entry.resource_type == "macro"}
        self.__dict__["manifest"] = SimpleNamespace(
            nodes=nodes, macros=macros, metadata=SimpleNamespace(project_name="shop")
        )

    def compiled_code(self, nodes: Any, *, full_refresh: bool = False) -> dict[str, str]:
        return {entry.unique_id: f"full_refresh={full_refresh}" for entry in nodes}


def asked(*entries: SimpleNamespace, select: str | None = None) -> list[str]:
    queries, _ = compiled_queries(FakeDbt(*entries), select, full_refresh=False)
    return [unique_id.rsplit(".", 1)[-1] for unique_id in queries]


def test_models_whose_query_does_not_matter_are_not_compiled() -> None:
    assert asked(node("plain", sql="select 1"), node("forward", on_query_change="forward")) == []


def test_models_that_act_on_query_changes_are_compiled() -> None:
    assert asked(node("a", on_query_change="rebuild"), node("b", on_query_change="error"), node("c")) == ["a", "b"]


def test_models_that_read_beyond_their_window_are_compiled() -> None:
    direct = node("direct", sql="from {{ dbt_kinds.window_of(ref('a'), 'ts', before='P1D') }}")
    through_macro = node("through_macro", calls=("macro.shop.mine",))
    ephemeral = node("ephemeral", kind="ephemeral", sql="from {{ dbt_kinds.window_of(ref('a'), 'ts') }}")
    view = node("view", kind="view", sql="from {{ dbt_kinds.window_of(ref('a'), 'ts') }}")
    through_ephemeral, on_view = node("through_ephemeral", ephemeral.unique_id), node("on_view", view.unique_id)
    helper = macro("mine", "macro.shop.mine", "macro.dbt_kinds.window_of")
    entries = (direct, through_macro, ephemeral, view, through_ephemeral, on_view, helper)
    assert asked(*entries) == ["direct", "through_macro", "through_ephemeral"]


def test_only_selected_models_of_a_kind_are_compiled() -> None:
    entries = (
        node("a", on_query_change="error"),
        node("b", on_query_change="error"),
        node("v", kind="view", on_query_change="error"),
    )
    assert asked(*entries, select="shop.a v nobody") == ["a"]
    assert asked(*entries, select="a b") == ["a", "b"]
    assert asked(*entries) == ["a", "b"]


def test_a_project_without_the_package_is_told_what_to_add() -> None:
    dbt = FakeDbt()
    dbt.manifest.macros.clear()
    with pytest.raises(
        KindsError, match=r"shop lacks the dbt package dbt_kinds; add it to packages\.yml, .* run dbt deps"
    ):
        dbt.operation("status", {})


def test_a_package_without_the_operation_is_told_to_be_another_revision() -> None:
    with pytest.raises(KindsError, match=r"has no operation history; set its revision in packages\.yml"):
        FakeDbt().operation("history", {})
