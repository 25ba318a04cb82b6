"""JSON, which is a text in Spark 3.5."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.calls import call
from dbt_kinds.translation.renamed import from_template
from dbt_kinds.translation.rewrites import rewrites

_LENGTH = "IF({0} IS NULL, NULL, COALESCE(JSON_ARRAY_LENGTH({0}), 0))"
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
