"""The profile of an embedded Spark with Iceberg tables, a Derby metastore and nothing to install."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import yaml

from dbt_kinds.errors import LocalSparkMissingError

DEFAULT_DIRECTORY = Path(".dbt_kinds")

DISPATCH = """\
# dbt's own tables, seeds and snapshots need a line in dbt_project.yml, to be built more than once in this Spark:
# dispatch: [{macro_namespace: dbt, search_order: [<your project>, dbt_kinds, dbt]}]
"""


def spark_home() -> Path:
    """The folder of the installed pyspark.

    Raises:
        LocalSparkMissingError: pyspark is not installed.
    """
    return _package_folder("pyspark")


def iceberg_jar() -> Path:
    """Iceberg's Spark 3.5 runtime, from the wheel `snowpark-connect-deps-iceberg`.

    Raises:
        LocalSparkMissingError: the wheel, or the jar in it, is not there.
    """
    jars = sorted(
        (_package_folder("snowpark_connect_deps_iceberg") / "jars").glob("iceberg-spark-runtime-3.5_2.12-*.jar")
    )
    if not jars:
        raise LocalSparkMissingError("snowpark-connect-deps-iceberg has no jar for Spark 3.5: install dbt-kinds[local]")
    return jars[-1]


def spark_settings(directory: Path, *, has_iceberg: bool = True) -> dict[str, str]:
    """Spark's settings for an embedded session that keeps tables and metastore in `directory`.

    dbt-spark applies them again before every statement, so only necessary ones are included. `has_iceberg` is false for
    versions of Spark and Python for which no wheel contains an Iceberg jar.

    Raises:
        LocalSparkMissingError: Iceberg's jar is not installed, and `has_iceberg` is true.
    """
    folder = directory.absolute()
    return {
        "spark.master": "local[*]",
        "spark.log.level": "ERROR",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.extraJavaOptions": f"-Dderby.stream.error.file={folder / 'derby.log'}",
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
        **(_iceberg_settings() if has_iceberg else {}),
    }


def _iceberg_settings() -> dict[str, str]:
    return {
        "spark.jars": str(iceberg_jar()),
        "spark.sql.catalog.spark_catalog": "org.apache.iceberg.spark.SparkSessionCatalog",
        "spark.sql.catalog.spark_catalog.type": "hive",
        # with the lock Derby waits forever, or takes 3 s per commit (measured); a single JVM owns this metastore anyway
        "spark.hadoop.iceberg.engine.hive.lock-enabled": "false",
    }


def local_profile(directory: Path, *, name: str, schema: str, threads: int, has_iceberg: bool = True) -> dict[str, Any]:
    """A `profiles.yml`, as data, with one target for the embedded Spark; see `spark_settings`."""
    target = {
        "type": "spark",
        "method": "session",
        "host": "localhost",
        "schema": schema,
        "threads": threads,
        "server_side_parameters": spark_settings(directory, has_iceberg=has_iceberg),
    }
    return {name: {"target": "local", "outputs": {"local": target}}}


def render_profile(profile: dict[str, Any]) -> str:
    """The text of a `profiles.yml`, with the lines needed in `dbt_project.yml` in a comment."""
    return DISPATCH + yaml.safe_dump(profile, sort_keys=False, width=200)


def _package_folder(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise LocalSparkMissingError(f"{package} is not installed: install dbt-kinds[local]")
    return Path(spec.origin).parent
