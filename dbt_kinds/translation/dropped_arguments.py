"""Arguments that sqlglot parses and its Spark generator silently drops, which changes the meaning."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError

from dbt_kinds.translation.not_in_spark import NotInSpark

# implied by the name of Spark's function, or by its default
_SAID_OTHERWISE = frozenset({"this", "unit", "safe", "default_date", "default_year", "target_type", "origin", "case"})
_DEFAULTS = {"group": "1", "length": "256", "position": "1", "occurrence": "1"}


def refuse_left_out(node: exp.Expr, dialect: str) -> None:
    """Refuses a function with a dropped optional argument.

    Raises:
        NotInSpark: the generated SQL does not depend on one of them.
    """
    if not isinstance(node, exp.Func) or isinstance(node, exp.Anonymous):
        return
    for name, is_required in node.arg_types.items():
        value = node.args.get(name)
        given = value if isinstance(value, list) else [value]
        if is_required or name in _SAID_OTHERWISE or not given or not isinstance(given[0], exp.Expr):
            continue
        is_off = isinstance(given[0], exp.Boolean) and not given[0].this
        if is_off or given[0].name == _DEFAULTS.get(name):
            continue
        without = node.copy()
        without.set(name, None)
        try:
            is_left_out = _for_spark(node) == _for_spark(without)
        except (SqlglotError, AttributeError, TypeError, ValueError, KeyError, IndexError):
            # the argument is required
            continue
        if is_left_out:
            written = node.sql(dialect=dialect, comments=False)
            message = f"the argument {given[0].sql(dialect=dialect)} of {written[:80]} has no counterpart in Spark"
            raise NotInSpark(message, node)


def _for_spark(node: exp.Expr) -> str:
    return str(node.sql(dialect="spark", unsupported_level=ErrorLevel.IGNORE))
