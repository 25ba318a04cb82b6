"""The one place where a node of sqlglot's is bound to what Spark has in its stead.

A function takes a node and its dialect, and returns it, or one with the same meaning in Spark; it raises NotInSpark if
there is none. Its evidence is in `function_tables/<dialect>.csv`, and in `tests/traps/<dialect>.txt` for operators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sqlglot import exp

from dbt_kinds.translation.dialects import SPARK_FAMILY, is_spark
from dbt_kinds.translation.renamed import renamed

Rewrite = Callable[[Any, str], exp.Expr]

_BY_TYPE: dict[type[exp.Expr], list[tuple[frozenset[str], Rewrite]]] = {}
# functions unknown to sqlglot
_BY_NAME: dict[str, list[tuple[frozenset[str], Rewrite]]] = {}


def rewrites(
    *what: type[exp.Expr] | str, dialects: Iterable[str] = (), also_in_spark: bool = False
) -> Callable[[Rewrite], Rewrite]:
    """Binds a function to nodes of these types, or to functions of these names that sqlglot does not know.

    Args:
        dialects: only those; without any it is all but Spark's own family.
        also_in_spark: that family, too.
    """

    def bind(write: Rewrite) -> Rewrite:
        for one in what:
            bound = _BY_NAME.setdefault(one, []) if isinstance(one, str) else _BY_TYPE.setdefault(one, [])
            for only in (frozenset(dialects), *([SPARK_FAMILY] if also_in_spark else [])):
                assert not any(_meet(only, others) for others, _ in bound), f"{one} is rewritten twice"
                # those of some dialects come before those of all
                bound.insert(0 if only else len(bound), (only, write))
        return write

    return bind


def rewritten(node: exp.Expr, dialect: str) -> exp.Expr:
    """The node, or one with the same meaning in Spark.

    Raises:
        NotInSpark: Spark has no equivalent.
    """
    write: Rewrite | None
    if isinstance(node, exp.Anonymous):
        write = _bound(_BY_NAME.get(node.name.upper(), ()), dialect) or (None if is_spark(dialect) else renamed)
    else:
        write = _bound(_BY_TYPE.get(type(node), ()), dialect)
    made = write(node, dialect) if write is not None else node
    is_inside = isinstance(node.parent, exp.Binary | exp.Cast | exp.Neg | exp.Not | exp.Dot)
    return exp.paren(made) if made is not node and is_inside and isinstance(made, exp.Binary) else made


def _bound(bound: Iterable[tuple[frozenset[str], Rewrite]], dialect: str) -> Rewrite | None:
    for only, write in bound:
        if dialect in only if only else not is_spark(dialect):
            return write
    return None


def _meet(only: frozenset[str], others: frozenset[str]) -> bool:
    """Whether two functions would be bound to the same nodes."""
    return bool(only & others) or (not only and not others)
