"""The command `dbt-kinds`: options and printing, nothing else. A file holds the commands of one purpose."""

from dbt_kinds.cli import checking, converting, exchanging, operating, setting_up
from dbt_kinds.cli.group import main

__all__ = ["checking", "converting", "exchanging", "main", "operating", "setting_up"]
