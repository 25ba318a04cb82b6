"""Variables that bound a load: each must be understood and have no other use."""

from __future__ import annotations

import re

from sqlglot import exp

from dbt_kinds.errors import (
    UnboundPartition,
    VariableUsedElsewhere,
)
from dbt_kinds.migrate.filters import Filter
from dbt_kinds.migrate.meaning import Meaning
from dbt_kinds.migrate.outside import VAR_CALL
from dbt_kinds.migrate.reading import Reading
from dbt_kinds.migrate.settings import Settings
from dbt_kinds.migrate.trace import find_marker, is_plain_condition, same
from dbt_kinds.readers.dbt.tags import line_of, tags

BOUND_VARIABLE = re.compile(
    r"start|end|from|to$|date|day|since|until|begin|_ds$|^ds$|month|hour|time|interval", re.IGNORECASE
)


def is_bounded_outside(reading: Reading) -> bool:
    """Whether variables bound the model outside of any block."""
    names = {name for found in reading.outside for name in _names_in(reading, found)}
    return any(BOUND_VARIABLE.search(name) for name in names)


def _names_in(reading: Reading, found: Filter) -> set[str]:
    text = reading.model.text
    return {
        name for comparison in found.comparisons for name in VAR_CALL.findall(text[comparison.start : comparison.end])
    }


def check_unread(reading: Reading, settings: Settings) -> None:
    """If only variables bound the load, checks that each of them is understood."""
    for tag in reading.unread:
        for name in VAR_CALL.findall(tag.code):
            if BOUND_VARIABLE.search(name):
                raise UnboundPartition(
                    f"the variable {name} decides what is read or written, outside of a condition; write it "
                    "with start_date() and end_date()",
                    line=line_of(reading.model.text, tag.start),
                )


def with_partners(tree: exp.Query, meanings: list[Meaning]) -> list[Meaning]:
    """Merges upper bounds outside a block with the filter of the same WHERE and column.

    Each remaining filter has a lower bound.
    """
    whole = [meaning for meaning in meanings if meaning.lower]
    for other in (meaning for meaning in meanings if not meaning.lower):
        select = _select_of(tree, other)
        partner = next((one for one in whole if _select_of(tree, one) is select and select is not None), None)
        assert other.expression is not None
        if partner is None or partner.expression is None or not same(partner.expression, other.expression):
            raise VariableUsedElsewhere(
                f"a variable bounds {other.written} here, where no filter bounds its beginning; replace it by "
                "a time variable by hand",
                line=other.filter.line,
            )
    return whole


def _select_of(tree: exp.Query, meaning: Meaning) -> exp.Select | None:
    marker = find_marker(tree, meaning.filter.marker)
    return is_plain_condition(marker) if marker is not None else None


def check_variables(reading: Reading, meanings: list[Meaning]) -> None:
    """Checks that a variable that bounds the load has no other use."""
    text = reading.model.text
    bounding = {
        bound.variable
        for meaning in meanings
        for bound in (*meaning.lower, *meaning.upper)
        if bound.base == "variable" and bound.variable is not None
    }
    for tag in tags(text):
        if tag.kind == "comment" or not bounding & set(VAR_CALL.findall(tag.code)):
            continue
        if not any(_is_in(found, tag.start) for found in (*reading.filters, *reading.outside)):
            name = sorted(bounding & set(VAR_CALL.findall(tag.code)))[0]
            raise VariableUsedElsewhere(
                f"the variable {name} bounds the load and is used here, too; replace it by a time variable by hand",
                line=line_of(text, tag.start),
            )


def _is_in(found: Filter, at: int) -> bool:
    return found.block.start <= at < found.block.end or any(part.start <= at < part.end for part in found.comparisons)
