"""Readers of other tools' projects: each makes the models of `dbt_kinds.kinds` out of files."""
