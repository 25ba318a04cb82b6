"""Which dialect and adapter a project is taken for where no profiles.yml that dbt would use says it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbt_kinds.migrate.conversion import MigrateOptions
from dbt_kinds.migrate.dialects import guess_dialect, required_dialect
from dbt_kinds.migrate.project import resolved
from dbt_kinds.readers.dbt.project import read_project
from tests.unit.migrating import migrated, one, write_project

PLAIN = "{{ config(materialized='incremental') }}\nselect id from {{ ref('raw') }}"
MATCH = "{{ config(materialized='incremental') }}\nselect id from {{ ref('raw') }} where code ~ '^[0-9]+$'"


@pytest.mark.parametrize(
    ("texts", "settings", "dialect"),
    [
        ([PLAIN], (), "spark"),
        # a match that Spark does not read
        ([PLAIN, MATCH, MATCH], (), "redshift"),
        ([PLAIN + " where now() - interval '1 day' < at", MATCH], (), "postgres"),
        # Databricks has dateadd(), too
        (["select dateadd(day, 1, at)"] * 3, [{"file_format", "tags"}, {"tags"}, {"tblproperties"}], "databricks-like"),
        ([PLAIN], [{"transient", "unique_key"}], "snowflake"),
        ([PLAIN], [{"require_partition_filter"}], "bigquery"),
        ([PLAIN], [{"partitioned_by"}], "trino"),
        # as many of the one as of the other say nothing
        (["select dateadd(day, 1, at)"], [{"file_format"}, {"transient"}], "snowflake"),
    ],
)
def test_settings_say_the_dialect_before_words_do_and_those_before_what_can_be_parsed(
    texts: list[str], settings: list[set[str]], dialect: str
) -> None:
    assert guess_dialect(texts, settings) == dialect.replace("databricks-like", "spark")


@pytest.mark.parametrize(
    ("files", "dialect"),
    [
        ({"requirements.txt": "dbt-core==1.10\ndbt-databricks>=1.10\n"}, "databricks"),
        # which needs the other
        ({"requirements.txt": "dbt-databricks==1.10\ndbt-spark==1.9\n"}, "databricks"),
        ({"pyproject.toml": "dependencies = ['dbt-athena-community', 'dbt-utils']"}, "trino"),
        ({"Dockerfile": "RUN pip install dbt-spark[PyHive]"}, "spark"),
        # two of them do not say which one it is
        ({"requirements.txt": "dbt-databricks\ndbt-postgres\n"}, None),
        # the nearest one says it
        ({"requirements.txt": "dbt-snowflake\n", "../requirements.txt": "dbt-bigquery\n"}, "snowflake"),
        ({"../../requirements-dev.txt": "dbt-bigquery\n"}, "bigquery"),
        ({"requirements.txt": "pandas\n"}, None),
    ],
)
def test_the_packages_that_a_project_requires_say_its_dialect(
    files: dict[str, str], dialect: str | None, tmp_path: Path
) -> None:
    root = tmp_path / "repository" / "transform" / "shop"
    root.mkdir(parents=True)
    for name, text in files.items():
        (root / name).write_text(text)
    assert required_dialect(root) == dialect


@pytest.mark.parametrize(
    ("name", "adapter"),
    [
        ("profiles/profiles.yml", "postgres"),
        ("profiles.yml.template", "postgres"),
        ("config/example_profiles.yaml", "postgres"),
        ("config/other.yml", None),
    ],
)
def test_a_profile_that_dbt_would_not_find_by_itself_says_the_adapter(
    name: str, adapter: str | None, tmp_path: Path
) -> None:
    profile = "shop: {target: \"{{ env_var('TARGET', 'dev') }}\", outputs: {dev: {type: postgres}}}\n"
    write_project(tmp_path, {name: profile, "models/m.sql": PLAIN}, {"profile": "shop"})
    options = resolved(MigrateOptions(), read_project(tmp_path), tmp_path, None)
    assert (options.adapter, options.dialect) == (adapter, adapter or "spark")


def test_two_files_of_profiles_that_differ_say_no_adapter(tmp_path: Path) -> None:
    files = {
        f"{folder}/profiles.yml": f"shop: {{outputs: {{dev: {{type: {adapter}}}}}}}\n"
        for folder, adapter in (("one", "postgres"), ("other", "snowflake"))
    }
    write_project(tmp_path, {**files, "models/m.sql": PLAIN}, {"profile": "shop"})
    assert resolved(MigrateOptions(), read_project(tmp_path), tmp_path, None).adapter is None


def test_a_model_that_cannot_be_read_says_as_what(tmp_path: Path) -> None:
    reason = one(
        migrated(
            tmp_path, {"m": MATCH + "{% if is_incremental() %} and at > (select max(at) from {{ this }}) {% endif %}"}
        )
    ).reason
    assert reason is not None
    assert "cannot be read as SQL of databricks, near" in reason.message
