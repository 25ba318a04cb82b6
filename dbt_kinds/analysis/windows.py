"""Form A: windows, their frames, and the bounds that follow from them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from dbt_kinds.analysis.expressions import read_integer
from dbt_kinds.analysis.interval_literals import read_interval
from dbt_kinds.analysis.margins import DAY, NOTHING, Margin
from dbt_kinds.analysis.resolution import reader_of
from dbt_kinds.analysis.scopes import SelectScope
from dbt_kinds.analysis.terms import Term
from dbt_kinds.analysis.tree import own_nodes

_GUARDED = ("lag", "lead")
_RANKINGS = {"row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile"}


@dataclass(frozen=True)
class Frame:
    """A RANGE frame bounded on both sides, as lengths of time before and after the row. `looks_back` and
    `looks_ahead` say whether it includes preceding and following rows, in the order of the window.
    """

    key: Term
    before: Margin
    after: Margin
    looks_back: bool
    looks_ahead: bool


@dataclass(frozen=True)
class Window:
    """One OVER of a scope, resolved through the WINDOW clause. `frame` is None if it does not bound the window."""

    node: exp.Window
    function: str
    keys: tuple[Term, ...]
    frame: Frame | None

    @property
    def is_ranking(self) -> bool:
        """Whether its function accepts no such frame in Spark and needs every row of its partition."""
        return self.function in _RANKINGS

    @property
    def is_bounded(self) -> bool:
        """Whether its frame bounds how far it looks."""
        return self.frame is not None and not self.is_ranking

    @property
    def is_guarded(self) -> bool:
        """Whether its frame is written as a condition on the row it finds, because Spark accepts no frame for it."""
        return self.function in _GUARDED

    @property
    def looks_too_far(self) -> bool:
        """Whether it is a LAG or LEAD whose frame does not bound the side it looks at."""
        if self.function == "lag":
            return self.frame is None or not self.frame.looks_back
        return self.function == "lead" and (self.frame is None or not self.frame.looks_ahead)


def windows_of(scope: SelectScope) -> Iterator[Window]:
    """The windows of one SELECT, including QUALIFY and ORDER BY, but not those of nested queries."""
    for node in own_nodes(scope.node):
        if isinstance(node, exp.Window):
            whole = resolved(scope.node, node)
            reader = reader_of(scope)
            keys = tuple(reader.term(key) for key in whole.args.get("partition_by") or [])
            yield Window(node, function_name(node), keys, _frame(scope, whole))


def resolved(select: exp.Expr, window: exp.Window) -> exp.Window:
    """The window merged with its definition in the WINDOW clause, through any chain of names; detached from the
    tree.
    """
    parts = {name: window.args.get(name) for name in ("partition_by", "order", "spec")}
    named = {definition.name.lower(): definition for definition in select.args.get("windows") or []}
    name, passed = window.alias.lower(), set[str]()
    while name in named and name not in passed:
        passed.add(name)
        parts = {part: value or named[name].args.get(part) for part, value in parts.items()}
        name = named[name].alias.lower()
    whole = exp.Window(this=exp.Null())
    # set without changing their parent: the parts stay in the tree
    whole.args.update(parts)
    return whole


def function_name(window: exp.Window) -> str:
    """The name of the function in lower case, without wrappers."""
    node = window.this
    while isinstance(node, (exp.IgnoreNulls, exp.RespectNulls, exp.Filter)):
        node = node.this
    if isinstance(node, exp.Anonymous):
        return str(node.this).lower()
    return node.sql_name().lower() if isinstance(node, exp.Func) else ""


def frame_sides(spec: exp.Expr, is_date: bool) -> tuple[tuple[Margin, bool], tuple[Margin, bool]] | None:
    """The two sides of a RANGE frame, each as a distance from the row and whether it is more than CURRENT ROW."""
    start = _side(spec.args.get("start"), spec.args.get("start_side"), "PRECEDING", is_date)
    if spec.args.get("end") is None:
        end: tuple[Margin, bool] | None = (NOTHING, False)
    else:
        end = _side(spec.args.get("end"), spec.args.get("end_side"), "FOLLOWING", is_date)
    return (start, end) if start is not None and end is not None else None


def _frame(scope: SelectScope, window: exp.Window) -> Frame | None:
    spec, order = window.args.get("spec"), window.args.get("order")
    if spec is None or order is None or len(order.expressions) != 1 or (spec.args.get("kind") or "").upper() != "RANGE":
        return None
    ordered = order.expressions[0]
    key = reader_of(scope).term(ordered.this)
    sides = frame_sides(spec, key.kind == "date")
    if sides is None:
        return None
    (preceding, looks_back), (following, looks_ahead) = sides
    before, after = (following, preceding) if ordered.args.get("desc") else (preceding, following)
    return Frame(key, before.clipped(), after.clipped(), looks_back, looks_ahead)


def _side(value: exp.Expr | str | None, side: str | None, outward: str, is_date: bool) -> tuple[Margin, bool] | None:
    if value == "CURRENT ROW":
        return NOTHING, False
    if not isinstance(value, exp.Expr):
        return None
    length = read_interval(value)
    if length is None:
        days = read_integer(value)
        if days is None or not is_date:
            return None
        length = Margin(0, days * DAY)
    if (side or "").upper() == outward:
        return length, True
    return length.negated(), False
