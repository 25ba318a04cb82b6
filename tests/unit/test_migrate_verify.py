"""`dbt-kinds verify --sql-only`: columns and tables of the old and the new text, without a warehouse."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dbt_kinds.cli import main
from dbt_kinds.migrate.conversion import MigrateOptions
from dbt_kinds.migrate.microbatch import batch_of
from dbt_kinds.migrate.parents import Parents
from dbt_kinds.migrate.verify import OldBounds, old_bounds
from dbt_kinds.readers.dbt.project import read_project
from tests.unit.migrating import write_project

OLD = """{{ config(materialized='incremental', file_format='iceberg') }}
with paid as (select * from {{ source('shop', 'payments') }})
select o.order_id, o.order_date, paid.amount from {{ ref('raw_orders') }} as o join paid using (order_id)
{% if is_incremental() %} where o.order_date > (select max(order_date) from {{ this }}) {% endif %}
"""
NEW = """{{ config(materialized='incremental_by_time_range', file_format='iceberg', meta={'time_column': 'order_date'}) }}
with paid as (select * from {{ source('shop', 'payments') }})
select o.order_id, o.order_date, paid.amount from {{ ref('raw_orders') }} as o join paid using (order_id)
 where o.order_date between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }}
"""


def git(root: Path, *arguments: str) -> None:
    who = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project whose old text is committed, and whose new one is not."""
    write_project(tmp_path, {"m": OLD})
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "The old way")
    (tmp_path / "models" / "m.sql").write_text(NEW)
    return tmp_path


def compared(root: Path, *more: str, new: str = NEW) -> Result:
    (root / "models" / "m.sql").write_text(new)
    return CliRunner().invoke(main, ["verify", str(root), "--select", "m", "--sql-only", *more])


def test_the_migrated_text_reads_the_same_tables_and_has_the_same_columns(root: Path) -> None:
    told = compared(root)
    assert (told.exit_code, told.stdout, told.stderr) == (0, "", "m: same columns and tables\n")


@pytest.mark.parametrize(
    ("was", "now", "difference"),
    [
        ("paid.amount", "paid.amount as price", "columns differ: order_id, order_date, amount before, order_id, order_date, price now"),
        ("o.order_id, ", "", "columns differ: order_id, order_date, amount before, order_date, amount now"),
        ("ref('raw_orders')", "ref('orders')", "reads raw_orders only before"),
        ("ref('raw_orders')", "ref('orders')", "reads orders only now"),
        ("'payments'", "'refunds'", "reads shop.payments only before"),
    ],
)  # fmt: skip
def test_what_differs_is_named(root: Path, was: str, now: str, difference: str) -> None:
    told = compared(root, new=NEW.replace(was, now))
    assert told.exit_code == 1 and f"m: {difference}\n" in told.stderr


def test_the_old_text_may_be_a_file(root: Path) -> None:
    git(root, "commit", "--quiet", "--all", "-m", "Kinds")
    told = compared(root)
    assert told.exit_code == 2 and "m.sql at HEAD is of a kind already" in " ".join(told.stderr.split())
    (root / "old.txt").write_text(OLD)
    assert compared(root, "--old", str(root / "old.txt")).exit_code == 0


def test_a_text_that_is_no_sql_is_wrong_use(root: Path) -> None:
    told = compared(root, new=NEW.replace("select o.order_id,", "select from from"))
    assert told.exit_code == 2 and "m cannot be read as SQL" in told.stderr


def test_a_microbatch_model_is_compared_with_its_inputs_filtered_as_dbt_filters_them(tmp_path: Path) -> None:
    batch = "materialized='incremental', incremental_strategy='microbatch', event_time='at', begin='2024-01-01', batch_size='day'"
    files = {
        "m": f"{{{{ config({batch}) }}}}\nselect * from {{{{ ref('a') }}}} join {{{{ ref('b') }}}} join {{{{ ref('a').render() }}}}\n",
        "a": "{{ config(event_time='seen_at') }} select 1 as seen_at",
        "b": "{{ config(event_time='day') }} select 1 as day",
    }
    project = read_project(write_project(tmp_path, files))
    model = project.models_by_name["m"]
    assert old_bounds(project, model, MigrateOptions(), tmp_path) == OldBounds((), (), "at", is_batch=True)
    assert batch_of(model, Parents(project, "spark", "spark"), "2024-02-01", "2024-02-03 12:00:00").split("\n")[1] == (
        "select * from (select * from {{ ref('a') }} where seen_at >= timestamp '2024-02-01 00:00:00+00:00' and seen_at < timestamp '2024-02-03 12:00:00+00:00') "
        "join (select * from {{ ref('b') }} where day >= date '2024-02-01' and day < date '2024-02-03') join {{ ref('a').render() }}"
    )
