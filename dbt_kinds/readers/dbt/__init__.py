"""Reads existing dbt projects: their models, where Jinja stands in them, and what their configuration says."""
