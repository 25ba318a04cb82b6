"""Connections that break at a chosen statement: what a run that is killed there leaves, without a new process for each.

Spark itself is real. What the statement does is done or not done, as asked, and nothing that comes after it arrives.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from dbt.adapters.spark.session import Cursor
from dbt_common.exceptions import DbtRuntimeError

from tests.sweep import rest


def written(statement: str) -> str:
    """The pattern of a statement. An event in quotes, such as `'loaded'`, is the append of it to the store: reads name events, too."""
    return (
        rf"insert into \S*dbt_kinds_intervals\b[\s\S]*{statement}" if re.fullmatch(r"'\w+'", statement) else statement
    )


@contextmanager
def broken_connection(statement: str, *, done: bool = False, number: int = 1) -> Iterator[list[str]]:
    """Breaks at the first statement that a pattern is found in, or that of a number: before it, or with `done` right after it.

    Yields a list that holds that statement once it came.
    """
    broken_at: list[str] = []
    found: list[str] = []
    execute, pattern = Cursor.execute, written(statement)

    def fragile(cursor: Cursor, sql: str, *parameters: Any) -> None:
        if re.search(pattern, sql):
            found.append(sql)
        if not broken_at and len(found) == number:
            broken_at.append(sql)
            if done:
                execute(cursor, sql, *parameters)
        elif not broken_at:
            execute(cursor, sql, *parameters)
            return
        raise DbtRuntimeError("the connection is broken")

    with patch.object(Cursor, "execute", fragile):
        yield broken_at


@contextmanager
def happening_before(statement: str, happens: Callable[[], Any]) -> Iterator[None]:
    """Something that another session does right before the first statement that a pattern is found in."""
    execute, has_happened = Cursor.execute, False

    def interrupted(cursor: Cursor, sql: str, *parameters: Any) -> None:
        nonlocal has_happened
        if not has_happened and re.search(statement, sql):
            has_happened = True
            happens()
        execute(cursor, sql, *parameters)

    with patch.object(Cursor, "execute", interrupted):
        yield
    assert has_happened


def every_break(breaks: Sequence[tuple[Any, ...]], *situations: Any, kept: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Each break in each situation, before its statement and behind it, as (*break, situation, done).

    Only those kept run by default: the unit tests have all of them.
    """
    ways: list[tuple[Any, ...]] = [(done,) for done in (False, True)]
    if situations:
        ways = [(situation, done) for done in (False, True) for situation in situations]
    return rest([(*a_break, *way) for a_break in breaks for way in ways], *kept)
