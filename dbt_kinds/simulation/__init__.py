"""Whole runs of kinds without Spark: the package's own macros, whose statements DuckDB executes."""
