"""Reads existing dbt projects: models, the positions of their Jinja, and their configuration."""
