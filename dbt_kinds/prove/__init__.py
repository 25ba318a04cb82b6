"""Plays a model as it was loaded and as a kind over random sources and runs in DuckDB, and compares the two tables."""
