"""Model kinds with interval semantics for dbt on Spark.

dbt imports every top-level module named `dbt_*` at each start, so this module must hold nothing else.
"""

__version__ = "0.1.0"
