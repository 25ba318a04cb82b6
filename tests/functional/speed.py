"""How dbt and the JVMs of tests run: they live for seconds or minutes and see little data."""

from __future__ import annotations

import gc
import os

from dbt_common.tests import enable_test_caching

# for one process and tables of a few rows: compiling code for a query and shuffling its rows into parts takes longer than the query
SETTINGS = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    # no other process has to read the metastore
    "spark.hadoop.javax.jdo.option.ConnectionURL": "jdbc:derby:memory:metastore;create=true",
}


def quick_dbt() -> None:
    """Lets this process parse quickly, again and again.

    dbt parses its 650 macros anew whenever --vars change, unless it caches them as its own test suite does; and its many
    objects make Python's garbage collector look at all of them often (measured: 0.45 instead of 0.7 s of CPU a parse).
    """
    enable_test_caching()
    gc.set_threshold(100_000, 50, 100)


def quick_jvms() -> None:
    """Lets JVMs that are started from here on compile once, quickly, and collect garbage seldom and in one thread.

    A quarter of the time of a test goes where code is compiled for long lives (measured: 102 s instead of 141 s of CPU).
    """
    options = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC -Xmn400m"
    # Hadoop calls chmod for every file that it writes
    options += " -Djdk.lang.Process.launchMechanism=VFORK"
    os.environ["JAVA_TOOL_OPTIONS"] = options
