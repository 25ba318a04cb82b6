"""The types of the columns of a query's inputs: declared, or those with which DuckDB accepts the query."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import duckdb
from sqlglot import exp

from dbt_kinds.prove.translation import written_for_duckdb
from dbt_kinds.prove.uses import DATE, FLAG, LOCAL_TIME, NUMBER, TEXT, TIME, type_by_name, used_as
from dbt_kinds.prove.verdict import NotTriedError

_CANDIDATES = (TEXT, NUMBER, TIME, DATE, FLAG, LOCAL_TIME, "double", "json", "varchar[]", "json[]", "blob")
_DECLARED: tuple[tuple[str, str], ...] = (
    (r"timestamp_?ntz|timestamp without|datetime", LOCAL_TIME),
    (r"timestamp", TIME),
    (r"date", DATE),
    (r"bool", FLAG),
    (r"(?:big|small|tiny)?int|integer|long|number|numeric|decimal|bignumeric", NUMBER),
    (r"float|double|real", "double"),
    (r"string|varchar|text|char|nvarchar", TEXT),
    (r"json|variant|object|super", "json"),
)
_MISSING = re.compile(r"Function with name (\w+) does not exist")
_REPAIRS = 400

Columns = dict[str, dict[str, str]]


def declared_type(written: str) -> str | None:
    """DuckDB's type for a declared one; None if it is not known."""
    return next((found for pattern, found in _DECLARED if re.match(pattern, written, re.IGNORECASE)), None)


def guessed_types(
    names: Mapping[str, Iterable[str]], declared: Mapping[str, Mapping[str, str]], trees: list[exp.Query]
) -> Columns:
    """A type for each column: the declared one, else what its uses and its name say."""
    used = used_as(trees)
    return {
        table: {
            column: declared.get(table, {}).get(column) or used.get(column) or type_by_name(column)
            for column in sorted(columns)
        }
        for table, columns in names.items()
    }


class Accepted:
    """Changes types, and adds columns that were not seen, until DuckDB accepts all queries."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, columns: Columns, fixed: Mapping[str, Iterable[str]]
    ) -> None:
        """`fixed` are columns whose types are declared."""
        self.columns = columns
        self._connection = connection
        self._fixed = {(table, column) for table, names in fixed.items() for column in names}
        self._aliases: dict[str, str] = {}
        self._tries = 0
        # the database has a macro of that name for those of the package
        self.lacking = frozenset({"xxhash64"})

    def accept(self, tree: exp.Query, dialect: str) -> None:
        """Finds types, and functions that need a stand-in, with which DuckDB accepts a query.

        Raises:
            NotTriedError: there are none.
        """
        self._aliases = {one.alias_or_name.lower(): one.name.lower() for one in tree.find_all(exp.Table)}
        sql = written_for_duckdb(tree, dialect, self.lacking)
        problem = self._problem(sql)
        while problem is not None:
            missing = _MISSING.search(problem)
            if missing is not None and missing[1].lower() not in self.lacking:
                self.lacking |= {missing[1].lower()}
                sql = written_for_duckdb(tree, dialect, self.lacking)
                problem = self._problem(sql)
                continue
            changed = self._added(problem) or self._retyped(sql, tree, problem)
            following = self._problem(sql) if changed else problem
            if following == problem or self._tries > _REPAIRS:
                raise NotTriedError(_reason(problem))
            problem = following

    def _problem(self, sql: str) -> str | None:
        self._tries += 1
        for table, columns in self.columns.items():
            listed = (
                ", ".join(f'cast(null as {type_}) as "{name}"' for name, type_ in columns.items())
                or "1 as kinds_nothing"
            )
            self._connection.execute(f"create or replace view {table} as select {listed}")
        try:
            self._connection.execute(f"describe {sql}")
        except duckdb.Error as error:
            return str(error)
        return None

    def _added(self, problem: str) -> bool:
        """A column that the query reads and that was not seen; one that was seen in two inputs is taken out of one."""
        missing = re.search(r'(?:Values list|Table) "(\w+)" does not have a column named "(\w+)"', problem)
        if missing is not None:
            table = self._aliases.get(missing[1].lower(), missing[1].lower())
            return self._add(table, missing[2].lower())
        lost = re.search(r'Referenced column "(\w+)" (?:not found|was not found)', problem)
        if lost is not None:
            return any(self._add(table, lost[1].lower()) for table in self.columns)
        twice = re.search(r'Ambiguous reference to column name "(\w+)" \(use: "(\w+)\.(?:\w+)" or "(\w+)\.', problem)
        if twice is not None:
            for alias in (twice[3], twice[2]):
                table = self._aliases.get(alias.lower(), alias.lower())
                if self.columns.get(table, {}).pop(twice[1].lower(), None) is not None:
                    return True
        return False

    def _add(self, table: str, column: str) -> bool:
        if table not in self.columns or column in self.columns[table]:
            return False
        self.columns[table][column] = type_by_name(column)
        return True

    def _retyped(self, sql: str, tree: exp.Query, problem: str) -> bool:
        """Tries other types for the columns near the problem; keeps the first with which it is another one."""
        near = self._near(tree, problem)
        for table, column in near:
            before = self.columns[table][column]
            for candidate in _CANDIDATES:
                if candidate == before:
                    continue
                self.columns[table][column] = candidate
                following = self._problem(sql)
                if following is None or _place(following) != _place(problem):
                    return True
                if self._tries > _REPAIRS:
                    break
            self.columns[table][column] = before
        # all columns of one name are of one type
        for name in dict.fromkeys(column for _, column in near):
            tables = [table for table in self.columns if name in self.columns[table]]
            held = {table: self.columns[table][name] for table in tables}
            for candidate in _CANDIDATES:
                for table in tables:
                    self.columns[table][name] = candidate
                following = self._problem(sql)
                if following is None or _place(following) != _place(problem):
                    return True
            for table, type_ in held.items():
                self.columns[table][name] = type_
        return False

    def _near(self, tree: exp.Query, problem: str) -> list[tuple[str, str]]:
        """The columns that the text around the problem names, the nearest first, or that what it names is made of."""
        context = problem.split("\n\n")[-1] if "\n" in problem else problem
        lines = context.splitlines()
        at = lines[-1].index("^") if lines and "^" in lines[-1] else 0
        text = lines[-2] if len(lines) > 1 else context
        words = [(abs(found.start() - at), found[0].lower()) for found in re.finditer(r"\w+", text)]
        order: dict[str, float] = {word: distance for distance, word in sorted(words, reverse=True)}
        for word, distance in list(order.items()):
            for column in made_of(tree, word):
                order.setdefault(column, distance + 0.5)
        places = [
            (table, column)
            for table, columns in self.columns.items()
            for column in columns
            if (table, column) not in self._fixed
        ]
        if "does not exist" in problem:
            return []
        return sorted((place for place in places if place[1] in order), key=lambda place: order[place[1]])[:12]


def made_of(tree: exp.Query, name: str) -> set[str]:
    """The columns, in lower case, that a name of a query's selects is made of, through any number of others."""
    made: dict[str, set[str]] = {}
    for alias in tree.find_all(exp.Alias):
        columns = {column.name.lower() for column in alias.this.find_all(exp.Column)}
        made.setdefault(alias.alias.lower(), set()).update(columns)
    found: set[str] = set()
    waiting = [name]
    while waiting:
        more = made.get(waiting.pop(), set()) - found
        found |= more
        waiting += more
    return found - {name}


def _place(problem: str) -> str:
    """What a message is about, without the types that it names: the function, or the sort of problem, and where."""
    first, *context = problem.split("\n")
    called = re.search(r"types '([^(']+)\(", first)
    said = called[1] if called is not None else " ".join(first.split()[:4])
    return "\n".join([said, *context[-2:]])


def _reason(problem: str) -> str:
    missing = _MISSING.search(problem)
    if missing is not None:
        return f"DuckDB has no function {missing[1]}"
    first = " ".join(problem.split("\n")[0].split())
    called = re.search(r"function '(\w+)'|function: ?(\w+)|arguments? types '?(\w+)\(", first)
    return f"DuckDB does not take it: {first[:160]}" + (f" ({called[1]})" if called and called[1] else "")
