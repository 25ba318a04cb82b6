"""Functions unknown to sqlglot, or misread by it, as Spark expressions with the same arguments."""

from __future__ import annotations

from functools import lru_cache

from sqlglot import exp

from dbt_kinds.translation.dialects import TRINO_FAMILY, parse_expression

# typed arguments are preserved: lists keep NULL, unless ARRAY_COMPACT removes it
_HAS_ANY = "ARRAYS_OVERLAP(ARRAY_COMPACT({0}), ARRAY_COMPACT({1}))"
_HAS_ALL = "SIZE(ARRAY_EXCEPT(ARRAY_COMPACT({1}), {0})) = 0"
_REVERSE = "REVERSE({0})"
_UNIQUE = "ARRAY_SIZE(ARRAY_DISTINCT(ARRAY_COMPACT({0})))"
_CONCATENATED = "CONCAT(COALESCE({0}, ARRAY()), COALESCE({1}, ARRAY()))"
_NOW = "CURRENT_TIMESTAMP()"
_TEMPLATES: dict[str, dict[str, str]] = {
    "bigquery": {
        "ARRAY_AVG": "(AGGREGATE(ARRAY_COMPACT({0}), 0D, (a, x) -> a + x) / NULLIF(SIZE(ARRAY_COMPACT({0})), 0))",
        "ARRAY_IS_DISTINCT": "(ARRAY_SIZE(ARRAY_DISTINCT({0})) = ARRAY_SIZE({0}))",
        "FLOAT": "CAST({0} AS DOUBLE)",
        "FLOAT64": "CAST({0} AS DOUBLE)",
        "DOUBLE": "CAST({0} AS DOUBLE)",
        "INT64": "CAST({0} AS BIGINT)",
    },
    "duckdb": {
        "ADD": "({0} + {1})",
        "ARRAY_HAS_ANY": _HAS_ANY,
        "ARRAY_UNIQUE": _UNIQUE,
        "BASE64": r"REPLACE(BASE64({0}), '\r\n', '')",
        "EPOCH_US": "UNIX_MICROS(CAST({0} AS TIMESTAMP))",
        "COUNT_STAR": "COUNT(*)",
        "ERROR": "RAISE_ERROR({0})",
        "FDIV": "FLOOR({0} / {1})",
        "GET_CURRENT_TIMESTAMP": _NOW,
        "ISFINITE": "(NOT ISNAN({0}) AND ABS({0}) < DOUBLE('Infinity'))",
        "ISOYEAR": "EXTRACT(YEAROFWEEK FROM {0})",
        "LIST_CAT": _CONCATENATED,
        "LIST_COUNT": "ARRAY_SIZE(ARRAY_COMPACT({0}))",
        "LIST_FIRST": "TRY_ELEMENT_AT({0}, 1)",
        "LIST_HAS_ALL": _HAS_ALL,
        "LIST_INTERSECT": "ARRAY_INTERSECT({0}, {1})",
        "LIST_LAST": "TRY_ELEMENT_AT({0}, -1)",
        "LIST_REVERSE": _REVERSE,
        "LIST_UNIQUE": _UNIQUE,
        "MAP_CONTAINS": "MAP_CONTAINS_KEY({0}, {1})",
        "MULTIPLY": "({0} * {1})",
        "PREFIX": "STARTSWITH({0}, {1})",
        "REGEXP_SPLIT_TO_ARRAY": "SPLIT({0}, {1})",
        "ROUND_EVEN": "BROUND({0}, {1})",
        "STRLEN": "OCTET_LENGTH({0})",
        "SUBTRACT": "({0} - {1})",
        "SUFFIX": "ENDSWITH({0}, {1})",
        "TO_HOURS": "({0} * INTERVAL '1' HOUR)",
        "TO_MINUTES": "({0} * INTERVAL '1' MINUTE)",
        "TO_MONTHS": "({0} * INTERVAL '1' MONTH)",
        "TO_SECONDS": "({0} * INTERVAL '1' SECOND)",
        "TO_WEEKS": "({0} * INTERVAL '7' DAY)",
        "TO_YEARS": "({0} * INTERVAL '1' YEAR)",
        "TRANSACTION_TIMESTAMP": _NOW,
        "URL_DECODE": "URL_DECODE(REPLACE({0}, '+', '%2B'))",
        "URL_ENCODE": "REPLACE(REPLACE(REPLACE(URL_ENCODE({0}), '+', '%20'), '*', '%2A'), '%7E', '~')",
        "YEARWEEK": "(EXTRACT(YEAROFWEEK FROM {0}) * 100 + WEEKOFYEAR({0}))",
    },
    "trino": {
        "ALL_MATCH": "FORALL({0}, {1})",
        "ANY_MATCH": "EXISTS({0}, {1})",
        "CODEPOINT": "ASCII({0})",
        "NONE_MATCH": "(NOT EXISTS({0}, {1}))",
        "REGEXP_POSITION": "IF(REGEXP_INSTR({0}, {1}) = 0, -1, REGEXP_INSTR({0}, {1}))",
        "TRIM_ARRAY": "SLICE({0}, 1, SIZE({0}) - {1})",
        "YOW": "EXTRACT(YEAROFWEEK FROM {0})",
    },
    "tsql": {"GETUTCDATE": _NOW, "SYSDATETIMEOFFSET": _NOW, "SYSUTCDATETIME": _NOW},
    "postgres": {
        "CLOCK_TIMESTAMP": _NOW,
        "CONVERT_FROM": "DECODE({0}, {1})",
        "CONVERT_TO": "ENCODE({0}, {1})",
        "JSONB_ARRAY_LENGTH": "JSON_ARRAY_LENGTH({0})",
        "REGEXP_SPLIT_TO_ARRAY": "SPLIT({0}, {1})",
        "REGEXP_SPLIT_TO_TABLE": "EXPLODE(SPLIT({0}, {1}))",
        "SHA224": "UNHEX(SHA2({0}, 224))",
        "SHA384": "UNHEX(SHA2({0}, 384))",
        "STATEMENT_TIMESTAMP": _NOW,
        "TRANSACTION_TIMESTAMP": _NOW,
    },
}


def renamed(node: exp.Expr, dialect: str) -> exp.Expr:
    """The call as a Spark expression, or unchanged if there is no template for its name and number of arguments."""
    found = _template("trino" if dialect in TRINO_FAMILY else dialect, node.name.upper())
    if found is None or found[1] != len(node.expressions):
        return node
    return filled(found[0], *node.expressions)


def from_template(template: str, *arguments: exp.Expr) -> exp.Expr:
    """A Spark expression in which `{0}` is replaced by the first argument."""
    return filled(_parsed(template), *arguments)


def filled(tree: exp.Expr, *arguments: exp.Expr) -> exp.Expr:
    """A parsed template with its arguments inserted."""

    def put(node: exp.Expr) -> exp.Expr:
        number = _number(node)
        if number is None:
            return node
        value = arguments[number].copy()
        return exp.paren(value) if isinstance(value, exp.Binary) and isinstance(node.parent, exp.Binary) else value

    return tree.copy().transform(put)


@lru_cache(maxsize=512)
def _template(dialect: str, name: str) -> tuple[exp.Expr, int] | None:
    text = _TEMPLATES.get(dialect, {}).get(name)
    if text is None:
        return None
    tree = _parsed(text)
    numbers = {number for node in tree.walk() if (number := _number(node)) is not None}
    return tree, len(numbers)


@lru_cache(maxsize=512)
def _parsed(template: str) -> exp.Expr:
    tree = parse_expression(template.format(*(f"_argument_{number}" for number in range(5))), "spark")
    tree = tree.transform(_size)
    return tree.unnest() if isinstance(tree, exp.Paren) else tree


def _size(node: exp.Expr) -> exp.Expr:
    """SIZE as sqlglot writes it is -1 of NULL, but in ANSI mode."""
    return exp.Anonymous(this="ARRAY_SIZE", expressions=[node.this]) if isinstance(node, exp.ArraySize) else node


def _number(node: exp.Expr) -> int | None:
    is_argument = isinstance(node, exp.Column) and node.name.startswith("_argument_")
    return int(node.name.removeprefix("_argument_")) if is_argument else None
