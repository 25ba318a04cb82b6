"""Converts existing dbt models to models of kinds: analyses how they load, and edits their files in place."""
