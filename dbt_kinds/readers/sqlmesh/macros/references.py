"""Which variables a text asks for and nothing defines: in an audit they are its arguments."""

from __future__ import annotations

from dbt_kinds.readers.sqlmesh.dialects import tokens_of
from dbt_kinds.readers.sqlmesh.macros.scope import Scope
from dbt_kinds.readers.sqlmesh.macros.variables import is_known
from dbt_kinds.readers.sqlmesh.times import time_variable


def undefined_variables(text: str, scope: Scope, first_line: int) -> list[str]:
    """The variables of a text that are neither times, nor defined, nor macros, in the order of their first use."""
    tokens = tokens_of(text, scope.dialect, scope.file, first_line)
    found: list[str] = []
    for index, token in enumerate(tokens[:-1]):
        following = tokens[index + 1]
        if token.text != "@" or following.start != token.end + 1:
            continue
        if following.text == "{" and index + 2 < len(tokens):
            name, behind = tokens[index + 2].text, ""
        else:
            name, behind = following.text, tokens[index + 2].text if index + 2 < len(tokens) else ""
        is_name = name.replace("_", "a").isalnum() and not name[0].isdigit()
        if is_name and behind != "(" and time_variable(name) is None and not is_known(name, scope):
            found.append(name.lower())
    return list(dict.fromkeys(found))
