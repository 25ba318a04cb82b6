"""The meaning of one filter: the bounded expression, its bound, and how far back it reaches."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from sqlglot import exp

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left, NoFilter
from dbt_kinds.migrate.absences import anti_join
from dbt_kinds.migrate.arrival import is_arrival
from dbt_kinds.migrate.bounds import Bound, asks_now, read_bound, truncation
from dbt_kinds.migrate.conditions import Comparison
from dbt_kinds.migrate.conversion import MigrateOptions
from dbt_kinds.migrate.durations import LONG_UNITS, NOTHING, Duration, duration
from dbt_kinds.migrate.filters import Filter
from dbt_kinds.migrate.known_times import same
from dbt_kinds.migrate.unread_conditions import shown, unequal, unreadable
from dbt_kinds.readers.dbt.rendering import THIS, Names

_WRITTEN_TIMES = (exp.Datetime, exp.Timestamp, exp.TsOrDsToDatetime, exp.TsOrDsToTimestamp)
_DAY = Duration(seconds=86400)


@dataclass
class Meaning:
    """An analysed filter; `keys` are the table's columns that an anti-join compares, with what it compares them to."""

    filter: Filter
    expression: exp.Expr | None = None
    written: str = ""
    lower: list[Bound] = field(default_factory=list)
    upper: list[Bound] = field(default_factory=list)
    replaced: list[Comparison] = field(default_factory=list)
    dropped: list[Comparison] = field(default_factory=list)
    keys: dict[str, exp.Expr] = field(default_factory=dict)
    start: str | None = None
    # the variable at which the first load begins, as a bound that moves is never before it
    start_variable: str | None = None
    # the condition of a first load that reads what lies a fixed time before it
    recent: str | None = None
    is_strict: bool = False
    # what a strict bound names, and leaves out
    leaves_out: str | None = None
    # only reads less of an input that is joined with the rows of the window, or that another condition bounds
    prunes: bool = False
    # the condition on another column beside which this one reads less
    beside: Meaning | None = None

    @property
    def is_of_same_time(self) -> bool:
        """Whether it is on the days of the time that it stands beside."""
        return self.beside is not None and _time_of(self.expression) == _time_of(self.beside.expression)

    @property
    def against_date(self) -> bool:
        """Whether the expression is compared with a date."""
        return any(bound.truncated == "day" or bound.column_unit == "day" for bound in self.lower)

    @property
    def against_instant(self) -> bool:
        """Whether the expression is compared with a timestamp made of the current time."""
        others = [other for comparison in self.replaced for other in comparison.others]
        nodes = [node for other in others for node in other.walk()]
        is_date = any(isinstance(node, exp.CurrentDate) or _is_date_cast(node) for node in nodes)
        if any(isinstance(other, exp.Literal) for other in others):
            # a text that a template computes, of a day or of an instant
            return False
        return not is_date and any(bound.base == "now" for bound in self.lower)

    @property
    def against_written_time(self) -> bool:
        """Whether all that the expression is compared with is written as a timestamp."""
        others = [other for comparison in self.replaced for other in comparison.others]
        return bool(others) and all(isinstance(other, _WRITTEN_TIMES) for other in others)

    @property
    def waits_for_runs(self) -> bool:
        """Whether what no run came for stayed missing: a run read what lies a fixed time before it."""
        has_newest = any(bound.base == "latest" for bound in self.lower)
        is_either = any(comparison.is_alternative for comparison in self.replaced)
        return any(bound.base == "now" for bound in self.lower) and not (has_newest and is_either)

    @property
    def is_one_interval(self) -> bool:
        """Whether it selects one day a run: it is compared with that day by `=`."""
        return bool(self.replaced) and all(part.operator == "=" for part in self.replaced)

    @property
    def patterns(self) -> list[str]:
        """The names of the patterns, for the report."""
        found = []
        for bound in self.lower:
            name = {"latest": "max", "now": "now", "variable": "variables", "fixed": "fixed"}[bound.base]
            found.append(name if bound.shift.is_zero else f"shifted_{name}")
        if self.keys:
            found.append("not_in")
        if self.filter.otherwise is not None or self.filter.first_load is not None:
            found.append("else")
        if self.filter.block.word == "macro" or any(found.is_whole_tag for found in self.replaced):
            found.append("macro")
        return found


def meanings_of(found: Filter, names: Names, options: MigrateOptions, *, may_be_upper: bool = False) -> list[Meaning]:
    """Analyses a filter; one that bounds several inputs, each by a column of its own, has several meanings.

    Raises:
        Left: as `meaning_of`.
    """
    groups: list[tuple[exp.Expr, list[Comparison]]] = []
    for comparison in found.comparisons:
        if _is_always(comparison):
            return [meaning_of(found, names, options, may_be_upper=may_be_upper)]
        expression = _bounded(comparison, names, options)
        group = next((part for one, part in groups if expression is not None and same(one, expression)), None)
        if group is None and expression is not None and all(_is_other_input(expression, one) for one, _ in groups):
            groups.append((expression, [comparison]))
        elif group is not None:
            group.append(comparison)
        else:
            pruned = _with_days_beside(found, names, options)
            return pruned or [meaning_of(found, names, options, may_be_upper=may_be_upper)]
    if len(groups) < 2 or found.otherwise_comparisons:
        return [meaning_of(found, names, options, may_be_upper=may_be_upper)]
    parts = [replace(found, comparisons=part) for _, part in groups]
    return [meaning_of(part, names, options, may_be_upper=may_be_upper) for part in parts]


def _time_of(expression: exp.Expr | None) -> exp.Expr | None:
    """What an expression casts or truncates."""
    while expression is not None:
        made = truncation(expression)
        if made is None and not isinstance(expression, exp.Cast | exp.Paren):
            break
        expression = made[0] if made is not None else expression.this
    return expression


def _with_days_beside(found: Filter, names: Names, options: MigrateOptions) -> list[Meaning]:
    """The two meanings of a filter on a time and on days, since the same bound: `ts >= x and day >= date(x)`; empty for
    another one.
    """
    groups: list[tuple[exp.Expr, list[Comparison]]] = []
    for comparison in found.comparisons:
        expression = _bounded(comparison, names, options)
        if expression is None:
            return []
        group = next((part for one, part in groups if same(one, expression)), None)
        if group is None:
            groups.append((expression, group := []))
        group.append(comparison)
    if len(groups) != 2 or found.otherwise_comparisons:
        return []
    parts = [meaning_of(replace(found, comparisons=part), names, options) for _, part in groups]
    times = [one for one in parts if [bound.truncated for bound in one.lower] == [None]]
    days = [one for one in parts if [bound.truncated for bound in one.lower] == ["day"]]
    if not times or not days:
        return []
    since = [(bound.base, bound.variable, bound.column, bound.shift) for one in parts for bound in one.lower]
    if since[0] != since[1]:
        return []
    days[0].prunes, days[0].beside = True, times[0]
    return [*times, *days]


def are_of_one_day(meanings: list[Meaning]) -> bool:
    """Whether all filters select the same single day a run.

    Raises:
        Left (FiltersDisagree): each selects one day, and they are different ones.
    """
    if not all(meaning.is_one_interval for meaning in meanings):
        return False
    days = {(bound.base, bound.variable, bound.shift) for meaning in meanings for bound in meaning.upper}
    if len(days) > 1:
        written = ", ".join(dict.fromkeys(meaning.written for meaning in meanings))
        raise Left(
            MigrateCode.FiltersDisagree,
            f"the filters select different days of {written} in one run",
            line=meanings[0].filter.line,
        )
    return True


def reaches_as_far(one: Meaning, other: Meaning) -> bool:
    """Whether a filter reads at least as far back as another one, from the same bound."""
    ends = [{bound.base for bound in meaning.lower} for meaning in (one, other)]
    back = [max((bound.shift.longest for bound in meaning.lower), default=0) for meaning in (one, other)]
    return ends[0] == ends[1] and back[0] >= back[1]


def _is_date_cast(node: exp.Expr) -> bool:
    made = truncation(node)
    return made is not None and made[1] == "day" and not isinstance(node, exp.DateTrunc | exp.TimestampTrunc)


def _bounded(comparison: Comparison, names: Names, options: MigrateOptions) -> exp.Expr | None:
    """The side of a condition that is no bound."""
    comparison = _as_range(comparison, names, options)
    if comparison.operator == "other":
        return None
    if all(read_bound(other, names, options.dialect, may_be_of_part=True) is not None for other in comparison.others):
        return comparison.expression
    return comparison.others[0] if comparison.operator != "between" else None


def _is_other_input(one: exp.Expr, other: exp.Expr) -> bool:
    tables = [{column.table.lower() for column in side.find_all(exp.Column)} for side in (one, other)]
    arrivals = [any(is_arrival(column.name) for column in side.find_all(exp.Column)) for side in (one, other)]
    return all(tables) and "" not in tables[0] | tables[1] and not tables[0] & tables[1] and arrivals[0] == arrivals[1]


def meaning_of(found: Filter, names: Names, options: MigrateOptions, *, may_be_upper: bool = False) -> Meaning:
    """Analyses a filter.

    Raises:
        NoFilter (UnreadableBlock): a condition does not select a range of time.
        Left (AmbiguousTimeColumn, FiltersDisagree): conditions are on different columns.
    """
    meaning = Meaning(found)
    line = found.line
    for comparison in found.comparisons:
        keys = anti_join(comparison.expression) if comparison.operator == "other" else None
        if keys is not None:
            meaning.keys |= keys
            meaning.dropped.append(comparison)
            continue
        is_more = len(found.comparisons) > 1
        if is_more and (_is_always(comparison) or _is_implied(comparison, found.comparisons, names, options)):
            meaning.dropped.append(comparison)
            continue
        _take(meaning, comparison, names, options, line)
    if meaning.expression is not None and not meaning.lower and not may_be_upper:
        raise NoFilter(MigrateCode.UnreadableBlock, "the filter has an upper bound only", line=line)
    for comparison in found.otherwise_comparisons:
        if not _is_always(comparison):
            _take_start(meaning, comparison, names, options)
    for floor in (bound.floor.variable for bound in meaning.lower if bound.floor is not None):
        if floor not in (meaning.start, meaning.start_variable):
            raise NoFilter(
                MigrateCode.UnreadableBlock,
                f"nothing before {floor} is read again, and the first load does not begin there; let both begin there, "
                "or take it out of the bound",
                line=line,
            )
    return meaning


def _take(meaning: Meaning, comparison: Comparison, names: Names, options: MigrateOptions, line: int) -> None:
    comparison = _as_range(comparison, names, options)
    if comparison.operator == "other":
        raise unreadable(comparison, names, line)
    given = comparison
    bounds = [read_bound(other, names, options.dialect, may_be_of_part=True) for other in comparison.others]
    if any(bound is None for bound in bounds) and comparison.operator != "between":
        turned = comparison.flipped
        bounds = [read_bound(other, names, options.dialect, may_be_of_part=True) for other in turned.others]
        given, comparison = comparison, turned
    known = [bound for bound in bounds if bound is not None]
    if len(known) != len(bounds):
        raise unreadable(given, names, line)
    if read_bound(comparison.expression, names, options.dialect) is not None:
        raise NoFilter(
            MigrateCode.UnreadableBlock,
            "the condition compares two times and no column, so that it loads all or nothing; take it out, and each "
            "run reads everything, or compare a column",
            line=line,
        )
    if isinstance(comparison.expression, exp.Subquery):
        raise NoFilter(
            MigrateCode.UnreadableBlock,
            f"the condition compares what `{shown(comparison.written)}` finds and no column of the rows, so that it "
            "loads all or nothing; compare a column",
            line=line,
        )
    if any(table.name == THIS for table in comparison.expression.find_all(exp.Table)):
        raise Left(MigrateCode.ReadsThisElsewhere, "the model reads its own table for more than the bound", line=line)
    _check_expression(meaning, comparison, options, line)
    if comparison.operator == "between" and known[0].base == "variable" and known[0] == known[1]:
        # from a day to that day
        comparison = replace(comparison, operator="=", others=comparison.others[:1])
    operator = comparison.operator
    if operator == "between":
        lower, upper = known
        _check_upper(upper, line)
        _add_lower(meaning, lower, ">=", line)
        meaning.upper.append(replace(upper, is_inclusive=True))
    elif operator in (">=", ">"):
        if comparison.is_alternative and known[0].base == "variable":
            raise unreadable(comparison, names, line)
        _add_lower(meaning, known[0], operator, line)
    elif operator == "=":
        bound = known[0]
        if _is_whole_of_now(comparison, bound):
            _add_lower(meaning, bound, ">=", line)
            meaning.upper.append(Bound("now", is_inclusive=True))
            meaning.replaced.append(replace(comparison, operator=">="))
            return
        if _is_whole_before(comparison, bound):
            # each run of the next one reads it again, with its late rows
            meaning.lower.append(
                Bound(bound.base, shift=bound.shift, truncated=bound.truncated, variable=bound.variable)
            )
            meaning.upper.append(Bound(bound.base, truncated=bound.truncated, variable=bound.variable))
            meaning.replaced.append(comparison)
            return
        is_yesterday = bound.base == "now" and bound.truncated == "day" and bound.shift == _DAY
        is_day = bound.base == "variable" and not bound.shift.months and bound.shift.seconds % _DAY.seconds == 0
        if not is_yesterday and not is_day:
            raise unequal(comparison, bound, names, line)
        # a day that a run read late had its late rows: it is read again until then
        late = bound.shift if is_day and bound.shift.seconds > 0 else NOTHING
        meaning.lower.append(Bound(bound.base, shift=late, truncated="day", variable=bound.variable))
        meaning.upper.append(replace(bound, is_inclusive=True))
    else:
        _check_upper(known[0], line)
        meaning.upper.append(replace(known[0], is_inclusive=operator == "<="))
    meaning.replaced.append(comparison)


def _is_whole_of_now(comparison: Comparison, bound: Bound) -> bool:
    """Whether a condition is on the week, month, quarter or year that it is, or that it was yesterday:
    `date_trunc('month', day) = date_trunc('month', current_date())`.
    """
    made = truncation(comparison.expression)
    is_near = not bound.shift.months and 0 <= bound.shift.seconds <= _DAY.seconds
    is_long = bound.truncated in LONG_UNITS
    return bound.base == "now" and is_long and is_near and made is not None and made[1] == bound.truncated


def _is_whole_before(comparison: Comparison, bound: Bound) -> bool:
    """Whether a condition is on the week, month, quarter or year before that of a run or of a variable:
    `date_trunc('month', day) = date_trunc('month', current_date() - interval 1 month)`.
    """
    unit, made = bound.truncated, truncation(comparison.expression)
    if bound.base not in ("now", "variable") or unit not in LONG_UNITS or bound.shift != duration(1, unit):
        return False
    column = comparison.expression
    return made[1] == unit if made is not None else isinstance(column, exp.Column) and unit in column.name.lower()


def _is_always(comparison: Comparison) -> bool:
    """Whether a condition is true of all rows: `1 = 1`, `true`."""
    made = comparison.expression
    is_same = comparison.operator == "=" and isinstance(made, exp.Literal) and comparison.others == [made]
    return is_same or (comparison.operator == "other" and isinstance(made, exp.Boolean) and bool(made.this))


def _is_implied(comparison: Comparison, others: list[Comparison], names: Names, options: MigrateOptions) -> bool:
    """Whether a condition is another one with both sides truncated: `date_trunc('month', day) >= date_trunc('month',
    newest)` beside `day >= newest`.
    """
    made = truncation(comparison.expression)
    if comparison.operator != ">=" or made is None:
        return False
    since, unit = made
    bound = truncation(_projected(comparison.others[0]))
    if bound is None or bound[1] != unit or not _is_read(comparison, names, options):
        return False
    newest = read_bound(bound[0], names, options.dialect)
    return newest is not None and any(
        other is not comparison
        and other.operator in (">=", ">")
        and same(other.expression, since)
        and _is_read(other, names, options)
        and read_bound(_projected(other.others[0]), names, options.dialect) == newest
        for other in others
    )


def _is_read(comparison: Comparison, names: Names, options: MigrateOptions) -> bool:
    return read_bound(comparison.others[0], names, options.dialect) is not None


def _projected(bound: exp.Expr) -> exp.Expr:
    """What a subquery selects; other expressions as they are."""
    is_query = (
        isinstance(bound, exp.Subquery) and isinstance(bound.this, exp.Select) and len(bound.this.expressions) == 1
    )
    return bound.this.expressions[0].unalias() if is_query else bound


def _as_range(comparison: Comparison, names: Names, options: MigrateOptions) -> Comparison:
    """A list of days up to today, each after the one before, as a range: `day in (current_date, current_date - 1)`."""
    since = _since_days(comparison, options)
    listed = comparison.expression
    if not comparison.listed or not isinstance(listed, exp.In):
        return since or comparison
    bounds = [read_bound(other, names, options.dialect) for other in listed.expressions]
    days = {
        bound.shift.seconds // _DAY.seconds: at
        for at, bound in enumerate(bounds)
        if bound is not None and _is_day(bound)
    }
    if len(days) != len(bounds) or sorted(days) != list(range(min(days), max(days) + 1)):
        return comparison
    ends = [listed.expressions[days[at]] for at in (max(days), min(days))]
    return replace(
        comparison, expression=listed.this, written=comparison.listed, written_other=comparison.whole,
        operator="between", others=ends,
    )  # fmt: skip


def _since_days(comparison: Comparison, options: MigrateOptions) -> Comparison | None:
    """`datediff(current_date, day) <= 3` as `day >= current_date - 3`."""
    made, operator = comparison.expression, {"<=": ">=", "<": ">"}.get(comparison.operator)
    if operator is None or not isinstance(made, exp.DateDiff) or not isinstance(comparison.others[0], exp.Literal):
        return None
    unit = made.args.get("unit")
    is_days = unit is None or unit.name.lower() in ("day", "days", "d", "dd")
    column = made.expression
    while isinstance(column, exp.TsOrDsToDate):
        column = column.this
    if not is_days or not asks_now(made.this) or not isinstance(column, exp.Column):
        return None
    first = exp.Sub(this=exp.CurrentDate(), expression=comparison.others[0].copy())
    return replace(
        comparison, expression=column, written=column.sql(options.dialect), operator=operator, others=[first]
    )


def _is_day(bound: Bound) -> bool:
    shift = bound.shift
    return bound.base == "now" and bound.truncated == "day" and not shift.months and shift.seconds % _DAY.seconds == 0


def _check_expression(meaning: Meaning, comparison: Comparison, options: MigrateOptions, line: int) -> None:
    if meaning.expression is None:
        meaning.expression, meaning.written = comparison.expression, comparison.written
        return
    if same(meaning.expression, comparison.expression):
        return
    names = [meaning.written, comparison.written]
    arrivals = [
        any(is_arrival(column.name, options.arrival, options.event) for column in expression.find_all(exp.Column))
        for expression in (meaning.expression, comparison.expression)
    ]
    if arrivals[0] != arrivals[1]:
        arrival, event = (names[0], names[1]) if arrivals[0] else (names[1], names[0])
        raise Left(
            MigrateCode.AmbiguousTimeColumn,
            f"the filter has {event}, when a row happened, and {arrival}, when it arrived; keep one of the two "
            f"(--event {event} or --arrival {arrival} says what a column is)",
            line=line,
        )
    raise Left(
        MigrateCode.FiltersDisagree,
        f"the filter is on {names[0]} and on {names[1]}; keep the one by which rows are replaced",
        line=line,
    )


def _add_lower(meaning: Meaning, bound: Bound, operator: str, line: int) -> None:
    shift = bound.shift
    if bound.base == "fixed":
        raise NoFilter(
            MigrateCode.UnreadableBlock,
            f"the fixed bound {bound.variable} applies only on incremental runs; write the bound between start_*() and "
            "end_*(), and where the first load begins as start",
            line=line,
        )
    if shift.months < 0 or shift.seconds < 0:
        raise NoFilter(MigrateCode.UnreadableBlock, "the bound lies after the newest row", line=line)
    if operator == ">" and bound.base == "variable":
        if shift == _DAY:
            bound = Bound("variable", truncated=bound.truncated, variable=bound.variable)
        else:
            meaning.leaves_out = bound.variable
    meaning.is_strict = operator == ">"
    meaning.lower.append(bound)


def _check_upper(bound: Bound, line: int) -> None:
    if bound.base in ("latest", "fixed"):
        raise NoFilter(MigrateCode.UnreadableBlock, "the upper bound is neither now nor a variable", line=line)
    is_day = bound.shift.months == 0 and abs(bound.shift.seconds) in (0, 86400)
    if bound.base == "variable" and not is_day:
        raise NoFilter(
            MigrateCode.UnreadableBlock,
            "the upper bound lies more than a day before or after the variable; write both bounds by hand, as "
            "start_*() and end_*() less the same time, with batch_size: 1 where a run loads one day",
            line=line,
        )


def _take_start(meaning: Meaning, comparison: Comparison, names: Names, options: MigrateOptions) -> None:
    """The first load begins at a fixed time or one before now, or has the same upper bound."""
    line = meaning.filter.line
    short = shown(comparison.whole)
    problem = Left(
        MigrateCode.ElseBranchDiffers,
        f"the first load has `{short}`, which is neither no filter nor a fixed start",
        line=line,
    )
    bounds = [read_bound(other, names, options.dialect) for other in comparison.others]
    if comparison.operator == "other" or meaning.expression is None or any(bound is None for bound in bounds):
        raise problem
    first = bounds[0]
    assert first is not None
    first = _dated(first)
    sides = [meaning.expression, comparison.expression]
    is_recent = first.base == "now" or _is_before_run(first, meaning)
    if is_recent or (first.base == "fixed" and " " not in str(first.variable)):
        # a time is since a day where its day is
        sides = [_of_days(side) for side in sides]
    if not same(sides[0], sides[1]):
        raise Left(
            MigrateCode.ElseBranchDiffers,
            f"the first load has `{short}`, and other runs filter {meaning.written}; write the condition for all runs "
            "if it holds for their rows, too",
            line=line,
        )
    if (
        comparison.operator in (">=", "between")
        and first.base == "fixed"
        and first.shift.is_zero
        and first.truncated in (None, "day")
    ):
        meaning.start = first.variable
        if comparison.operator == ">=":
            return
        first = bounds[1]
        assert first is not None
    elif comparison.operator in (">", ">=", "between") and is_recent:
        meaning.recent = short
        if comparison.operator != "between":
            return
        first = bounds[1]
        assert first is not None
    elif comparison.operator in (">=", "between") and _is_floor(first, meaning):
        meaning.start_variable = first.variable
        if comparison.operator == ">=":
            return
        first = bounds[1]
        assert first is not None
    if comparison.operator in ("<", "<=", "between") and any(
        (first.base, first.variable, first.shift) == (bound.base, bound.variable, bound.shift)
        for bound in meaning.upper
    ):
        return
    raise problem


def _is_before_run(first: Bound, meaning: Meaning) -> bool:
    """Whether a bound lies a fixed time before a variable that bounds the filter: it moves with each run."""
    is_back = first.shift.months > 0 or first.shift.seconds > 0
    bounds = (*meaning.lower, *meaning.upper)
    return first.base == "variable" and is_back and all(bound.variable == first.variable for bound in bounds)


def _is_floor(first: Bound, meaning: Meaning) -> bool:
    """Whether a variable is what the bound of a filter is never before."""
    floors = [bound.floor.variable for bound in meaning.lower if bound.floor is not None]
    return first.base == "variable" and first.shift.is_zero and floors == [first.variable]


def _of_days(expression: exp.Expr) -> exp.Expr:
    """What an expression truncates to days."""
    made = truncation(expression)
    while made is not None and made[1] == "day":
        expression = made[0]
        made = truncation(expression)
    return expression


def _dated(bound: Bound) -> Bound:
    """A fixed day less some days, as that day."""
    shift = bound.shift
    is_day = bound.base == "fixed" and bound.variable is not None and " " not in bound.variable
    if not is_day or shift.is_zero or shift.months or shift.seconds % _DAY.seconds:
        return bound
    try:
        day = date.fromisoformat(str(bound.variable)) - timedelta(seconds=shift.seconds)
    except ValueError:
        return bound
    return replace(bound, shift=NOTHING, variable=day.isoformat())
