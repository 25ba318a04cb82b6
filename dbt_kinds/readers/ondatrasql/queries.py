"""Converts a DuckDB query to Spark SQL: macros, refusals, tables, dialect, in this order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from sqlglot import TokenType, exp

from dbt_kinds.analysis.capture import NOT_LIFTED, captured
from dbt_kinds.kinds import Captured, Jinja, Mark, Place, SqlText, This, Variable
from dbt_kinds.marks import Marks, used_marks
from dbt_kinds.readers.ondatrasql.directives import Declared
from dbt_kinds.readers.ondatrasql.findings import severity_of
from dbt_kinds.readers.ondatrasql.settings import Settings, write_macros_out
from dbt_kinds.readers.ondatrasql.statements import place_of, split_statements
from dbt_kinds.readers.ondatrasql.tables import Tables, is_read_table, key_of, table_key
from dbt_kinds.readers.remark_notes import NOTE_OF
from dbt_kinds.translation.aliases import write_aliases_out
from dbt_kinds.translation.columns_calls import write_columns_out
from dbt_kinds.translation.dialects import ParseFailure, dialect_of, parse_statement, spark_sql
from dbt_kinds.translation.duckdb_only import duckdb_only
from dbt_kinds.translation.file_tables import is_file
from dbt_kinds.translation.functions import function_remarks
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.remarks import Remark
from dbt_kinds.translation.star import Columns, expand_stars, output_columns
from dbt_kinds.translation.translate import translate
from dbt_kinds.translation.value_types import type_columns

Lookup = Callable[[exp.Table], Columns | None]
_OF_RUNS = {"incr_last_value": "last_value", "incr_last_run": "last_run", "incr_is_backfill": "is_backfill"}
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
    marks: Marks = field(default_factory=Marks)
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
        self.declared.find("UnsupportedSql", "error", problem.message, line, column)


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
            declared.find("NoStatement", "error", message, 1)
            return None
        if len(statements) > 1:
            line, column = place_of(text, statements[1].start)
            message = "a second statement; a model is one query, so make another file of it"
            declared.find("SeveralStatements", "error", message, line, column)
            return None
        text = text[: statements[0].start + len(statements[0].text)]
        query = Query(parse_statement(text, "duckdb"), text, declared)
    except ParseFailure as failure:
        line, column = place_of(text, failure.offset)
        declared.find("UnsupportedSql", "error", f"DuckDB's SQL is not read: {failure.message}", line, column)
        return None
    if not isinstance(query.tree, exp.Query) and not isinstance(query.tree, exp.Values):
        line, column = query.place_of(query.tree)
        message = duckdb_only(query.tree) or f"{query.tree.key.upper()} is no query; write select …"
        declared.find("UnsupportedSql", "error", message, line, column)
        return None
    query.spoken = _blanked(text, {*settings.macros, "getvariable"})
    try:
        query.remarks = list(_macro_remarks(query, settings))
        query.tree = write_macros_out(query.tree, settings.macros)
        _put_variables(query, settings)
    except NotInSpark as problem:
        query.unsupported(problem)
        return None
    found = list(_refused(query, libraries))
    for refused in found:
        query.unsupported(refused)
    for table in query.tree.find_all(exp.Table):
        if is_read_table(table):
            query.reads.append(([part.name for part in table.parts], query.place_of(table)))
    return None if found else query


def _blanked(text: str, names: set[str]) -> str:
    """A text in which the names of some calls are blanked out, with all other characters unchanged."""
    tokens = dialect_of("duckdb").tokenize(text)
    for token, following in pairwise(tokens):
        if following.token_type is TokenType.L_PAREN and token.text.lower() in names:
            text = text[: token.start] + " " * (token.end + 1 - token.start) + text[token.end + 1 :]
    return text


def _macro_remarks(query: Query, settings: Settings) -> Iterator[Remark]:
    """Remarks on the functions that macros call, at the call of the macro."""
    seen: set[str] = set()
    calls = [(call, call) for call in query.tree.find_all(exp.Anonymous)]
    while calls:
        call, place = calls.pop()
        macro = settings.macros.get(call.name.lower())
        if macro is None or macro.name in seen:
            continue
        seen.add(macro.name)
        calls += [(inner, place) for inner in macro.body.find_all(exp.Anonymous)]
        text = _blanked(macro.body.sql("duckdb"), {*settings.macros, "getvariable"})
        try:
            yield from (remark._replace(node=place) for remark in function_remarks(text, "duckdb"))
        except NotInSpark as problem:
            raise NotInSpark(f"{problem.message} (in the macro {macro.name})", place) from problem


def _put_variables(query: Query, settings: Settings) -> None:
    """`getvariable('x')`: values known to runs, and the project's own variables."""
    for call in list(query.tree.find_all(exp.Anonymous)):
        if call.name.lower() != "getvariable":
            continue
        name = call.expressions[0].name if len(call.expressions) == 1 and call.expressions[0].is_string else ""
        mark: Mark
        if name.lower() in _OF_RUNS:
            mark = Jinja(f"{{{{ dbt_kinds.{_OF_RUNS[name.lower()]}() }}}}")
            query.reads_last_value |= name.lower() == "incr_last_value"
        elif name.lower() in settings.variables:
            mark = Variable(name.lower(), isinstance(settings.variables[name.lower()], str))
        else:
            message = f"getvariable('{name}'): no file of config/ sets it to a literal; write the value, or such a line"
            raise NotInSpark(message, call)
        column = exp.column(query.marks.name_of(mark))
        if call is query.tree:
            query.tree = column
        else:
            call.replace(column)


def _refused(query: Query, libraries: frozenset[str]) -> Iterator[NotInSpark]:
    """Constructs that are not converted, each with what to write instead."""
    for node in query.tree.walk():
        only = duckdb_only(node)
        if only is not None:
            yield NotInSpark(only, node)
        elif isinstance(node, exp.Join) and (node.method or "").upper() == "ASOF":
            yield NotInSpark("ASOF JOIN has no counterpart in Spark; join on a range and keep the last row", node)
        elif isinstance(node, exp.SetOperation) and node.args.get("by_name"):
            yield NotInSpark("UNION BY NAME has no counterpart in Spark; write the columns of both sides out", node)
        elif isinstance(node, exp.Table) and is_file(node):
            message = f"{node.sql('duckdb')}: files are no part of a model; declare a source over them, or make a seed"
            yield NotInSpark(message, node)
        elif isinstance(node, exp.Anonymous) and node.name.lower() in libraries:
            message = f"{node.name} is a function of lib/; fetch by a Python model or a loader, and read its table"
            yield NotInSpark(message, node)
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
    lifted = {unfit.code for unfit in found.unfit} & (allowed - NOT_LIFTED)
    unfit = [unfit for unfit in found.unfit if unfit.code not in lifted]
    if declared.kind == "merge":
        if found.unfit:
            codes = ", ".join(dict.fromkeys(unfit.code for unfit in found.unfit))
            message = f"{declared.name} is read in full at each run, since what changed alone would not do: {codes}"
            line, column = query.place_of(found.unfit[0].node)
            declared.find("ReadInFull", "info", message, line, column)
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
    """The query for Spark, with tables replaced by marks; None if a part of it cannot be written."""
    tree = query.tree
    try:
        # before tables lose their names, which are needed to find their columns
        expand_stars(tree, lookup, NotInSpark)
        write_columns_out(tree, lookup)
        _name_columns(query)
        type_columns(tree, lookup)
        remarks = list(write_aliases_out(tree, "duckdb", lookup))
        _rename_tables(query, tables, own_key)
        translated = translate(tree, "duckdb", query.spoken, write=_pretty)
    except NotInSpark as problem:
        query.unsupported(problem)
        return None
    unknown = False
    for remark in (*query.remarks, *remarks, *translated.remarks):
        unknown |= _note(query, remark)
    return None if unknown else SqlText(translated.text, used_marks(translated.text, query.marks.by_name), tree)


def _note(query: Query, remark: Remark) -> bool:
    """Records a remark; returns whether it rules out the model."""
    line, column = query.place_of(remark.node)
    if remark.kind == "unknown function":
        query.declared.find("UnsupportedSql", "error", remark.message, line, column)
        return True
    kind = NOTE_OF[remark.kind]
    query.declared.find(kind.__name__, severity_of(kind.level), remark.message, line, column)
    return False


def _pretty(tree: exp.Expr) -> str:
    return spark_sql(tree, pretty=True)


def _name_columns(query: Query) -> None:
    """Names unnamed outputs: Spark's tables do not accept DuckDB's `count_star()`."""
    root = query.tree
    while isinstance(root, exp.Subquery | exp.SetOperation):
        root = root.this
    for position, item in enumerate(list(root.expressions) if isinstance(root, exp.Select) else []):
        if not item.output_name and not item.is_star:
            name = f"_col_{position}"
            line, column = query.place_of(item)
            message = f"a column without a name is called {name}; write {item.sql('duckdb', comments=False)} as <name>"
            query.declared.find("NameChanged", "warning", message, line, column)
            item.replace(exp.alias_(item.copy(), name))


def _rename_tables(query: Query, tables: Tables, own_key: str) -> None:
    renamed: dict[str, str] = {}
    for table in list(query.tree.find_all(exp.Table)):
        if not is_read_table(table):
            continue
        parts = [part.name for part in table.parts]
        line, column = query.place_of(table)
        mark: Mark
        if key_of(parts) == own_key:
            message = f"{query.declared.name} reads its own table: what earlier runs wrote"
            query.declared.find("ReadsItself", "info", message, line, column)
            mark = This()
        else:
            found = tables.find(parts, Place(query.declared.path, line))
            mark = Captured(found) if table.meta.get("is_captured") else found
        if not table.alias:
            renamed[".".join(parts).lower()] = parts[-1]
            table.set("alias", exp.TableAlias(this=exp.to_identifier(parts[-1])))
        table.set("this", exp.to_identifier(query.marks.name_of(mark)))
        table.set("db", None)
        table.set("catalog", None)
    for item in query.tree.find_all(exp.Column):
        if item.args.get("db") is not None:
            qualifier = ".".join(part.name for part in item.parts[:-1]).lower()
            if qualifier in renamed:
                item.set("db", None)
                item.set("catalog", None)


def columns_of(query: Query, lookup: Lookup) -> list[str] | None:
    """The column names that a query returns, None if unknown."""
    return output_columns(query.tree, lookup)
