"""Converts a DuckDB query to Spark SQL: macros, refusals, tables, dialect, in this order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from dbt_kinds.analysis.capture import LIFTED, captured
from dbt_kinds.codes import CompileCode, OndatraCode
from dbt_kinds.diagnostics import Place
from dbt_kinds.kinds import Captured, Placeholder, SqlText, This
from dbt_kinds.placeholders import Placeholders, used_placeholders
from dbt_kinds.readers.ondatrasql.directives import Declared
from dbt_kinds.readers.ondatrasql.expansion import expand, refused
from dbt_kinds.readers.ondatrasql.settings import Settings
from dbt_kinds.readers.ondatrasql.statements import place_of, split_statements
from dbt_kinds.readers.ondatrasql.tables import Tables, key_of, table_key
from dbt_kinds.readers.table_placeholders import is_read_table, put_placeholders
from dbt_kinds.translation.dialects import ParseFailure, parse_statement, spark_sql
from dbt_kinds.translation.duckdb_only import duckdb_only
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.remarks import Remark
from dbt_kinds.translation.star_expansion import Columns, output_columns
from dbt_kinds.translation.target import SparkTarget

Lookup = Callable[[exp.Table], Columns | None]
_INCREMENTAL = frozenset({"append", "merge", "tracked", "scd2"})


@dataclass
class Query:
    """A parsed query: its tree, with the project's macros expanded.

    Attributes:
        spoken: the text with the names of macros and variables blanked out, because these are not functions.
        reads: names of tables as written, with positions.
        reads_last_value: whether the query asks for the cursor's last value.
        remarks: remarks on the expanded macros.
    """

    tree: exp.Expr
    text: str
    declared: Declared
    spoken: str = ""
    placeholders: Placeholders = field(default_factory=Placeholders)
    remarks: list[Remark] = field(default_factory=list)
    reads: list[tuple[list[str], tuple[int, int]]] = field(default_factory=list)
    reads_last_value: bool = False

    def place_of(self, node: exp.Expr | None) -> tuple[int, int]:
        """The line and column of a node, as precisely as the tree records them."""
        while node is not None:
            starts = [int(part.meta["start"]) for part in node.walk() if part.meta and "start" in part.meta]
            if starts:
                return place_of(self.text, min(starts))
            node = node.parent
        return place_of(self.text, len(self.text) - len(self.text.lstrip()))

    def unsupported(self, problem: NotInSpark) -> None:
        """Records a construct without a counterpart in Spark."""
        line, column = self.place_of(problem.node)
        self.declared.find(OndatraCode.UnsupportedSql, "error", problem.message, line, column)


def read_query(text: str, declared: Declared, settings: Settings, libraries: frozenset[str]) -> Query | None:
    """Parses the single statement of a model, and finds constructs that cannot be converted; None if there is no
    statement.

    Args:
        text: the file's text, with all but the statement blanked out.
        libraries: names of functions of `lib/`.
    """
    try:
        statements = split_statements(text)
        if not statements:
            message = f"{declared.name} has no statement; write a query below the directives"
            declared.find(OndatraCode.NoStatement, "error", message, 1)
            return None
        if len(statements) > 1:
            line, column = place_of(text, statements[1].start)
            message = "a second statement; a model is one query, so make another file of it"
            declared.find(OndatraCode.SeveralStatements, "error", message, line, column)
            return None
        text = text[: statements[0].start + len(statements[0].text)]
        query = Query(parse_statement(text, "duckdb"), text, declared)
    except ParseFailure as failure:
        line, column = place_of(text, failure.offset)
        declared.find(OndatraCode.UnsupportedSql, "error", f"DuckDB's SQL is not read: {failure.message}", line, column)
        return None
    if not isinstance(query.tree, exp.Query) and not isinstance(query.tree, exp.Values):
        line, column = query.place_of(query.tree)
        message = duckdb_only(query.tree) or f"{query.tree.key.upper()} is no query; write select …"
        declared.find(OndatraCode.UnsupportedSql, "error", message, line, column)
        return None
    try:
        expanded = expand(query.tree, text, settings, query.placeholders)
    except NotInSpark as problem:
        query.unsupported(problem)
        return None
    query.tree, query.spoken, query.remarks = expanded.tree, expanded.spoken, expanded.remarks
    query.reads_last_value = "incr_last_value" in expanded.run_values
    found = list(_refused(query, libraries))
    for one in found:
        query.unsupported(one)
    for table in query.tree.find_all(exp.Table):
        if is_read_table(table):
            query.reads.append(([part.name for part in table.parts], query.place_of(table)))
    return None if found else query


def _refused(query: Query, libraries: frozenset[str]) -> Iterator[NotInSpark]:
    """Constructs that are not converted, each with what to write instead."""
    yield from refused(query.tree, libraries)
    root = query.tree
    while isinstance(root, exp.Subquery) and root.args.get("limit") is None:
        root = root.this
    limit = root.args.get("limit") or root.args.get("offset")
    # captured tables are handled by the checks on query shapes
    if limit is not None and query.declared.kind in _INCREMENTAL and not _is_captured_append(query.declared):
        message = f"LIMIT at the top of a {query.declared.kind} takes any rows; say by row_number() which are meant"
        yield NotInSpark(message, limit)


def _is_captured_append(declared: Declared) -> bool:
    return declared.kind == "append" and declared.is_captured


def capture(query: Query, allowed: frozenset[str]) -> frozenset[str]:
    """Marks the tables whose changes a query reads.

    Args:
        allowed: accepted codes.

    Returns:
        The codes of an `append` that were accepted.
    """
    declared = query.declared
    found = captured(query.tree, table_key, is_read_table)
    lifted = {unfit.code.name for unfit in found.unfit if unfit.code in LIFTED} & allowed
    unfit = [unfit for unfit in found.unfit if unfit.code.name not in lifted]
    if declared.kind == "merge":
        if found.unfit:
            codes = ", ".join(dict.fromkeys(unfit.code.name for unfit in found.unfit))
            message = f"{declared.name} is read in full at each run, since what changed alone would not do: {codes}"
            line, column = query.place_of(found.unfit[0].node)
            declared.find(OndatraCode.ReadInFull, "info", message, line, column)
            return frozenset()
    elif unfit:
        for reason in unfit:
            line, column = query.place_of(reason.node)
            declared.find(reason.code, "error", reason.message, line, column)
        return frozenset()
    for table in found.driving:
        table.meta["is_captured"] = True
    return frozenset(lifted)


def to_spark(query: Query, tables: Tables, lookup: Lookup, own_key: str) -> SqlText | None:
    """The query for Spark, with tables replaced by placeholders; None if a part of it cannot be written."""
    tree = query.tree
    try:
        # before tables lose their names, which are needed to find their columns
        remarks = SparkTarget().resolve(tree, "duckdb", lookup)
        _rename_tables(query, tables, own_key)
        translated = SparkTarget().translate(tree, "duckdb", query.spoken, write=_pretty)
    except NotInSpark as problem:
        query.unsupported(problem)
        return None
    unknown = False
    for remark in (*query.remarks, *remarks, *translated.remarks):
        unknown |= _note(query, remark)
    return (
        None
        if unknown
        else SqlText(translated.text, used_placeholders(translated.text, query.placeholders.by_name), tree)
    )


def _note(query: Query, remark: Remark) -> bool:
    """Records a remark; returns whether it rules out the model."""
    line, column = query.place_of(remark.node)
    if remark.kind == "unknown function":
        query.declared.find(OndatraCode.UnsupportedSql, "error", remark.message, line, column)
        return True
    query.declared.note(remark.kind, remark.message, line, column)
    return False


def _pretty(tree: exp.Expr) -> str:
    return spark_sql(tree, pretty=True)


def _rename_tables(query: Query, tables: Tables, own_key: str) -> None:
    def placeholder_of(table: exp.Table) -> Placeholder:
        parts = [part.name for part in table.parts]
        line, column = query.place_of(table)
        if key_of(parts) == own_key:
            message = f"{query.declared.name} reads its own table: what earlier runs wrote"
            query.declared.find(CompileCode.ReadsItself, "info", message, line, column)
            return This()
        found = tables.find(parts, Place(query.declared.path, line))
        return Captured(found) if table.meta.get("is_captured") else found

    put_placeholders(query.tree, placeholder_of, query.placeholders)


def columns_of(query: Query, lookup: Lookup) -> list[str] | None:
    """The column names that a query returns, None if unknown."""
    return output_columns(query.tree, "duckdb", lookup)
