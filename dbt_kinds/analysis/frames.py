"""Window frames as Spark accepts them: the guarded form of LAG and LEAD, and sides of one type."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from dbt_kinds.analysis.edits import Edit
from dbt_kinds.analysis.interval_literals import read_interval
from dbt_kinds.analysis.margins import DAY, SECOND, Margin
from dbt_kinds.analysis.parsing import Query, span
from dbt_kinds.analysis.resolution import reader_of
from dbt_kinds.analysis.scopes import Scope, SelectScope, scopes_below
from dbt_kinds.analysis.tree import own_nodes
from dbt_kinds.analysis.windows import function_name, resolved


def frame_edits(query: Query, scope: Scope) -> Iterator[Edit]:
    """Replacements for frames that Spark rejects: all frames on LAG and LEAD (`Cannot specify window frame for lag
    function`), intervals over a DATE key (RANGE_FRAME_INVALID_TYPE), sides of different interval types.
    """
    for below in scopes_below(scope):
        if not isinstance(below, SelectScope) or not query.holds(below.node):
            continue
        for node in own_nodes(below.node):
            if isinstance(node, exp.Window):
                whole = resolved(below.node, node)
                spec = whole.args.get("spec")
                if spec is None or (spec.args.get("kind") or "").upper() != "RANGE":
                    continue
                is_date = _has_date_key(below, whole)
                if function_name(node) in ("lag", "lead"):
                    yield Edit(*span(node), _guarded(query, node, whole, is_date))
                else:
                    yield from _sides(spec, is_date)


def _has_date_key(scope: SelectScope, window: exp.Window) -> bool:
    order = window.args.get("order")
    if order is None or len(order.expressions) != 1:
        return False
    return reader_of(scope).term(order.expressions[0].this).kind == "date"


def _guarded(query: Query, node: exp.Window, whole: exp.Window, is_date: bool) -> str:
    """`LAG(x)` if the row it finds lies within the frame; a full rebuild must not look further than a slice can."""
    dialect, (start, end) = query.dialect, span(node)
    call, ignores_nulls = node.this, False
    while isinstance(call, (exp.IgnoreNulls, exp.RespectNulls)):
        ignores_nulls |= isinstance(call, exp.IgnoreNulls)
        call = call.this
    name = function_name(node).upper()
    value = call.this.sql(dialect)
    offset, default = call.args.get("offset"), call.args.get("default")
    count = f", {offset.sql(dialect)}" if offset is not None else ", 1" if default is not None else ""
    otherwise = default.sql(dialect) if default is not None else None
    keys = ", ".join(key.sql(dialect) for key in whole.args.get("partition_by") or [])
    order = whole.args["order"]
    over = f"OVER ({f'PARTITION BY {keys} ' if keys else ''}{order.sql(dialect).strip()})"
    time = order.expressions[0].this.sql(dialect)
    nulls = " IGNORE NULLS" if ignores_nulls else ""
    found = f"{name}({value}{count}{f', {otherwise}' if otherwise else ''}){nulls} {over}"
    limit = _limit(query, whole.args["spec"], name, is_date)
    original = "\n".join(f"-- {line.strip()}" for line in query.text[start:end].splitlines())
    if limit is None:
        return f"\n{original}\n{found}"
    # under DESC the preceding rows are later
    is_earlier = (name == "LAG") != bool(order.expressions[0].args.get("desc"))
    known_time = f"IF({value} IS NOT NULL, {time}, NULL)" if ignores_nulls else time
    guard = f"{name}({known_time}{count if offset is not None else ''}){nulls} {over}"
    edge = f"{guard} {'>=' if is_earlier else '<='} {time}" + (
        f" {'-' if is_earlier else '+'} {limit}" if limit else ""
    )
    rest = f" ELSE {otherwise}" if otherwise else ""
    return f"\n{original}\nCASE WHEN {edge}\n     THEN {found}{rest} END"


def _limit(query: Query, spec: exp.Expr, name: str, is_date: bool) -> str | None:
    """How far the function may look, as an expression added to a time; empty for not at all, None for any distance."""
    value, side = ("start", "start_side") if name == "LAG" else ("end", "end_side")
    if name == "LEAD" and spec.args.get("end") is None:
        return ""
    limit = spec.args.get(value)
    if limit == "CURRENT ROW":
        return ""
    if not isinstance(limit, exp.Expr):
        return None
    outward = "PRECEDING" if name == "LAG" else "FOLLOWING"
    is_outward = (spec.args.get(side) or "").upper() == outward
    length = read_interval(limit)
    if is_date and length is not None and not length.months:
        days = length.micros // DAY
        return str(days if is_outward else -days)
    start, end = span(limit)
    text = query.text[start:end] if end and limit.root() is query.tree else limit.sql(query.dialect)
    return text if is_outward else f"(- {text})"


def _sides(spec: exp.Expr, is_date: bool) -> Iterator[Edit]:
    sides = [side for name in ("start", "end") if isinstance(side := spec.args.get(name), exp.Expr)]
    lengths = [read_interval(side) for side in sides]
    if is_date:
        for side, length in zip(sides, lengths, strict=True):
            if length is not None and not length.months:
                yield Edit(*span(side), str(length.micros // DAY))
        return
    known = [length for length in lengths if length is not None]
    if len(known) == 2 and len({_type_of(side) for side in sides}) > 1:
        written = [_alike(length, known) for length in known]
        for side, text in zip(sides, written, strict=True):
            if text is not None:
                yield Edit(*span(side), text)


def _type_of(side: exp.Expr) -> str:
    unit = side.args.get("unit")
    return unit.sql().upper().removesuffix("S") if unit is not None else side.sql()


def _alike(length: Margin, all_lengths: list[Margin]) -> str | None:
    if all(not one.months for one in all_lengths):
        whole, part = divmod(length.micros, SECOND)
        return f"INTERVAL '{whole}{f'.{part:06}' if part else ''}' SECOND"
    if all(not one.micros for one in all_lengths):
        return f"INTERVAL '{length.months}' MONTH"
    return None
