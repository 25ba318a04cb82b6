"""The profile of an embedded Spark with a Derby metastore and nothing to install."""

from __future__ import annotations

import importlib.util
import shlex
from pathlib import Path
from typing import Any

import yaml

from dbt_kinds.errors import KindsError
from dbt_kinds.local.jars import format_settings

DEFAULT_DIRECTORY = Path(".dbt_kinds")

DISPATCH = """\
# dbt's own tables, seeds and snapshots need a line in dbt_project.yml, to be built more than once in this Spark:
# dispatch: [{macro_namespace: dbt, search_order: [<your project>, dbt_kinds, dbt]}]
"""


def spark_home() -> Path:
    """The folder of the installed pyspark.

    Raises:
        KindsError: pyspark is not installed.
    """
    spec = importlib.util.find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise KindsError("pyspark is not installed: install dbt-kinds[local]")
    return Path(spec.origin).parent


def spark_settings(directory: Path, *, table_format: str = "iceberg", spark: str | None = None) -> dict[str, str]:
    """Spark's settings for an embedded session that keeps tables and metastore in `directory`.

    dbt-spark applies them again before every statement, so only necessary ones are included. For the format and the
    version of Spark see `format_settings`.

    Raises:
        KindsError: no jar of the format is known.
    """
    folder = directory.absolute()
    return {
        "spark.master": "local[*]",
        "spark.log.level": "ERROR",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.extraJavaOptions": f"-Dderby.stream.error.file={shlex.quote(str(folder / 'derby.log'))}",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.hadoop.javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={folder / 'metastore'};create=true",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "8",
        # threads share the session: static overwrite, set by a hook, would empty another model's table
        "spark.sql.sources.partitionOverwriteMode": "dynamic",
        # otherwise a read that lists a table's folder fails when another thread's insert removes its staging folder
        "spark.hadoop.hive.exec.stagingdir": str(folder / "staging" / ".hive-staging"),
        # otherwise Hive refuses to replace an Iceberg table if column types differ by position (measured)
        "spark.hadoop.hive.metastore.disallow.incompatible.col.type.changes": "false",
        # Derby once failed to find the partitions of a filter while other threads wrote (not reproduced)
        "spark.sql.hive.metastorePartitionPruningFallbackOnException": "true",
        # otherwise a date before 1582 or a timestamp before 1900 stops every write to Parquet (measured)
        "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
        "spark.sql.parquet.int96RebaseModeInWrite": "CORRECTED",
        **format_settings(table_format, spark),
    }


def local_profile(
    directory: Path,
    *,
    name: str,
    schema: str,
    threads: int,
    table_format: str = "iceberg",
    spark: str | None = None,
) -> dict[str, Any]:
    """A `profiles.yml`, as data, with one target for the embedded Spark; see `spark_settings`."""
    target = {
        "type": "spark",
        "method": "session",
        "host": "localhost",
        "schema": schema,
        "threads": threads,
        "server_side_parameters": spark_settings(directory, table_format=table_format, spark=spark),
    }
    return {name: {"target": "local", "outputs": {"local": target}}}


def render_profile(profile: dict[str, Any]) -> str:
    """The text of a `profiles.yml`, with the lines needed in `dbt_project.yml` in a comment."""
    return DISPATCH + yaml.safe_dump(profile, sort_keys=False, width=200)
