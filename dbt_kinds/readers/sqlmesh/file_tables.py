"""Files that DuckDB reads as tables: Spark reads some by path, others through a table declared by a hook."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sqlglot import exp
from sqlglot.errors import SqlglotError

from dbt_kinds.codes import CompileCode
from dbt_kinds.kinds import Jinja, SparkSql, SqlText, Variable
from dbt_kinds.readers.sqlmesh.macros.scope import Scope
from dbt_kinds.readers.sqlmesh.macros.variables import note_frozen, project_variables
from dbt_kinds.translation.file_tables import written_path
from dbt_kinds.translation.not_in_spark import NotInSpark

_READERS = {
    "READ_CSV": "csv",
    "READ_CSV_AUTO": "csv",
    "READ_JSON": "json",
    "READ_JSON_AUTO": "json",
    "READ_NDJSON": "json",
    "READ_NDJSON_AUTO": "json",
    "READ_PARQUET": "parquet",
    "PARQUET_SCAN": "parquet",
    "DELTA_SCAN": "delta",
}
# models in several schemas may read one file
_SCHEMA = "{{ target.schema }}"
_ENDINGS = re.compile(r"\.(csv|tsv|json|jsonl|ndjson)(\.(gz|zst|bz2))?$", re.IGNORECASE)
# options for how DuckDB reads, or for what Spark does by default
_NO_MEANING = """
auto_detect sample_size parallel compression hive_partitioning strict_mode null_padding buffer_size max_line_size
maximum_object_size maximum_depth records binary_as_string
"""
_WITHOUT_MEANING = frozenset(_NO_MEANING.split())
_ONLY_WHEN_FALSE = frozenset({"filename", "union_by_name", "normalize_names", "file_row_number", "skip"})
_CSV = {
    "header": "header",
    "delim": "sep",
    "sep": "sep",
    "delimiter": "sep",
    "quote": "quote",
    "escape": "escape",
    "nullstr": "nullValue",
    "encoding": "encoding",
}


@dataclass
class _File:
    """A file as read by a query.

    Attributes:
        options: for Spark's reader, in output order.
        columns: with their Spark types; empty if they are to be inferred from the file.
    """

    format: str
    path: str
    options: dict[str, str] = field(default_factory=dict)
    columns: list[str] = field(default_factory=list)
    guesses: list[str] = field(default_factory=list)


def read_files(tree: exp.Expr, scope: Scope, line: int) -> None:
    """Replaces the files that a DuckDB query reads by what Spark reads.

    Raises:
        NotInSpark: Spark cannot read one.
    """
    if scope.dialect != "duckdb":
        return
    for table in list(tree.find_all(exp.Table)):
        arguments = _arguments(table)
        if arguments is None:
            continue
        name, given = arguments
        path = _path(given[0], scope, line) if given else None
        if path is None:
            raise NotInSpark(
                f"{name} of several files, or of a path that is computed; write one path, with * in it", table
            )
        file = _file(name, path, given[1:], table)
        _note_part_of_path(file, scope, line)
        if file.format == "parquet" and not file.options:
            table.set("this", exp.ReadParquet(expressions=[exp.Literal.string(path)]))
        else:
            table.set("this", exp.to_identifier(_put(file, scope, line)))


def _arguments(table: exp.Table) -> tuple[str, list[exp.Expr]] | None:
    """The name and arguments of the function that reads a file; None for other tables."""
    function = table.this
    if isinstance(function, exp.Identifier) and not table.db and function.args.get("quoted"):
        found = _ENDINGS.search(function.name)
        if found is None:
            return None
        name = (
            "READ_CSV"
            if found[1].lower() in ("csv", "tsv")
            else "READ_JSON"
            if found[1].lower() == "json"
            else "READ_NDJSON"
        )
        return name, [exp.Literal.string(function.name)]
    if not isinstance(function, exp.Func):
        return None
    name = (function.name if isinstance(function, exp.Anonymous) else function.sql_name()).upper()
    if name not in _READERS:
        return None
    first = [function.this] if isinstance(function, exp.ReadCSV) else []
    return name, [*first, *function.expressions]


def _path(tree: exp.Expr, scope: Scope, line: int) -> str | None:
    """A path known when compiling: a string, or a concatenation of strings and project variables."""
    tree = tree.unnest()
    if (written := written_path(tree)) is not None:
        return written
    if isinstance(tree, exp.DPipe):
        left, right = _path(tree.this, scope, line), _path(tree.expression, scope, line)
        return None if left is None or right is None else left + right
    if isinstance(tree, exp.Concat):
        parts = [_path(part, scope, line) for part in tree.expressions]
        return None if None in parts else "".join(part or "" for part in parts)
    placeholder = scope.placeholders.by_name.get(tree.name) if isinstance(tree, exp.Column) else None
    if isinstance(placeholder, Variable):
        note_frozen(placeholder.name, scope, line)
        return str(project_variables(scope)[placeholder.name.lower()])
    return None


def _file(name: str, path: str, options: list[exp.Expr], table: exp.Table) -> _File:
    file = _File(_READERS[name], path)
    given: dict[str, exp.Expr] = {}
    for option in options:
        if not isinstance(option, exp.EQ | exp.PropertyEQ | exp.Kwarg):
            raise NotInSpark(f"{name}: {option.sql('duckdb')} is no option; write name = value", table)
        given[option.this.name.lower()] = option.expression
    if file.format == "csv":
        # DuckDB doubles quotes, accepts line breaks within them, and refuses malformed rows
        file.options = {"header": "true", "quote": '"', "escape": '"', "multiLine": "true", "mode": "FAILFAST"}
        if path.lower().endswith((".tsv", ".tsv.gz")):
            file.options["sep"] = "\t"
        if "header" not in given:
            file.guesses.append("its first line was taken for names")
        if not given.keys() & {"delim", "sep", "delimiter"} and "sep" not in file.options:
            file.guesses.append("commas were taken to separate its fields")
    for key, value in given.items():
        _read_option(file, name, key, value, table)
    if not file.columns and file.format == "csv" and file.options.pop("all_varchar", "") != "true":
        file.options["inferSchema"] = "true"
        file.guesses.append("Spark finds its types, which may be others than DuckDB's")
    if not file.columns and file.format == "json":
        file.guesses.append("Spark finds its types, and leaves dates and times as texts")
    if name.startswith("READ_JSON") and "format" not in given and not path.lower().endswith((".jsonl", ".ndjson")):
        file.guesses.append("one object a line was taken for granted")
    return file


def _read_option(file: _File, name: str, key: str, value: exp.Expr, table: exp.Table) -> None:
    text = value.name if isinstance(value, exp.Literal) else value.sql("duckdb").lower()
    is_off = text in ("false", "0")
    if (
        key in _WITHOUT_MEANING
        or (key in _ONLY_WHEN_FALSE and is_off)
        or (key == "union_by_name" and file.format == "json")
    ):
        return
    if key == "columns" and isinstance(value, exp.Struct):
        file.columns = [_column(item, table) for item in value.expressions]
    elif key == "union_by_name" and file.format == "parquet":
        file.options["mergeSchema"] = "true"
    elif key == "ignore_errors" and file.format != "parquet":
        file.options["mode"] = "FAILFAST" if is_off else "DROPMALFORMED"
    elif key == "format" and file.format == "json" and text in ("auto", "newline_delimited", "nd", "array"):
        if text == "array":
            file.options["multiLine"] = "true"
    elif key == "all_varchar" and file.format == "csv":
        file.options["all_varchar"] = "false" if is_off else "true"
    elif key in _CSV and file.format == "csv" and isinstance(value, exp.Literal | exp.Boolean):
        file.options[_CSV[key]] = "\t" if text == "\\t" else text
    else:
        raise NotInSpark(
            f"the option {key} of {name} has no counterpart in Spark; declare a table over the file", table
        )


def _column(item: exp.Expr, table: exp.Table) -> str:
    try:
        kind = exp.DataType.build(item.expression.name, dialect="duckdb").sql(dialect="spark")
    except SqlglotError as error:
        raise NotInSpark(f"'{item.expression.name}' is no type of DuckDB's", table) from error
    return f"{exp.to_identifier(item.this.name, quoted=True).sql(dialect='spark')} {kind}"


def _note_part_of_path(file: _File, scope: Scope, line: int) -> None:
    if re.match(r"[/\\]|\w+:", file.path):
        return
    where = "in the folder of the schema" if file.options or file.columns else "where its driver was started"
    message = f"{file.path} is no whole path: Spark looks for it {where}; write the whole path"
    scope.note(CompileCode.FileTypesGuessed, message, line)


def _put(file: _File, scope: Scope, line: int) -> str:
    """The placeholder for what Spark reads in place of a file."""
    if file.guesses:
        scope.note(
            CompileCode.FileTypesGuessed, f"{file.path}: {'; '.join(file.guesses)}; see that it is read as it was", line
        )
    if not file.options and not file.columns:
        path = exp.to_identifier(file.path, quoted=True).sql(dialect="spark")
        return scope.placeholders.name_of(SparkSql(f"{file.format}.{path}"))
    settings = {"path": file.path, **file.options}
    written = ", ".join(f"{key} {exp.Literal.string(value).sql(dialect='spark')}" for key, value in settings.items())
    columns = f" ({', '.join(file.columns)})" if file.columns else ""
    made = f"{columns} using {file.format} options ({written})"
    return scope.placeholders.name_of(Jinja(f"{_SCHEMA}.{_name_of(file.path, made, scope.declared)}"))


def _name_of(path: str, made: str, declared: dict[str, str]) -> str:
    """The name of the table over a file; the same file read in the same way gives one table."""
    if made not in declared:
        stem = re.sub(r"[^a-z0-9]+", "_", re.split(r"[/\\]", path)[-1].split(".")[0].lower()).strip("_")
        first = f"kinds_file_{stem}" if stem else "kinds_file"
        names = (first, *(f"{first}_{number}" for number in range(2, len(declared) + 3)))
        declared[made] = next(name for name in names if name not in declared.values())
    return declared[made]


def declarations(declared: dict[str, str]) -> list[SqlText]:
    """The statements that create the tables over files if they do not exist.

    Such a table stores no rows in Spark, and dropping it leaves the file.
    """
    if not declared:
        return []
    texts = [f"create schema if not exists {_SCHEMA}"]
    texts += [f"create table if not exists {_SCHEMA}.{name}{made}" for made, name in declared.items()]
    return [SqlText(text, is_jinja=True) for text in texts]
