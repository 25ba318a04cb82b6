"""Existing dbt models become models of kinds: what they say is found out, and their files are edited in place."""
