"""JSON, which is a text in Spark 3.5."""

from __future__ import annotations

import re
from json import loads

from sqlglot import exp
from sqlglot.errors import ParseError

from dbt_kinds.translation.calls import call, holder_of, unless_null
from dbt_kinds.translation.dialects import TRINO_FAMILY
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.renamed import from_template
from dbt_kinds.translation.rewrites import rewrites
from dbt_kinds.translation.value_types import DECIMALS, LISTS, NUMBERS, TEXTS, TIMES, type_of

_LENGTH = "IF({0} IS NULL, NULL, COALESCE(JSON_ARRAY_LENGTH({0}), 0))"
_PARTS_OF_URLS = {
    "fragment": "REF",
    "host": "HOST",
    "parameters": "QUERY",
    "query": "QUERY",
    "scheme": "PROTOCOL",
}
_KEEPS_NULL_FIELDS = TRINO_FAMILY | {"bigquery", "duckdb", "postgres"}
_PLAIN = TEXTS | NUMBERS | {exp.DType.BOOLEAN, exp.DType.DATE}
_NULL_IS_WRITTEN = frozenset({"bigquery"})
_TAKE_FUNCTIONS = ("APPLY", "FILTER", "REDUCE", "TRANSFORM", "COLUMNS")


@rewrites(exp.Lambda, dialects={"duckdb"})
def extracted(node: exp.Lambda, dialect: str) -> exp.Expr:
    """`f(js -> 'key')`, which sqlglot reads as a function of js."""
    is_key = isinstance(node.this, exp.Literal) and len(node.expressions) == 1
    name = node.parent.name.upper() if isinstance(node.parent, exp.Anonymous) else ""
    takes_function = name.endswith(_TAKE_FUNCTIONS) and not name.startswith("JSON")
    if not is_key or takes_function or not isinstance(node.parent, exp.Anonymous | exp.FromJson):
        return node
    key = node.this.name
    return call("GET_JSON_OBJECT", exp.column(node.expressions[0].name), exp.Literal.string(_path(key)))


def _path(given: str) -> str:
    """A path of DuckDB's: one that begins with a dollar, or a key."""
    return given if given.startswith("$") else f"${step(given)}"


@rewrites(exp.JSONExtract, exp.JSONExtractScalar, exp.JSONValue)
def at_path(node: exp.Expr, dialect: str) -> exp.Expr:
    """`json_value(js, 'lax $.a')`, and what is read of a struct of Snowflake's.

    Raises:
        NotInSpark: Spark's paths have no such step.
    """
    path = node.args.get("path") or node.args.get("expression")
    if isinstance(path, exp.Neg):
        raise NotInSpark("a place in JSON that is counted from its end has no counterpart in Spark", node)
    if isinstance(path, exp.Literal) and path.is_string:
        mode, _, rest = path.name.partition(" $")
        if mode == "lax":
            path.set("this", f"${rest}")
        if mode == "strict" or "#" in path.name or path.name.startswith("/"):
            raise NotInSpark(f"the path '{path.name}' of JSON has no counterpart in Spark", node)
    if dialect == "duckdb" and isinstance(path, exp.JSONPath) and path.find(exp.JSONPathWildcard):
        raise NotInSpark("a path with * makes a list in duckdb, and JSON in Spark; write from_json()", node)
    if isinstance(path, exp.Array):
        raise NotInSpark("a list of paths of JSON has no counterpart in Spark; write array() of each", node)
    if isinstance(node.this, exp.ParseUrl) and isinstance(path, exp.JSONPath):
        return _part_of_url(node.this, [part.name for part in path.expressions[1:]], node)
    if isinstance(node.this, exp.Struct):
        node.set("this", call("TO_JSON", node.this))
    if not isinstance(node, exp.JSONValue) or not isinstance(path, exp.Expr) or node.args.get("on_condition"):
        return node
    value = call("GET_JSON_OBJECT", node.this, path)
    kind = node.args.get("returning")
    return exp.TryCast(this=value, to=kind.copy(), safe=True) if isinstance(kind, exp.DataType) else value


def unwrap_nulls(tree: exp.Expr) -> exp.Expr:
    """The tree, in which `js->>'$.items[0]'` is NULL where the item is: Spark's is the text null."""
    for node in list(tree.find_all(exp.Anonymous, exp.JSONExtract, exp.JSONExtractScalar)):
        if not _ends_with_item(node) or _reads_json(holder_of(node)):
            continue
        value = exp.Nullif(this=node.copy(), expression=exp.Literal.string("null"))
        if node is tree:
            return value
        node.replace(value)
    return tree


def _ends_with_item(node: exp.Expr) -> bool:
    if isinstance(node, exp.Anonymous):
        is_call = node.name.upper() == "GET_JSON_OBJECT" and len(node.expressions) == 2
        return is_call and re.search(r"\[\d+\]$", node.expressions[1].name) is not None
    path = node.expression
    last = path.expressions[-1] if isinstance(path, exp.JSONPath) and path.expressions else None
    return isinstance(last, exp.JSONPathSubscript) and isinstance(last.this, int)


def _reads_json(holder: exp.Expr | None) -> bool:
    is_call = isinstance(holder, exp.Anonymous) and "JSON" in holder.name.upper()
    return is_call or isinstance(holder, exp.JSONExtract | exp.JSONExtractScalar)


def _part_of_url(url: exp.ParseUrl, keys: list[str], node: exp.Expr) -> exp.Expr:
    """`parse_url(url):host` of Snowflake, which makes an object of a URL."""
    name, *parameter = (key.lower() for key in keys)
    part = _PARTS_OF_URLS.get(name)
    if part is None or len(parameter) != (name == "parameters"):
        raise NotInSpark(f"the part {'.'.join(keys)} of a URL has no counterpart in Spark; write parse_url()", node)
    return call("PARSE_URL", url.this, *(exp.Literal.string(word) for word in (part, *keys[1:])))


@rewrites(exp.JSONBExtract, exp.JSONBExtractScalar)
def at_keys(node: exp.JSONBExtract | exp.JSONBExtractScalar, dialect: str) -> exp.Expr:
    """`js #>> '{a,0}'` of Postgres.

    Raises:
        NotInSpark: the keys are no literal.
    """
    keys = node.expression.name
    if not node.expression.is_string or not keys.startswith("{") or not keys.endswith("}"):
        raise NotInSpark("a path of JSON that is no literal has no counterpart in Spark; write it out", node)
    return _at(node.this, [key.strip().strip('"') for key in keys[1:-1].split(",") if key.strip()])


@rewrites("JSON_EXTRACT_PATH", "JSONB_EXTRACT_PATH", "JSONB_EXTRACT_PATH_TEXT", dialects={"postgres"})
def at_arguments(node: exp.Anonymous, dialect: str) -> exp.Expr:
    """`jsonb_extract_path_text(js, 'a', '0')`."""
    json, *keys = node.expressions
    if not keys or not all(key.is_string for key in keys):
        raise NotInSpark("a path of JSON that is no literal has no counterpart in Spark; write it out", node)
    return _at(json, [key.name for key in keys])


def _at(json: exp.Expr, keys: list[str]) -> exp.Expr:
    return call("GET_JSON_OBJECT", json, exp.Literal.string("$" + "".join(step(key) for key in keys)))


def step(key: str) -> str:
    """A step of a path; digits are a place in a list, from 0."""
    return f"[{key}]" if key.isdigit() else f".{key}" if key.replace("_", "").isalnum() else f"['{key}']"


@rewrites(exp.JSONExtractArray, exp.JSONValueArray)
def listed(node: exp.JSONExtractArray | exp.JSONValueArray, dialect: str) -> exp.Expr:
    """`json_value_array(js, path)`: the items as texts."""
    path = node.expression
    json = node.this if path is None else exp.JSONExtract(this=node.this.copy(), expression=path.copy())
    made = call("FROM_JSON", json, exp.Literal.string("ARRAY<STRING>"))
    made.type = exp.DataType(this=exp.DType.ARRAY)
    return made


@rewrites(exp.GetExtract, dialects={"snowflake"})
def item(node: exp.GetExtract, dialect: str) -> exp.Expr:
    """`get(list, 0)`, also of JSON."""
    return call("GET", node.this, node.expression) if type_of(node.this) in LISTS else node


@rewrites("JSON_ARRAY_LENGTH", dialects={"duckdb"})
def length(node: exp.Anonymous, dialect: str) -> exp.Expr:
    """`json_array_length(js, path)`: 0 of what is no list."""
    lists, *path = node.expressions
    if path:
        lists = call("GET_JSON_OBJECT", lists, exp.Literal.string(_path(path[0].name)))
    return from_template(_LENGTH, lists)


@rewrites(exp.String, dialects={"bigquery"})
def text_of(node: exp.String, dialect: str) -> exp.Expr:
    """`string(json)`, the text that the JSON is, without its quotes."""
    return call("GET_JSON_OBJECT", node.this.this, exp.Literal.string("$")) if _is_parsed(node.this) else node


@rewrites(exp.Dot, dialects={"bigquery"})
def field_of(node: exp.Dot, dialect: str) -> exp.Expr:
    """`parse_json(js).a`.

    Raises:
        NotInSpark: always; of columns it is not known.
    """
    if _is_parsed(node.this):
        raise NotInSpark("a field of JSON behind a dot has no counterpart in Spark; write json_value()", node)
    return node


def _is_parsed(value: exp.Expr) -> bool:
    return isinstance(value.unnest(), exp.ParseJSON)


@rewrites(exp.JSONKeys, dialects={"snowflake"})
def keys_of_struct(node: exp.JSONKeys, dialect: str) -> exp.Expr:
    """`object_keys(object_construct(…))`."""
    return call("JSON_OBJECT_KEYS", call("TO_JSON", node.this)) if isinstance(node.this, exp.Struct) else node


@rewrites(exp.JSONKeys, dialects={"duckdb"})
def keys(node: exp.JSONKeys, dialect: str) -> exp.Expr:
    """`json_keys(js, path)`: none of what is no object."""
    path = node.args.get("expression")
    js = node.this if path is None else exp.JSONExtract(this=node.this.copy(), expression=path.copy())
    return from_template("IF({0} IS NULL, NULL, COALESCE(JSON_OBJECT_KEYS({0}), ARRAY()))", js)


@rewrites(exp.JSONFormat)
def written(node: exp.JSONFormat, dialect: str) -> exp.Expr:
    """`json_format(json)`, which is one already if it was parsed, or extracted."""
    value: exp.Expr = node.this
    is_json = isinstance(value.unnest(), exp.JSONExtract | exp.ParseJSON) or (
        isinstance(value, exp.Anonymous) and value.name.upper() in ("GET_JSON_OBJECT", "TO_JSON")
    )
    if is_json:
        return value
    return node if node.args.get("options") else as_json(node, value, dialect)


@rewrites("TO_JSON", dialects={"duckdb", "postgres"})
def json_of(node: exp.Anonymous, dialect: str) -> exp.Expr:
    """`to_json(value)`."""
    return as_json(node, node.expressions[0], dialect) if len(node.expressions) == 1 else node


def as_json(node: exp.Expr, value: exp.Expr, dialect: str) -> exp.Expr:
    """A value as JSON, where a struct keeps its fields that are NULL; Spark leaves them out."""
    kind = type_of(value)
    if kind in TIMES:
        raise NotInSpark("a time becomes JSON in another form in Spark; make a text of it first", node)
    if kind in _PLAIN and dialect in _KEEPS_NULL_FIELDS:
        if kind in DECIMALS and dialect == "duckdb":
            value = exp.cast(value.unnest().copy(), "double")
        # Spark's TO_JSON takes no such value
        written = from_template("SUBSTRING(TO_JSON(ARRAY({0})), 2, LENGTH(TO_JSON(ARRAY({0}))) - 2)", value)
        return written if dialect in _NULL_IS_WRITTEN else unless_null(value, written)
    is_plain_list = isinstance(value, exp.Array) and not value.find(exp.Struct)
    is_plain_type = kind in LISTS and value.type is not None and "STRUCT" not in value.type.sql()
    if dialect not in _KEEPS_NULL_FIELDS or is_plain_list or is_plain_type or isinstance(value, exp.Map | exp.VarMap):
        return node
    return call("TO_JSON", value, from_template("MAP('ignoreNullFields', 'false')"))


@rewrites(exp.FromJson, dialects={"duckdb"})
def read(node: exp.FromJson, dialect: str) -> exp.Expr:
    """`from_json(js, '["VARCHAR"]')`, whose type is written in JSON.

    Raises:
        NotInSpark: it is no literal.
    """
    return _read(node, node.this, node.expression)


@rewrites("JSON_TRANSFORM", dialects={"duckdb"})
def transformed(node: exp.Anonymous, dialect: str) -> exp.Expr:
    """`json_transform(js, '{"a": "INTEGER"}')`, the other name."""
    return _read(node, *node.expressions) if len(node.expressions) == 2 else node


def _read(node: exp.Expr, json: exp.Expr, given: exp.Expr) -> exp.Expr:
    try:
        kind = _type(loads(given.name))
    except (ParseError, ValueError) as error:
        message = "the type of FROM_JSON is no literal as '[\"VARCHAR\"]'; Spark has 'ARRAY<STRING>'"
        raise NotInSpark(message, node) from error
    return of_json(json, kind)


def of_json(json: exp.Expr, kind: exp.DataType) -> exp.Expr:
    """JSON as a list or a struct."""
    made = call("FROM_JSON", json, exp.Literal.string(kind.sql(dialect="spark")))
    made.type = kind.copy()
    return made


def _type(given: object) -> exp.DataType:
    if isinstance(given, list) and len(given) == 1:
        return exp.DataType(this=exp.DType.ARRAY, nested=True, expressions=[_type(given[0])])
    if isinstance(given, dict):
        fields = [exp.ColumnDef(this=exp.to_identifier(name), kind=_type(kind)) for name, kind in given.items()]
        return exp.DataType(this=exp.DType.STRUCT, nested=True, expressions=fields)
    return exp.DataType.build(str(given), dialect="duckdb")
