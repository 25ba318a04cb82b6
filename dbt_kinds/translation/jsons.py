"""JSON, which is a text in Spark 3.5."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.calls import call
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.renamed import from_template
from dbt_kinds.translation.rewrites import rewrites
from dbt_kinds.translation.value_types import LISTS, type_of

_LENGTH = "IF({0} IS NULL, NULL, COALESCE(JSON_ARRAY_LENGTH({0}), 0))"
_PARTS_OF_URLS = {
    "fragment": "REF",
    "host": "HOST",
    "parameters": "QUERY",
    "query": "QUERY",
    "scheme": "PROTOCOL",
}
_TAKE_FUNCTIONS = ("APPLY", "FILTER", "REDUCE", "TRANSFORM", "COLUMNS")


@rewrites(exp.Lambda, dialects={"duckdb"})
def extracted(node: exp.Lambda, dialect: str) -> exp.Expr:
    """`f(js -> 'key')`, which sqlglot reads as a function of js."""
    is_key = isinstance(node.this, exp.Literal) and len(node.expressions) == 1
    if not is_key or not isinstance(node.parent, exp.Anonymous) or node.parent.name.upper().endswith(_TAKE_FUNCTIONS):
        return node
    key = node.this.name
    path = f"$[{key}]" if node.this.is_int else key if key.startswith("$") else f"$.{key}"
    return call("GET_JSON_OBJECT", exp.column(node.expressions[0].name), exp.Literal.string(path))


@rewrites(exp.JSONExtract, exp.JSONExtractScalar, exp.JSONValue)
def at_path(node: exp.Expr, dialect: str) -> exp.Expr:
    """`json_value(js, 'lax $.a')`, and what is read of a struct of Snowflake's.

    Raises:
        NotInSpark: Spark's paths have no such step.
    """
    path = node.args.get("path") or node.args.get("expression")
    if isinstance(path, exp.Literal) and path.is_string:
        mode, _, rest = path.name.partition(" $")
        if mode == "lax":
            path.set("this", f"${rest}")
        if mode == "strict" or "#" in path.name:
            raise NotInSpark(f"the path '{path.name}' of JSON has no counterpart in Spark", node)
    if isinstance(node.this, exp.ParseUrl) and isinstance(path, exp.JSONPath):
        return _part_of_url(node.this, [part.name for part in path.expressions[1:]], node)
    if isinstance(node.this, exp.Struct):
        node.set("this", call("TO_JSON", node.this))
    is_plain = isinstance(node, exp.JSONValue) and node.args.keys() <= {"this", "path", "returning"}
    if is_plain and isinstance(path, exp.Expr) and not node.args.get("returning"):
        return call("GET_JSON_OBJECT", node.this, path)
    return node


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
    return _at(node.this, [key.strip().strip('"') for key in keys[1:-1].split(",")])


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
        given = path[0].name
        lists = call("GET_JSON_OBJECT", lists, exp.Literal.string(given if given.startswith("$") else f"$.{given}"))
    return from_template(_LENGTH, lists)


@rewrites(exp.JSONKeys, dialects={"duckdb"})
def keys(node: exp.JSONKeys, dialect: str) -> exp.Expr:
    """`json_keys(js)`: none of what is no object."""
    return from_template("IF({0} IS NULL, NULL, COALESCE(JSON_OBJECT_KEYS({0}), ARRAY()))", node.this)


@rewrites(exp.JSONFormat)
def written(node: exp.JSONFormat, dialect: str) -> exp.Expr:
    """`json_format(json)`, which is one already if it was parsed, or extracted."""
    is_json = isinstance(node.this.unnest(), exp.JSONExtract | exp.ParseJSON) or (
        isinstance(node.this, exp.Anonymous) and node.this.name.upper() == "GET_JSON_OBJECT"
    )
    return node.this if is_json else node
