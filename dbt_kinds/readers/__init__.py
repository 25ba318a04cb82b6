"""Readers of other tools' projects: each turns files into the models of `dbt_kinds.kinds`."""
