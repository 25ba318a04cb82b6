"""dbt's own materializations in the embedded Spark: what a project has besides kinds is built again and again."""

from __future__ import annotations

from tests.functional.project import Project

# those that dbt-spark can name and this Spark can write
FORMATS = ["parquet", "orc", "csv", "json", "iceberg", "hive"]
SEED = """id,name,price,day,note
1,kevin parker's,1.5,2024-01-02,
2,back\\slash,,,"two ""words"", None"
3,,100,2024-02-29,NULL
"""


SNAPSHOT = """{% snapshot kept %}
{{ config(unique_key='id', strategy='check', check_cols='all', file_format='iceberg', hard_deletes='invalidate') }}
select id, name from {{ ref('customers') }} where id <= 3 - {{ var('my_gone', 0) }}
{% endsnapshot %}
"""


def test_a_project_is_built_again_and_again(project: Project) -> None:
    project.settings["dispatch"] = [{"macro_namespace": "dbt", "search_order": ["shop", "dbt_kinds", "dbt"]}]
    (project.folder / "seeds").mkdir()
    (project.folder / "seeds" / "customers.csv").write_text(SEED)
    for file_format in ["", *FORMATS]:
        config = f", file_format='{file_format}'" if file_format else ""
        name = f"plain_{file_format or 'default'}"
        project.model(
            name, f"{{{{ config(materialized='table'{config}) }}}} select id, name from {{{{ ref('customers') }}}}"
        )
    project.model(
        "grown", "{{ config(materialized='incremental', file_format='parquet') }} select id from {{ ref('customers') }}"
    )
    project.model("seen", "{{ config(materialized='view') }} select id from {{ ref('plain_parquet') }}")
    (project.folder / "snapshots").mkdir()
    (project.folder / "snapshots" / "kept.sql").write_text(SNAPSHOT)
    for number in range(4):
        built = project.dbt("build", *(["--full-refresh"] if number % 2 else []), my_gone=int(number == 3))
        assert built.success, built.errors
        tables = [f"plain_{name}" for name in ("default", *FORMATS)]
        assert [project.sql(f"select count(*) from {{schema}}.{name}") for name in [*tables, "seen"]] == [[(3,)]] * (
            len(tables) + 1
        )
    assert project.rows("select id, name, price, cast(day as string), note from {schema}.customers") == [
        (1, "kevin parker's", 1.5, "2024-01-02", None),
        (2, "back\\slash", None, None, 'two "words", None'),
        (3, None, 100.0, "2024-02-29", None),
    ]
    assert project.rows("select id from {schema}.grown") == [(1,), (2,), (3,)]
    assert project.rows("select id, dbt_valid_to is null from {schema}.kept") == [(1, True), (2, True), (3, False)]
