"""Years, quarters and months as numbers: `year * 100 + month` grows with the time that both are parts of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from sqlglot import exp

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left
from dbt_kinds.migrate.epochs import without_number_casts
from dbt_kinds.migrate.known_times import same
from dbt_kinds.migrate.meaning import Meaning
from dbt_kinds.migrate.parents import Place
from dbt_kinds.migrate.parts import inside, part_in, terms
from dbt_kinds.migrate.reading import Reading
from dbt_kinds.migrate.trace import Trace

_DEEPEST = 20
# how many of a part are in a year
_IN_A_YEAR = {"month": 12, "quarter": 4}
_MAKES_DATES = {
    **dict.fromkeys(("spark", "databricks", "spark2", "postgres", "duckdb"), "make_date"),
    "snowflake": "date_from_parts",
    "bigquery": "date",
}


def as_times(meaning: Meaning, select: exp.Select | None, reading: Reading, dialect: str) -> Meaning:
    """A filter by numbers of years, quarters or months as one by the time that they are parts of; others as they are.

    Raises:
        Left (ReadsThisElsewhere): it asks for the newest of a calculation that is none of those.
    """
    newest = [bound for bound in meaning.lower if bound.base == "latest"]
    is_calculated = any(bound.numbers for bound in newest)
    if select is None or meaning.expression is None or not newest:
        return meaning
    read = _read(meaning.expression, select, reading)
    if read is None or len(newest) < len(meaning.lower) or meaning.upper:
        if not is_calculated:
            return meaning
        written = " + ".join(name if times == 1 else f"{name} * {times}" for times, name in newest[0].numbers)
        raise Left(
            MigrateCode.ReadsThisElsewhere,
            f"`{meaning.written}` is compared with the newest `{written}`, which is no column of the model; select it "
            "as a column, and compare it with the newest value of that",
            line=meaning.filter.line,
        )
    unit, time, parts = read
    lower = [
        replace(bound, column=None, truncated=unit, numbers=bound.numbers or ((1, str(bound.column)),))
        for bound in newest
    ]
    if time is not None:
        return replace(meaning, expression=time, written=time.sql(dialect), lower=lower)
    made = _date_of(parts, dialect)
    if made is None:
        raise Left(
            MigrateCode.UnknownColumnType,
            f"{meaning.written} is a number that is made of a time; write the filter beside that time, and compare it "
            f"with the beginning of a {unit}",
            line=meaning.filter.line,
        )
    return replace(meaning, expression=made[0], written=made[1], lower=lower)


def check_newest(meanings: list[Meaning], traces: list[Trace]) -> None:
    """Checks that filters by numbers compare them with the newest of the same numbers in the table.

    Raises:
        Left (BoundOfAnotherColumn): one compares them with other columns.
    """
    for meaning, followed in zip(meanings, traces, strict=True):
        for bound in meaning.lower if not followed.secondary else ():
            if not bound.numbers:
                continue
            parts = [(times, followed.parts.get(name.lower(), "")) for times, name in bound.numbers]
            if _ordered(parts) != bound.truncated:
                names = ", ".join(name for _, name in bound.numbers)
                raise Left(
                    MigrateCode.BoundOfAnotherColumn,
                    f"the {bound.truncated} of {meaning.written} is compared with the newest {names} of the table, "
                    "which is not made of that time",
                    line=meaning.filter.line,
                )


def _read(
    expression: exp.Expr, select: exp.Select, reading: Reading
) -> tuple[str, exp.Expr | None, dict[str, exp.Expr]] | None:
    """The unit that a number counts, the time that it is made of in the same select, and its parts as written there."""
    found = terms(expression)
    if found is None:
        return None
    times: list[tuple[int, str]] = []
    beside: list[exp.Expr] = []
    below: list[Place] = []
    parts: dict[str, exp.Expr] = {}
    for count, atom in found:
        made = part_in(atom)
        origin = None
        if made is None and isinstance(atom, exp.Column):
            origin = next(_parts_below(atom, select, reading), None)
            made = part_in(origin.expression) if origin is not None else None
        if made is None:
            return None
        times.append((count, made[0]))
        parts[made[0]] = atom
        if origin is None:
            beside.append(made[1])
        else:
            below.append(replace(origin, expression=made[1]))
    unit = _ordered(times)
    if unit is None or (beside and below):
        return None
    if beside:
        is_plain = isinstance(inside(beside[0], exp.Cast, exp.Paren, exp.TsOrDsToDate), exp.Column)
        return (unit, beside[0], parts) if is_plain and all(same(beside[0], other) for other in beside) else None
    is_one = all(place.select is below[0].select and same(place.expression, below[0].expression) for place in below)
    return (unit, None, parts) if is_one else None


def _parts_below(column: exp.Column, select: exp.Select, reading: Reading, depth: int = 0) -> Iterator[Place]:
    """The part of a time that a column is, where the query itself makes it: a table may hold fiscal years."""
    for origin in reading.parents.origins(column, select, reading.names):
        if not isinstance(origin, Place) or origin.names is not reading.names:
            continue
        if isinstance(origin.select.find_ancestor(exp.SetOperation, exp.CTE, exp.Subquery), exp.SetOperation):
            # another part of a union may make it of something else
            continue
        if part_in(origin.expression) is not None:
            yield origin
        inner = without_number_casts(origin.expression)
        if isinstance(inner, exp.Column) and depth < _DEEPEST:
            yield from _parts_below(inner, origin.select, reading, depth + 1)


def _ordered(parts: Iterable[tuple[int, str]]) -> str | None:
    """The unit whose order a sum of parts of a time has: that of the month for `100 * year + month`."""
    given = list(parts)
    times = {name: count for count, name in given}
    if len(times) != len(given) or times.get("year", 0) < 1:
        return None
    if len(times) == 1:
        return "year"
    if len(times) > 2:
        return None
    (inner,) = times.keys() - {"year"}
    in_a_year = _IN_A_YEAR.get(inner)
    is_growing = in_a_year is not None and times[inner] > 0 and times["year"] > (in_a_year - 1) * times[inner]
    return inner if is_growing else None


def _date_of(parts: dict[str, exp.Expr], dialect: str) -> tuple[exp.Expr, str] | None:
    """The first day of the period of some parts, as a query and as written; None where a dialect has no such date."""
    function = _MAKES_DATES.get(dialect)
    if function is None:
        return None
    written = {name: f"cast({part.sql(dialect)} as int)" for name, part in parts.items()}
    month = f"{written['quarter']} * 3 - 2" if "quarter" in parts else written.get("month", "1")
    within = parts.get("quarter", parts.get("month"))
    made = exp.DateFromParts(
        year=parts["year"].copy(),
        month=within.copy() if within is not None else exp.Literal.number(1),
        day=exp.Literal.number(1),
    )
    return made, f"{function}({written['year']}, {month}, 1)"
