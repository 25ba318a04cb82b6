"""Clauses that a macro keeps or omits: where each ends."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import Token

from dbt_kinds.readers.sqlmesh.macros.token_runs import QUOTED

CLAUSES = {
    "WITH": "WITH",
    "JOIN": "JOIN",
    "WHERE": "WHERE",
    "GROUP_BY": "GROUP BY",
    "HAVING": "HAVING",
    "ORDER_BY": "ORDER BY",
    "LIMIT": "LIMIT",
}


AFTER_WHERE = "GROUP HAVING QUALIFY WINDOW ORDER LIMIT UNION EXCEPT INTERSECT"


ENDS_OF = {
    "WITH": "SELECT",
    "JOIN": f"JOIN LEFT RIGHT FULL INNER CROSS NATURAL SEMI ANTI LATERAL WHERE {AFTER_WHERE}",
    "WHERE": AFTER_WHERE,
    "GROUP BY": "HAVING QUALIFY WINDOW ORDER LIMIT UNION EXCEPT INTERSECT",
    "HAVING": "QUALIFY WINDOW ORDER LIMIT UNION EXCEPT INTERSECT",
    "ORDER BY": "LIMIT OFFSET UNION EXCEPT INTERSECT",
    "LIMIT": "OFFSET UNION EXCEPT INTERSECT",
}


ENDS = {clause: frozenset(words.split()) for clause, words in ENDS_OF.items()}


def clause_end(clause: str, tokens: Sequence[Token], begin: int) -> int:
    """The end of a clause: the word that begins the next one, a closing bracket or the end of the text."""
    depth = 0
    at = begin
    while at < len(tokens):
        token = tokens[at]
        text = token.text if token.token_type not in QUOTED else ""
        if text in ("(", "[", "{"):
            depth += 1
        elif text in (")", "]", "}"):
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and text == ";":
            break
        elif depth == 0 and at > begin and text.upper().split(" ")[0] in ENDS[clause]:
            is_function = at + 1 < len(tokens) and tokens[at + 1].text == "(" and text.upper() in ("LEFT", "RIGHT")
            if not is_function:
                break
        elif depth == 0 and text == "@" and at + 1 < len(tokens) and tokens[at + 1].text.upper() in CLAUSES:
            break
        at += 1
    return at
