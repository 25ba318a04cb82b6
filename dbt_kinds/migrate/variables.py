"""Variables that bound a load: each must be understood and have no other use."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left
from dbt_kinds.migrate.absences import is_absence
from dbt_kinds.migrate.bounds import read_bound
from dbt_kinds.migrate.conditions import Comparison
from dbt_kinds.migrate.conversion import MigrateOptions
from dbt_kinds.migrate.filters import Filter
from dbt_kinds.migrate.known_times import same
from dbt_kinds.migrate.meaning import Meaning
from dbt_kinds.migrate.outside import VAR_CALL, outside_filters
from dbt_kinds.migrate.parameters import is_parameter, variables_in
from dbt_kinds.migrate.reading import Reading
from dbt_kinds.migrate.settings import Settings
from dbt_kinds.migrate.substitution import Template
from dbt_kinds.migrate.trace import find_marker, is_plain_condition
from dbt_kinds.readers.dbt.calls import names_only
from dbt_kinds.readers.dbt.tags import Tag, line_of, tags
from dbt_kinds.writers.jinja import Expression

_TIME = re.compile(r"\b(?:run_started_at|modules\.datetime)\b")
_SET = re.compile(r"set\s+(\w+)\s*=")


def bounding_conditions(reading: Reading, settings: Settings, options: MigrateOptions) -> list[Filter]:
    """The conditions outside of blocks that bound what is read: by variables, without blocks by the current time."""

    def bounds(comparison: Comparison) -> bool:
        return is_parameter(comparison, reading.names, columns) or (
            all(map(is_absence, reading.filters)) and _is_since(comparison, reading, options)
        )

    columns = settings.partition_columns | {name.lower() for name in settings.unique_key}
    blocks = [found.block for found in reading.filters]
    text, context = reading.model.text, reading.context
    return outside_filters(Template(text, options.dialect, reading.renderer, context), blocks, bounds)


def _is_since(comparison: Comparison, reading: Reading, options: MigrateOptions) -> bool:
    """Whether a condition selects what lies a fixed time before now."""
    if comparison.operator == "other":
        return False
    if comparison.operator == "between":
        lower = comparison.others[:1]
    elif comparison.operator in (">", ">=", "="):
        lower = comparison.others
    else:
        lower = [comparison.expression]
    if comparison.operator == "=":
        lower = [*lower, comparison.expression]
    found = [read_bound(side, reading.names, options.dialect) for side in lower]
    return any(bound is not None and bound.base == "now" for bound in found)


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
            raise Left(
                MigrateCode.VariableUsedElsewhere,
                f"a variable bounds {other.written} here, where no filter bounds its beginning; replace it by "
                "a time variable by hand",
                line=other.filter.line,
            )
    return whole


_NAMED_BASE = {"now": "the current time", "latest": "the newest value of the table"}


def fixed_starts(
    reading: Reading, meanings: list[Meaning], beside: list[Meaning]
) -> tuple[list[Meaning], list[Meaning]]:
    """Of the conditions beside filters between variables, those by a variable with a value in the project before which
    nothing is read, and the others.
    """
    bounding = {bound.variable for meaning in meanings for bound in (*meaning.lower, *meaning.upper)}
    given = reading.parents.project.variables.keys() - bounding
    whole = [meaning for meaning in meanings if meaning.lower and meaning.upper]
    fixed = [
        start
        for start in beside
        if not start.upper
        and _only_variable(reading, start) is not None
        and start.lower[0].variable in given
        and all(any(_is_beside(tree, start, one) for one in whole) for tree in reading.trees)
    ]
    if len({start.lower[0].variable for start in fixed}) != 1:
        return [], beside
    return fixed, [other for other in beside if other not in fixed]


def _is_beside(tree: exp.Query, start: Meaning, filtered: Meaning) -> bool:
    """Whether two conditions of one WHERE are of the same expression."""
    is_same = start.expression and filtered.expression and same(start.expression, filtered.expression)
    select = _select_of(tree, start) if is_same else None
    return select is not None and select is _select_of(tree, filtered)


def start_of_variables(
    reading: Reading, tree: exp.Query, meanings: list[Meaning], starts: list[Meaning]
) -> Expression | None:
    """The variable of a run before which nothing is read, beside the filters; None if there is none.

    Raises:
        Left (UnboundPartition): it bounds something else, and what it leaves out would be recorded as loaded.
    """
    found = None
    for start in starts:
        tag = _only_variable(reading, start)
        is_same = any(_is_beside(tree, start, one) for one in meanings)
        if tag is None or not is_same or start.upper or (found is not None and found != tag):
            bounds = (*start.lower, *start.upper)
            names = ", ".join(dict.fromkeys(bound.variable or _NAMED_BASE[bound.base] for bound in bounds))
            advice = (
                "set the option start to it, and remove the condition"
                if is_same
                else "write its value out where no run gives it another one, or take the condition out"
            )
            raise Left(
                MigrateCode.UnboundPartition,
                f"{names} bounds {start.written} beside the filter, and what it leaves out would be recorded as "
                f"loaded; {advice}",
                line=start.filter.line,
            )
        found = tag
    is_of_all = all(
        any(_is_beside(tree, start, one) for start in starts)
        for one in meanings
        if any(bound.base == "variable" for bound in one.lower)
    )
    # an input without that condition has rows before it
    return Expression(found) if found is not None and is_of_all else None


def _only_variable(reading: Reading, start: Meaning) -> str | None:
    """The call of the variable that is the lower bound, unshifted."""
    is_plain = len(start.lower) == 1 and start.lower[0].base == "variable" and start.lower[0].shift.is_zero
    if not is_plain or len(start.replaced) != 1:
        return None
    part = start.replaced[0]
    inside = [tag for tag in tags(reading.model.text) if part.start <= tag.start and tag.end <= part.end]
    is_call = len(inside) == 1 and names_only(inside[0].code, frozenset({"var", "env_var"}))
    return inside[0].code if is_call else None


def _select_of(tree: exp.Query, meaning: Meaning) -> exp.Select | None:
    marker = find_marker(tree, meaning.filter.marker)
    return is_plain_condition(marker) if marker is not None else None


def check_variables(reading: Reading, meanings: list[Meaning]) -> None:
    """Checks that a variable that bounds the load has no other use in the query."""
    bounding = {
        bound.variable
        for meaning in meanings
        for bound in (*meaning.lower, *meaning.upper)
        if bound.base == "variable" and bound.variable is not None
    }
    names = reading.names
    for tree in reading.trees:
        for placeholder in variables_in(tree, names):
            name = names.variables[placeholder]
            if name in bounding:
                raise Left(
                    MigrateCode.VariableUsedElsewhere,
                    f"the variable {name} bounds the load and is used here, too; replace it by a time variable by hand",
                    line=_line_of_other_use(reading, name),
                )


def _line_of_other_use(reading: Reading, name: str) -> int:
    text = reading.model.text
    filters = (*reading.filters, *reading.outside)
    for tag in tags(text):
        is_other = not any(_is_in(found, tag.start) for found in filters)
        if tag.kind != "comment" and name in VAR_CALL.findall(tag.code) and is_other:
            return line_of(text, tag.start)
    return 1


def unused_sets(reading: Reading) -> Iterator[Tag]:
    """The statements that only set a variable or a time of a run for a condition that the window replaces."""
    text = reading.model.text
    filters = (*reading.filters, *reading.outside)
    others = [
        tag for tag in tags(text) if tag.kind != "comment" and not any(_is_in(found, tag.start) for found in filters)
    ]
    for tag in others:
        named = _SET.match(tag.code) if tag.kind == "statement" else None
        if named is None or not (VAR_CALL.search(tag.code) or _TIME.search(tag.code)):
            continue
        word = re.compile(rf"\b{named[1]}\b")
        is_used = any(word.search(other.code) for other in others if other is not tag)
        if not is_used and any(
            word.search(text[part.start : part.end]) for found in filters for part in found.comparisons
        ):
            yield tag


def _is_in(found: Filter, at: int) -> bool:
    return found.block.start <= at < found.block.end or any(part.start <= at < part.end for part in found.comparisons)
