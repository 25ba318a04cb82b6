"""The undefined variables of a text: in an audit they are its arguments."""

from __future__ import annotations

from sqlglot import TokenType

from dbt_kinds.readers.brackets import closing
from dbt_kinds.readers.sqlmesh.dialects import tokens_of
from dbt_kinds.readers.sqlmesh.macros.scope import Scope
from dbt_kinds.readers.sqlmesh.macros.token_runs import Reference, composition
from dbt_kinds.readers.sqlmesh.macros.variables import REFERENCE, is_known
from dbt_kinds.readers.time_names import time_variable


def undefined_variables(text: str, scope: Scope, first_line: int) -> list[str]:
    """The variables of a text that are neither times, nor defined, nor macros, in order of first use."""
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


def variables_of_macros(text: str, scope: Scope, first_line: int) -> set[str]:
    """The variables used by macros, or in names and strings, which must be known when compiling."""
    tokens = tokens_of(text, scope.dialect, scope.file, first_line)
    found: set[str] = set()
    for index, token in enumerate(tokens):
        parts, behind = composition(tokens, index)
        first = parts[0] if parts else None
        if len(parts) > 1:
            found.update(part.name.lower() for part in parts if isinstance(part, Reference))
        elif isinstance(first, Reference) and first.is_template:
            found |= _names(first.name)
        elif isinstance(first, Reference) and behind < len(tokens) and tokens[behind].text == "(":
            end = closing(tokens, behind)
            found |= _names(text[tokens[behind].start : tokens[end].end if end is not None else None])
        elif token.token_type == TokenType.IDENTIFIER:
            found |= _names(token.text)
    return found


def variables_behind_in(text: str, scope: Scope, first_line: int) -> set[str]:
    """The variables used as the list of IN."""
    tokens = tokens_of(text, scope.dialect, scope.file, first_line)
    words = [token.text.upper() for token in tokens]
    starts = [index + 1 + (words[index + 1 : index + 2] == ["("]) for index, word in enumerate(words) if word == "IN"]
    parts = [composition(tokens, start)[0] for start in starts]
    return {part[0].name.lower() for part in parts if part and isinstance(part[0], Reference)}


def _names(text: str) -> set[str]:
    return {(found[1] or found[2]).lower() for found in REFERENCE.finditer(text)}
