"""Form B: how WHERE and ON relate two times, and how far from the window that lets each of them lie."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from dbt_kinds.analysis.expressions import Reader, read_integer
from dbt_kinds.analysis.interval_literals import read_interval
from dbt_kinds.analysis.margins import DAY, Margin
from dbt_kinds.analysis.resolution import reader_of
from dbt_kinds.analysis.scopes import JoinStep, Scope, SelectScope, SetScope
from dbt_kinds.analysis.terms import Term, Variable, inputs_of, is_outer, within
from dbt_kinds.analysis.time_offsets import Range, backward, forward
from dbt_kinds.analysis.tree import clause, conjuncts, without_parentheses


@dataclass(frozen=True)
class JoinPredicate:
    """`lesser <= greater`, or equal. It bounds a side only if every row that has that side satisfies it."""

    lesser: Term
    greater: Term
    is_equal: bool = False
    binds_lesser: bool = True
    binds_greater: bool = True

    def inside(self, name: str) -> JoinPredicate:
        """The predicate as seen by the scope that reads its scope under a name."""
        lesser, greater = within(name, self.lesser), within(name, self.greater)
        return JoinPredicate(lesser, greater, self.is_equal, self.binds_lesser, self.binds_greater)


@dataclass(frozen=True)
class Comparison:
    """`lesser <= greater` or `lesser = greater`, before it is known which rows satisfy it; `is_strict` means `<`."""

    lesser: Term
    greater: Term
    is_equal: bool = False
    rejects_null: bool = True
    is_strict: bool = False


def predicates_of(scope: Scope, partition: Term | None) -> list[JoinPredicate]:
    """All predicates that hold for the rows of a scope with a known partition value, including those from below."""
    if not isinstance(scope, SelectScope):
        return []
    where = list(comparisons(reader_of(scope), clause(scope.node, "where")))
    present = _present(scope, where, partition)
    predicates = [JoinPredicate(found.lesser, found.greater, found.is_equal) for found in where if found.rejects_null]
    predicates += [
        JoinPredicate(found.lesser, found.greater, found.is_equal)
        for found in where
        if not found.rejects_null and partition is not None and _touches(found, partition)
    ]
    for step in scope.joins:
        for found in [*comparisons(reader_of(scope), step.on), *_equated(step)]:
            if found.rejects_null:
                predicates.append(
                    JoinPredicate(
                        found.lesser,
                        found.greater,
                        found.is_equal,
                        _satisfies(step, found.lesser, present),
                        _satisfies(step, found.greater, present),
                    )
                )
    for term in _shared_terms(scope, predicates, partition):
        predicates += [JoinPredicate(term, part, True, binds_lesser=False) for part in term.variable[1]]
    for name, read in scope.inputs.items():
        if read.query is not None and not read.is_opaque:
            inner = _inner_partition(name, partition)
            predicates += [predicate.inside(name) for predicate in predicates_of(read.query, inner)]
    return predicates


def is_never_missing(scope: Scope, variable: Variable, partition: Term | None) -> bool:
    """Whether no row with a known partition value lacks a time, as rows added by an outer join do."""
    if partition is not None and partition.variable == variable:
        return True
    if isinstance(scope, SetScope) and variable[0] == "union":
        return all(
            is_never_missing(branch, of.variable, None) for branch, of in zip(scope.branches, variable[1], strict=True)
        )
    if not isinstance(scope, SelectScope) or variable[0] != "in" or variable[1] not in scope.inputs:
        return False
    where = list(comparisons(reader_of(scope), clause(scope.node, "where")))
    if variable[1] not in _present(scope, where, partition):
        return False
    read = scope.inputs[variable[1]]
    return read.query is None or is_never_missing(read.query, variable[2], _inner_partition(read.name, partition))


def relax(
    ranges: Mapping[Variable, Range], predicates: Iterable[JoinPredicate], granularity: str
) -> dict[Variable, Range]:
    """The tightest ranges that follow from the known ones and the predicates."""
    found, predicates = dict(ranges), list(predicates)
    fixed = {variable for variable in ranges if is_outer(variable)}
    for _ in range(len(predicates) + 1):
        is_changed = False
        for predicate in predicates:
            steps = [(predicate.lesser, predicate.greater, predicate.binds_greater, True, predicate.is_equal)]
            steps.append((predicate.greater, predicate.lesser, predicate.binds_lesser, predicate.is_equal, True))
            for origin, target, is_bound, has_before, has_after in steps:
                if not is_bound or target.variable in fixed or origin.variable not in found:
                    continue
                value = forward(found[origin.variable], origin.operations, granularity)
                value = Range(value.before if has_before else None, value.after if has_after else None)
                reached = backward(value, target.operations, granularity)
                is_changed |= _tighten(found, target.variable, reached, granularity)
        if not is_changed:
            break
    return found


def comparisons(reader: Reader, condition: exp.Expr | None) -> Iterator[Comparison]:
    """The comparisons in the conjuncts of a condition; those below OR or NOT are ignored."""
    for found in conjuncts(condition):
        if isinstance(found, exp.Between):
            yield from _compared(reader, found.args["low"], found.this, is_equal=False)
            yield from _compared(reader, found.this, found.args["high"], is_equal=False)
        elif isinstance(found, (exp.EQ, exp.NullSafeEQ)):
            is_strict = isinstance(found, exp.EQ)
            yield from _compared(reader, found.this, found.expression, is_equal=True, rejects_null=is_strict)
        elif isinstance(found, (exp.LT, exp.LTE, exp.GT, exp.GTE)):
            sides = (found.this, found.expression)
            lesser, greater = sides if isinstance(found, (exp.LT, exp.LTE)) else sides[::-1]
            for one in _compared(reader, lesser, greater, is_equal=False):
                yield replace(one, is_strict=isinstance(found, (exp.LT, exp.GT)))


def _compared(
    reader: Reader, lesser: exp.Expr, greater: exp.Expr, *, is_equal: bool, rejects_null: bool = True
) -> Iterator[Comparison]:
    lesser, greater = without_parentheses(lesser), without_parentheses(greater)
    if lesser.find(exp.Query) or greater.find(exp.Query):
        return
    difference = _difference(reader, lesser)
    if difference is not None and (limit := _limit(reader, greater, lesser)) is not None:
        yield Comparison(difference[0], difference[1].shifted(limit), is_equal)
        return
    difference = _difference(reader, greater)
    if difference is not None and (limit := _limit(reader, lesser, greater)) is not None:
        yield Comparison(difference[1].shifted(limit), difference[0], is_equal)
        return
    yield Comparison(reader.term(lesser), reader.term(greater), is_equal, rejects_null)


def _difference(reader: Reader, node: exp.Expr) -> tuple[Term, Term] | None:
    """The two times of `datediff(a, b)` or `a - b`, the later first."""
    if isinstance(node, exp.DateDiff):
        terms = reader.term(node.this), reader.term(node.expression)
        unit = node.args.get("unit")
        if unit is None:
            return terms[0].truncated("day", "date"), terms[1].truncated("day", "date")
        are_dates = all(_is_date(reader, part) for part in (node.this, node.expression))
        return terms if unit.name.lower() in ("day", "days") and are_dates else None
    is_shift = (
        read_interval(node.args.get("expression")) is not None or read_integer(node.args.get("expression")) is not None
    )
    if isinstance(node, exp.Sub) and not is_shift:
        return reader.term(node.this), reader.term(node.expression)
    return None


def _limit(reader: Reader, node: exp.Expr, difference: exp.Expr) -> Margin | None:
    """The length that a difference is compared with; a number means days if dates are subtracted."""
    days = read_integer(node)
    if days is None:
        return read_interval(node)
    is_of_days = isinstance(difference, exp.DateDiff) or all(
        reader.term(part).kind == "date" for part in (difference.this, difference.args["expression"])
    )
    return Margin(0, days * DAY) if is_of_days else None


def _is_date(reader: Reader, node: exp.Expr) -> bool:
    inner = node.this if isinstance(node, exp.TsOrDsToDate) else node
    return reader.term(inner).kind == "date"


def _tighten(found: dict[Variable, Range], variable: Variable, reached: Range, granularity: str) -> bool:
    known = found.get(variable, Range())
    before = reached.before if reached.before and reached.before.shorter_than(known.before, granularity) else None
    after = reached.after if reached.after and reached.after.shorter_than(known.after, granularity) else None
    if before is None and after is None:
        return False
    found[variable] = Range(before or known.before, after or known.after)
    return True


def _equated(step: JoinStep) -> Iterator[Comparison]:
    if step.on is None:
        for first, second in step.equated:
            yield Comparison(first, second, is_equal=True)


def _satisfies(step: JoinStep, term: Term, present: frozenset[str]) -> bool:
    """Whether every row in which the term is not NULL satisfies the join's condition."""
    names = inputs_of(term.variable)
    if step.side in ("", "SEMI", "INNER"):
        return True
    is_right = bool(names) and names <= step.right
    if step.side == "ANTI":
        return is_right
    if step.side == "LEFT":
        return is_right or bool(step.right & present)
    if step.side == "RIGHT":
        return (bool(names) and not names & step.right) or bool(step.left & present)
    if step.side == "FULL":
        return bool((step.left if is_right else step.right) & present)
    return False


def _present(scope: SelectScope, where: list[Comparison], partition: Term | None) -> frozenset[str]:
    """The inputs that no row with a known partition value lacks."""
    lacking: set[str] = set()
    for step in scope.joins:
        if step.side in ("LEFT", "FULL"):
            lacking |= step.right
        if step.side in ("RIGHT", "FULL"):
            lacking |= step.left
        if step.side in ("", "INNER"):
            for found in [*comparisons(reader_of(scope), step.on), *_equated(step)]:
                lacking -= _needed(found)
    for found in where:
        lacking -= _needed(found)
    if partition is not None:
        lacking -= _strict_inputs(partition)
    hidden = {name for name, read in scope.inputs.items() if read.is_hidden}
    return frozenset(scope.inputs) - lacking - hidden


def _needed(found: Comparison) -> set[str]:
    return _strict_inputs(found.lesser) | _strict_inputs(found.greater) if found.rejects_null else set()


def _strict_inputs(term: Term) -> set[str]:
    """The inputs without which a term is NULL."""
    return {term.variable[1]} if term.variable[0] == "in" else set()


def _touches(found: Comparison, partition: Term) -> bool:
    return partition.variable in (found.lesser.variable, found.greater.variable)


def _shared_terms(scope: SelectScope, predicates: list[JoinPredicate], partition: Term | None) -> list[Term]:
    """The values of columns equated by full joins, if a condition refers to them."""
    named = [term for predicate in predicates for term in (predicate.lesser, predicate.greater)]
    named += [output.term for output in scope.outputs]
    named += [partition] if partition is not None else []
    shared = {term.variable for term in named if term.variable[0] == "coalesce"}
    return [Term(variable) for variable in sorted(shared, key=repr)]


def _inner_partition(name: str, partition: Term | None) -> Term | None:
    if partition is None or partition.variable[0] != "in" or partition.variable[1] != name:
        return None
    return partition._replace(variable=tuple(partition.variable[2]))
