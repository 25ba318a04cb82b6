"""What runs send to a SQL warehouse, as tests/functional/test_databricks.py found it: it is Databricks' SQL, and nothing in it is what a warehouse refuses."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from tests.unit.macros import Macros

FILES = sorted((Path(__file__).parents[1] / "fixtures" / "databricks").rglob("*.sql"))
# sqlglot keeps these as text
COMMANDS = r"(?is)(describe|explain|refresh table)\s"
# nor does it know this; the query behind it is read
REPLACE_ON = re.compile(r" as t\nreplace on \(t\.(`\w+`) <=> s\.\1\)\n\((.*)\) as s$", re.DOTALL)


def statements(file: Path) -> list[str]:
    text = re.sub(r"(?m)^-- .*\n", "", file.read_text())
    return [statement.strip() for statement in text.split(";\n\n") if statement.strip()]


def test_every_kind_has_a_file() -> None:
    assert len(FILES) >= 27


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_statements_are_those_of_databricks(file: Path) -> None:
    found = statements(file)
    assert len(found) > 2
    for statement in found:
        assert not re.match(r"(?i)set\s", statement), statement
        assert not re.search(r"(?i)java_method|\bpurge\b|\bstored as textfile\b", statement), statement
        if re.match(COMMANDS, statement):
            continue
        [tree] = sqlglot.parse(REPLACE_ON.sub(r" \2", statement), dialect="databricks")
        assert tree is not None and not isinstance(tree, exp.Command), statement


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_tables_have_their_catalog(file: Path) -> None:
    for statement in statements(file):
        for name in re.findall(r"(?:into|table|history|table extended) (`[^\s(]*)", statement):
            assert name.startswith("`main`.`shop`.`"), statement


def of_databricks(**adapter: Any) -> Macros:
    """The package's macros on a target of Databricks."""
    return Macros(adapter_type="databricks", adapter=SimpleNamespace(type=lambda: "databricks", **adapter))


def test_a_location_is_asked_for_as_dbt_databricks_does() -> None:
    """Its macro wants the relation of a catalog, and dbt-spark's wants nothing."""
    macros = of_databricks(build_catalog_relation=lambda model: f"catalog of {model}")
    macros.change_context(
        config=SimpleNamespace(model="orders"), location_clause=lambda relation: f" location of {relation} "
    )
    assert macros.location_of_table() == "location of catalog of orders"
    spark = Macros()
    spark.change_context(location_clause=lambda: "")
    assert spark.location_of_table() == ""


@pytest.mark.parametrize(
    ("is_cluster", "newer", "has"), [(False, -1, True), (True, -1, False), (True, 0, True), (True, 1, True)]
)
def test_partitions_are_replaced_without_a_setting_where_that_can_be(is_cluster: bool, newer: int, has: bool) -> None:
    macros = of_databricks(is_cluster=lambda: is_cluster, compare_dbr_version=lambda major, minor: newer)
    assert macros._has_replace_on() is has
    assert Macros()._has_replace_on() is False


def test_every_partition_column_is_compared() -> None:
    assert Macros()._replace_on("t1", ["`a`", "`b`"], "select 1") == (
        "insert into table t1 as t\nreplace on (t.`a` <=> s.`a` and t.`b` <=> s.`b`)\n(select 1) as s"
    )


@pytest.mark.parametrize(
    "name", ["drop_relation", "list_relations_without_caching", "load_csv_rows", "can_clone_table"]
)
def test_macros_of_dbt_spark_that_we_override_stay_those_of_dbt_databricks(name: str) -> None:
    """dbt looks for `spark__` of a package that comes first before it looks for `databricks__` of the next."""
    arguments = {"load_csv_rows": ("model", "table"), "can_clone_table": ()}.get(name, ("relation",))
    theirs = SimpleNamespace(**{f"databricks__{name}": lambda *given: ("dbt-databricks", *given)})
    macros = of_databricks()
    macros.change_context(
        dbt=theirs, model=SimpleNamespace(name="orders", config=SimpleNamespace(materialized="table"))
    )
    assert getattr(macros, f"databricks__{name}")(*arguments) == ("dbt-databricks", *arguments)
