"""Descriptions, with every quote there is, reach tables and their columns. dbt-spark's catalog shows none, so Spark is asked."""

from __future__ import annotations

from typing import Any

import pytest
from dbt.tests.adapter.persist_docs import fixtures
from dbt.tests.adapter.persist_docs import test_persist_docs as persist_docs

from tests.functional.dbt_adapter.sql import as_kinds


def comments(project: Any, table: str) -> dict[str, str | None]:
    """What Spark says of a table's columns, and of the table itself under `Comment`."""
    rows = project.run_sql(f"describe table extended {project.test_schema}.{table}", fetch="all")
    columns = {row[0]: row[2] for row in rows if row[0] and not row[0].startswith("#") and row[2]}
    return columns | {row[0]: row[1] for row in rows if row[0] == "Comment" and row[1]}


class TestPersistDocs(persist_docs.BasePersistDocs):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return as_kinds(
            {
                "no_docs_model.sql": fixtures._MODELS__NO_DOCS_MODEL,
                "table_model.sql": fixtures._MODELS__TABLE,
                "view_model.sql": fixtures._MODELS__VIEW,
            }
        )

    @pytest.fixture(scope="class")
    def properties(self) -> dict[str, str]:
        """A comment of a column has 256 characters in Hive's metastore, and theirs is longer."""
        docs = fixtures._DOCS__MY_FUN_DOCS.replace("80% of statistics are made up on the spot\n", "")
        return {"my_fun_docs.md": docs, "schema.yml": fixtures._PROPERTIES__SCHEMA_YML}

    def test_has_comments_pglike(self, project: Any) -> None:
        found = comments(project, "table_model")
        node = {
            "metadata": {"comment": found["Comment"]},
            "columns": {name: {"comment": found[name]} for name in ("id", "name")},
        }
        self._assert_has_table_comments(node)
        assert comments(project, "no_docs_model") == {}


@pytest.mark.sweep
class TestColumnMissing(persist_docs.BasePersistDocsColumnMissing):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return as_kinds({"missing_column.sql": fixtures._MODELS__MISSING_COLUMN})

    def test_missing_column(self, project: Any) -> None:
        assert comments(project, "missing_column") == {"id": "test id column description"}


@pytest.mark.sweep
class TestAllColumnsMissing(persist_docs.BasePersistDocsAllColumnsMissing):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return as_kinds({"all_columns_missing.sql": fixtures._MODELS__ALL_COLUMNS_MISSING})


@pytest.mark.sweep
class TestQuotedColumnCaseSensitive(persist_docs.BasePersistDocsQuotedColumnCaseSensitive):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return as_kinds({"quoted_case_sensitive.sql": fixtures._MODELS__QUOTED_CASE_SENSITIVE})


@pytest.mark.sweep
class TestCommentOnQuotedColumn(persist_docs.BasePersistDocsCommentOnQuotedColumn):
    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        return {"models": {"test": {"+persist_docs": {"relation": True, "columns": True}}}}

    @pytest.fixture(scope="class")
    def run_has_comments(self, project: Any) -> Any:
        def check() -> None:
            persist_docs.run_dbt()
            assert comments(project, "quote_model")["2id"] == "XXX My description"

        return check
