"""dbt-databricks on Spark with Delta, in the venv of databricks.py: `python -m tests.functional.databricks_process DESCRIPTOR FOLDER`.

dbt-databricks is as it is installed. In place of databricks-sql-connector's connection to a workspace it gets one to the Spark of this process, a session of
Spark each. What a SQL warehouse refuses is refused; what Spark does not have is put into its words: Unity Catalog's lists of tables and of row filters, and `replace on`.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import databricks.sql
from databricks.sql.exc import ServerOperationError
from pyspark.sql import DataFrame, SparkSession

from dbt_kinds.local.java import use_java_17
from dbt_kinds.local.profile import local_profile
from tests.functional.elsewhere import serve, without_comment
from tests.functional.project import start_spark
from tests.functional.speed import SETTINGS, quick_dbt, quick_jvms

NUMBERS = itertools.count(1)
ROW_FILTERS = re.compile(r"`\w+`\.`information_schema`\.`row_filters`")
NO_ROW_FILTER = "(select '' as table_catalog, '' as table_schema, '' as table_name, '' as filter_name, '' as target_columns where false)"
UNITY_TABLES = "`system`.`information_schema`.`tables`"
# before 17.1, which has replace on
CLUSTER = "15.4.x-scala2.12"
WAREHOUSE_REFUSES = re.compile(r"^set\s|\spurge\s*$|java_method", re.IGNORECASE)
REPLACE_ON = re.compile(r"insert into table (\S+) as t\s+replace on \((.*?)\)\s+\((.*)\) as s", re.DOTALL)


class Cursor:
    """What dbt-databricks uses of a cursor of databricks-sql-connector."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.query_id = str(next(NUMBERS))
        self.description: list[tuple[Any, ...]] | None = None
        self._rows: list[tuple[Any, ...]] = []

    def execute(self, sql: str, bindings: Sequence[Any] | None = None) -> Cursor:
        """Runs a statement."""
        # a seed of dbt-databricks, whose values the connector writes into the statement
        for value in bindings or ():
            sql = sql.replace("%s", _literal(value), 1)
        statement = without_comment(sql)
        try:
            self._take(self.connection.spark.sql(self._on_spark(statement)))
        except Exception as error:
            raise ServerOperationError(str(error)) from error
        return self

    def fetchall(self) -> list[tuple[Any, ...]]:
        """All rows that are left."""
        return self.fetchmany(len(self._rows))

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row."""
        return next(iter(self.fetchmany(1)), None)

    def fetchmany(self, size: int) -> list[tuple[Any, ...]]:
        """The next rows."""
        rows, self._rows = self._rows[:size], self._rows[size:]
        return rows

    def cancel(self) -> None:
        """Nothing runs beside the one who asks."""

    def close(self) -> None:
        """Forgets the rows."""
        self._rows = []

    def _on_spark(self, statement: str) -> str:
        """A statement as Spark has it."""
        spark = self.connection.spark
        if self.connection.is_warehouse and WAREHOUSE_REFUSES.search(statement):
            raise ServerOperationError(f"a SQL warehouse refuses: {statement}")
        if statement == "SET spark.databricks.clusterUsageTags.sparkVersion":
            return f"select '{statement[4:]}', '{CLUSTER}'"
        statement = ROW_FILTERS.sub(NO_ROW_FILTER, statement)
        if UNITY_TABLES in statement:
            _list_tables(spark)
            return statement.replace(UNITY_TABLES, "unity_tables")
        if replaced := REPLACE_ON.fullmatch(statement):
            assert self.connection.is_warehouse
            table, condition, query = replaced.groups()
            columns = spark.sql(f"describe detail {table}").collect()[0].partitionColumns
            assert condition == " and ".join(f"t.`{column}` <=> s.`{column}`" for column in columns)
            spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
            return f"insert overwrite {table} {query}"
        return statement

    def _take(self, answer: DataFrame) -> None:
        self.description = [
            (field.name, field.dataType.simpleString(), None, None, None, None, True) for field in answer.schema.fields
        ]
        self._rows = [tuple(row) for row in answer.collect()]


class Connection:
    """A session of its own, as each connection to a warehouse or cluster has."""

    def __init__(self, spark: SparkSession, http_path: str) -> None:
        self.spark = spark.newSession()
        self.is_warehouse = "/warehouses/" in http_path
        self._id = f"{next(NUMBERS):x}"

    def cursor(self) -> Cursor:
        """A new cursor."""
        return Cursor(self)

    def get_session_id_hex(self) -> str:
        """The name of the session."""
        return self._id

    def close(self) -> None:
        """A session ends with its process."""


def _literal(value: Any) -> str:
    if value is None or isinstance(value, (int, float)):
        return "null" if value is None else str(value)
    text = str(value).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{text}'"


def _list_tables(spark: SparkSession) -> None:
    """Unity Catalog's list of tables, as a view of Spark's tables now."""
    rows = [
        "(cast(null as string), cast(null as string), cast(null as string), cast(null as string), cast(null as string), '')"
    ]
    for (schema,) in spark.sql("show schemas").collect():
        for table in spark.sql(f"show tables in {schema}").collect():
            facts = {
                row[0]: row[1] for row in spark.sql(f"describe table extended {schema}.{table.tableName}").collect()
            }
            rows.append(
                f"('spark_catalog', '{schema}', '{table.tableName}', '{facts['Type']}', '{facts.get('Provider', 'view')}', 'root')"
            )
    spark.sql(
        f"create or replace temporary view unity_tables as select * from values {', '.join(rows)} "
        "as (table_catalog, table_schema, table_name, table_type, data_source_format, table_owner)"
    )


def main(descriptor: str, folder: str) -> None:
    """Calls methods of projects, until the other side is gone."""
    quick_dbt()
    use_java_17()
    quick_jvms()
    profile = local_profile(Path(folder), name="local", schema="unused", threads=4, table_format="delta")
    profile["local"]["outputs"]["local"]["server_side_parameters"] |= SETTINGS
    spark = start_spark(profile)
    databricks.sql.connect = lambda **arguments: Connection(spark, arguments["http_path"])
    serve(descriptor)


if __name__ == "__main__":
    main(*sys.argv[1:])
