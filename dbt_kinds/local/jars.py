"""Which jars an embedded Spark needs for a format of tables: from a folder, from a wheel, or from Maven by name."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
from pathlib import Path

from dbt_kinds.errors import KindsError

FORMATS = ("iceberg", "delta", "parquet")
# by the version of Spark; each was run on it (docs/reference/tested.md), but for 4.0
MAVEN_NAMES = {
    "iceberg": {
        "3.5": "org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.10.2",
        "4.0": "org.apache.iceberg:iceberg-spark-runtime-4.0_2.13:1.11.0",
        "4.1": "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0",
    },
    "delta": {
        "3.5": "io.delta:delta-spark_2.12:3.3.3",
        "4.0": "io.delta:delta-spark_4.0_2.13:4.3.1",
        "4.1": "io.delta:delta-spark_4.1_2.13:4.3.1",
    },
}
# catalogs that add a format to Spark's own one, so that tables of other formats stay beside its tables
CATALOGS = {
    "iceberg": {
        "spark.sql.catalog.spark_catalog": "org.apache.iceberg.spark.SparkSessionCatalog",
        "spark.sql.catalog.spark_catalog.type": "hive",
        # with the lock Derby waits forever, or takes 3 s per commit (measured); a single JVM owns this metastore anyway
        "spark.hadoop.iceberg.engine.hive.lock-enabled": "false",
    },
    "delta": {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        # the default of 50 makes every commit to a small table slow (measured)
        "spark.databricks.delta.snapshotPartitions": "2",
    },
}
WHEEL = "snowpark_connect_deps_iceberg"


def format_settings(table_format: str, spark: str | None = None) -> dict[str, str]:
    """Spark's settings for tables of a format; none for `parquet`, which needs no jars.

    Args:
        table_format: `iceberg`, `delta` or `parquet`.
        spark: the version of Spark, such as `3.5`; by default that of the installed PySpark.

    Raises:
        KindsError: PySpark is not installed, or no jar of the format is known for its version.
    """
    if table_format == "parquet":
        return {}
    return _jars(table_format, spark or installed_spark()) | CATALOGS[table_format]


def what_spark_fetches(table_format: str, spark: str | None = None) -> str | None:
    """Which jars Spark fetches when it starts, and what to do where it cannot; None if all are here.

    Raises:
        KindsError: as `format_settings`.
    """
    version = spark or installed_spark()
    name = format_settings(table_format, version).get("spark.jars.packages")
    if name is None:
        return None
    if (table_format, version) == ("iceberg", "3.5"):
        instead = f"pip install --no-deps --ignore-requires-python {WHEEL.replace('_', '-')}==1.0.2"
    else:
        instead = f"put its jars into {table_format}-spark-{version} of a folder, name that in KINDS_JARS"
    return f"Spark fetches {name} from Maven Central when it starts; where it cannot, before this command: {instead}"


def installed_spark() -> str:
    """The version of the installed PySpark, without its patch: `3.5`.

    Raises:
        KindsError: it is not installed.
    """
    try:
        return ".".join(importlib.metadata.version("pyspark").split(".")[:2])
    except importlib.metadata.PackageNotFoundError:
        raise KindsError("pyspark is not installed: install dbt-kinds[local]") from None


def _jars(table_format: str, spark: str) -> dict[str, str]:
    """The setting that names the jars.

    The folder in the variable KINDS_JARS comes first, in which they lie in `<format>-spark-<version>`; then, for
    Iceberg on Spark 3.5, the wheel; then Maven, from which Spark fetches them when it starts.
    """
    jars = _jars_of_folder(table_format, spark) or _jars_of_wheel(table_format, spark)
    if jars:
        return {"spark.jars": ",".join(str(jar) for jar in jars)}
    names = MAVEN_NAMES[table_format]
    if spark not in names:
        raise KindsError(
            f"no jar of {table_format} is known for Spark {spark}; install PySpark {' or '.join(names)}, put the jars"
            f" into {table_format}-spark-{spark} of a folder and name that in KINDS_JARS, or use --format parquet"
        )
    return {"spark.jars.packages": names[spark]}


def _jars_of_folder(table_format: str, spark: str) -> list[Path]:
    given = os.environ.get("KINDS_JARS")
    return sorted((Path(given).absolute() / f"{table_format}-spark-{spark}").glob("*.jar")) if given else []


def _jars_of_wheel(table_format: str, spark: str) -> list[Path]:
    found = importlib.util.find_spec(WHEEL)
    if table_format != "iceberg" or spark != "3.5" or found is None or found.origin is None:
        return []
    return sorted((Path(found.origin).parent / "jars").glob("iceberg-spark-runtime-3.5_2.12-*.jar"))[-1:]
