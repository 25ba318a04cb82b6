"""What the views and tables that a model reads hold: all rows, or those that a run chooses, or recent ones only.

An interval is recorded once it is loaded. Rows that a parent of the project has only in some runs, by a variable or by
the current time, would not be there when it is loaded, or not any more when it is loaded again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left
from dbt_kinds.migrate.bounds import asks_now, read_bound
from dbt_kinds.migrate.conversion import Conversion
from dbt_kinds.migrate.durations import intervals_back
from dbt_kinds.migrate.outside import VAR_CALL
from dbt_kinds.migrate.parameters import has_constant_value, is_constant, variables_in
from dbt_kinds.migrate.parents import Query
from dbt_kinds.migrate.reading import Reading
from dbt_kinds.readers.dbt.project import ModelFile
from dbt_kinds.readers.dbt.tags import tags

_BUILT_AGAIN = frozenset({None, "view", "table"})
_COMPARED = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.EQ, exp.Between, exp.In)
# the database that a macro is given differs by target, and is no day
_WHERE_IT_IS = re.compile(r"\b(?:database|schema|catalog)(?:_name)?\s*=\s*(?:env_)?var\([^()]*\)")
_REPLACING = frozenset({"incremental_by_time_range", "incremental_by_partition"})


def check_parent_rows(reading: Reading, found: Conversion) -> None:
    """Checks the views and tables of the project that a model reads, directly or through others.

    Raises:
        Left (UnboundPartition): one holds what a variable of a run chooses, or no longer what is loaded again.
    """
    unit = str(found.options.get("interval_unit", "day"))
    lookback = found.options.get("lookback", 0)
    for model, query in _parents(reading):
        for variable in _chosen_by(model, query, reading):
            raise Left(
                MigrateCode.UnboundPartition,
                f"the variable {variable} decides what {model.name} holds, which it reads, and given for another day "
                "it would do nothing once the interval is recorded; make that model hold all days",
                line=1,
            )
        if query is None or found.kind not in _REPLACING or not isinstance(lookback, int):
            continue
        reach = _reach(query, unit)
        if reach is not None and reach < lookback + 1:
            raise Left(
                MigrateCode.UnboundPartition,
                f"{model.name}, which it reads, holds recent rows only, and a {unit} that is loaded again after those "
                "are gone would be emptied; make that model hold more, or set a lookback by hand",
                line=1,
            )


def _parents(reading: Reading) -> Iterator[tuple[ModelFile, Query | None]]:
    parents = reading.parents
    waiting = list(reading.names.relations.values())
    seen = {reading.model.name}
    while waiting:
        relation = waiting.pop()
        model = parents.project.models_by_name.get(relation[-1]) if relation[0] == "ref" else None
        if model is None or model.name in seen:
            continue
        seen.add(model.name)
        is_ephemeral = model.config.get("materialized") == "ephemeral"
        if not is_ephemeral and model.config.get("materialized") not in _BUILT_AGAIN:
            continue
        query = parents.query(model.name)
        # the checks of the model itself have looked at what is inlined into it
        if not is_ephemeral:
            yield model, query
        if query is not None:
            waiting += query.names.relations.values()


def _chosen_by(model: ModelFile, query: Query | None, reading: Reading) -> Iterator[str]:
    """The variables of a run that choose the rows of a parent."""
    if query is None:
        values = reading.parents.project.variables
        for tag in tags(model.text):
            if tag.kind == "expression":
                code = _WHERE_IT_IS.sub("", tag.code)
                yield from (name for name in VAR_CALL.findall(code) if not has_constant_value(values.get(name)))
        return
    for where in query.tree.find_all(exp.Where):
        for compared in where.find_all(*_COMPARED):
            for placeholder in variables_in(compared, query.names):
                is_start = query.names.defaults.get(placeholder) is not None and _is_lower(compared, placeholder)
                if not is_start and not is_constant(placeholder, query.names) and not _is_length(compared, query):
                    yield query.names.variables[placeholder]


def _is_lower(compared: exp.Expr, placeholder: str) -> bool:
    """Whether a variable only says where the data begin: `day >= '{{ var("start") }}'`."""
    lower = compared.expression if isinstance(compared, exp.GT | exp.GTE) else None
    lower = compared.this if isinstance(compared, exp.LT | exp.LTE) else lower
    return lower is not None and any(placeholder in node.name for node in lower.walk())


def _is_length(compared: exp.Expr, query: Query) -> bool:
    """Whether a condition is a time before now, of which a variable is the length."""
    sides = [compared.this, compared.expression, *compared.expressions]
    return any(
        isinstance(side, exp.Expr)
        and (bound := read_bound(side, query.names, "spark")) is not None
        and bound.base == "now"
        for side in sides
    )


def _reach(query: Query, unit: str) -> int | None:
    """How many whole units before now a parent holds at least; None if all."""
    found: list[int] = []
    for where in query.tree.find_all(exp.Where):
        for compared in where.find_all(*_COMPARED):
            if not asks_now(compared):
                continue
            if isinstance(compared, exp.EQ):
                sides = [compared.this, compared.expression]
                found += [0 for side in sides if asks_now(side)]
                continue
            lower = compared.expression if isinstance(compared, exp.GT | exp.GTE) else None
            lower = compared.this if isinstance(compared, exp.LT | exp.LTE) else lower
            lower = compared.args.get("low") if isinstance(compared, exp.Between) else lower
            if lower is None or not asks_now(lower):
                continue
            bound = read_bound(lower, query.names, "spark")
            found.append(intervals_back(bound.shift, unit, bound.truncated) if bound is not None else 0)
    return min(found, default=None)
