"""SQL dialects: their families, parsing of their statements, and parse errors with positions."""

from __future__ import annotations

import re
from functools import lru_cache

from sqlglot import Dialect, ErrorLevel, Token, TokenType, exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.dialects.spark import Spark
from sqlglot.errors import ParseError, SqlglotError

from dbt_kinds.translation.parsed_comments import parse_with_comments

SPARK_FAMILY = frozenset({"spark", "spark2", "databricks", "hive"})
_REAL_IS_SHORT = frozenset({"tsql", "fabric"})
# a truth is 1 or 0 there
BITS_ARE_NUMBERS = frozenset({"fabric", "tsql"})
TRINO_FAMILY = frozenset({"trino", "presto", "athena"})
# functions whose first argument is a part of a time, and the abbreviations of its names
_TAKE_PARTS = frozenset({"DATEADD", "DATEDIFF", "DATEDIFF_BIG", "DATENAME", "DATEPART", "DATETRUNC"})
_PARTS = {
    **{"YY": "year", "YYYY": "year", "QQ": "quarter", "Q": "quarter", "MM": "month", "M": "month"},
    **{"DY": "dayofyear", "Y": "dayofyear", "DD": "day", "D": "day", "WK": "week", "WW": "week"},
    **{"DW": "weekday", "W": "weekday", "HH": "hour", "MI": "minute", "N": "minute", "SS": "second", "S": "second"},
    **{"MS": "millisecond", "MCS": "microsecond", "ISOWK": "iso_week", "ISOWW": "iso_week"},
}
_BEGIN_LITERALS = frozenset({TokenType.DATE, TokenType.TIMESTAMP, TokenType.TIMESTAMPTZ, TokenType.TIMESTAMPNTZ})


def is_spark(dialect: str) -> bool:
    """Whether text of this dialect is already Spark's, and can be kept."""
    return dialect in SPARK_FAMILY


# a text behind -> is a key there, whatever is in it; in DuckDB unless it begins with a dollar
_TAKES_KEYS = frozenset({"duckdb", "postgres"})


# what a match that DuckDB's `~` makes has in its meta
BY_OPERATOR = "by_operator"
_HAS_NO_VARIABLES = "has_no_variables"


class _DuckDBParser(DuckDB.Parser):  # type: ignore[misc, valid-type]
    """Remembers of DuckDB's `~` that it was no call: what it matches depends on DuckDB's version."""

    def _parse_tilde(self, this: exp.Expr | None) -> exp.Expr | None:
        found: exp.Expr | None = super()._parse_tilde(this)
        if found is not None:
            found.meta[BY_OPERATOR] = True
        return found


@lru_cache(maxsize=64)
def dialect_of(name: str) -> Dialect:
    """sqlglot's dialect with a name, which reads `js -> 'a.b'` as one key where the dialect does."""
    dialect = Dialect.get_or_raise(name)
    if isinstance(dialect, DuckDB):
        dialect.parser_class = _DuckDBParser
    if name in _TAKES_KEYS:
        path_of = dialect.to_json_path
        dialect.to_json_path = lambda path: _key(path, name) or path_of(path)  # type: ignore[method-assign]
    return dialect


def _key(path: exp.Expr | None, dialect: str) -> exp.JSONPath | None:
    """A path of JSON that is one key, or a few in DuckDB's other form `/a/b`; None of others."""
    if not isinstance(path, exp.Literal) or not path.is_string:
        return None
    begin = path.name[:1] if dialect == "duckdb" else ""
    keys = path.name.split("/")[1:] if begin == "/" else [path.name]
    if begin == "$" or not all(keys) or (begin == "/" and any(key.isdigit() or "~" in key for key in keys)):
        return None
    return exp.JSONPath(expressions=[exp.JSONPathRoot(), *(exp.JSONPathKey(this=key) for key in keys)])


class ParseFailure(Exception):  # noqa: N818 - becomes a CompileError with a place
    """A text that does not parse: the error, and its offset in the text."""

    def __init__(self, message: str, offset: int) -> None:
        """`message` is the error, `offset` its position in the text."""
        super().__init__(message)
        self.message = message
        self.offset = offset


_RECURSES_UNSAID = frozenset({"fabric", "oracle", "snowflake", "tsql"})


def parse_statement(text: str, dialect: str) -> exp.Expr:
    """Parses one statement.

    Raises:
        ParseFailure: it does not parse, or is not one statement.
    """
    try:
        of = dialect_of(dialect)
        trees = parse_with_comments(_tokens(of, text, dialect), lambda tokens: of.parser().parse(tokens, text))
    except ParseError as error:
        detail = error.errors[0] if error.errors else {}
        message = str(detail.get("description") or first_line(error))
        raise ParseFailure(
            f"{message}, at '{detail.get('highlight') or ''}'" if detail.get("highlight") else message,
            _offset(text, int(detail.get("line") or 1), int(detail.get("col") or 1)),
        ) from error
    except (SqlglotError, RecursionError) as error:
        raise ParseFailure(first_line(error), 0) from error
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, AssertionError) as error:
        # sqlglot's parser expects mostly valid SQL; malformed SQL makes it fail on its own nodes
        raise ParseFailure(f"sqlglot cannot read it ({type(error).__name__}: {first_line(error)})", 0) from error
    if len(trees) != 1:
        raise ParseFailure("expected one statement" if trees else "nothing but comments", 0)
    return _with_recursion(trees[0], dialect)


def _with_recursion(tree: exp.Expr, dialect: str) -> exp.Expr:
    """Says RECURSIVE where a dialect leaves it out."""
    for with_ in tree.find_all(exp.With) if dialect in _RECURSES_UNSAID else ():
        if any(map(_reads_itself, with_.expressions)):
            with_.set("recursive", True)
    return tree


def _reads_itself(cte: exp.CTE) -> bool:
    tables = cte.this.find_all(exp.Table) if isinstance(cte.this, exp.SetOperation) else ()
    return any(len(table.parts) == 1 and table.name.lower() == cte.alias.lower() for table in tables)


def _tokens(of: Dialect, text: str, dialect: str) -> list[Token]:
    """Tokenizes a text; T-SQL's REAL, which sqlglot reads as its 8-byte FLOAT, becomes FLOAT(24), and `dateadd(y, …)`
    gets the name of its part, which sqlglot takes for a year.
    """
    tokens = _with_whole_literals(of.tokenize(text))
    if dialect in TRINO_FAMILY:
        return _with_decimals(tokens)
    if dialect not in _REAL_IS_SHORT:
        return tokens
    found: list[Token] = []
    for number, token in enumerate(tokens):
        is_part = number > 1 and tokens[number - 2].text.upper() in _TAKE_PARTS and tokens[number - 1].text == "("
        name = _PARTS.get(token.text.upper()) if is_part else None
        if name is not None:
            token = Token(TokenType.VAR, name, token.line, token.col, token.start, token.end, token.comments)
        found.append(token)
        if token.token_type is TokenType.FLOAT and token.text.upper() == "REAL":
            found += [
                Token(kind, written, token.line, token.col, token.start, token.end)
                for kind, written in ((TokenType.L_PAREN, "("), (TokenType.NUMBER, "24"), (TokenType.R_PAREN, ")"))
            ]
    return found


def _with_whole_literals(tokens: list[Token]) -> list[Token]:
    """`DATE '2024-01-31'::TEXT` with parentheses around the date; sqlglot casts the string first."""
    found: list[Token] = []
    for number, token in enumerate(tokens):
        next_kind = tokens[number + 1].token_type if number + 1 < len(tokens) else None
        before = found[-1] if found else None
        is_literal = before is not None and before.token_type in _BEGIN_LITERALS
        if token.token_type is TokenType.STRING and is_literal and next_kind is TokenType.DCOLON:
            kind = found.pop()
            opened, closed = (
                Token(paren, written, token.line, token.col, kind.start, token.end)
                for paren, written in ((TokenType.L_PAREN, "("), (TokenType.R_PAREN, ")"))
            )
            found += [opened, kind, token, closed]
        else:
            found.append(token)
    return found


def _with_decimals(tokens: list[Token]) -> list[Token]:
    """`DECIMAL '1.50'` as the number 1.50; sqlglot reads a cast to a decimal without digits behind the point."""
    found: list[Token] = []
    for token in tokens:
        if token.token_type is TokenType.STRING and found and found[-1].token_type is TokenType.DECIMAL:
            before = found.pop()
            token = Token(TokenType.NUMBER, token.text, token.line, token.col, before.start, token.end)
        found.append(token)
    return found


def parse_type(text: str, dialect: str) -> exp.DataType:
    """Parses a type name.

    Raises:
        SqlglotError, ValueError, AttributeError: it is not a type.
    """
    written = re.sub(r"(?i)\breal\b", "FLOAT(24)", text) if dialect in _REAL_IS_SHORT else text
    found: exp.DataType = exp.DataType.build(written, dialect=dialect)
    return found


# words that Spark 3.5.9 rejects as table alias, or as column; sqlglot quotes none of them
_NEED_QUOTES = (
    "anti cross except false full inner intersect join lateral left minus natural null on right semi true union using"
)


_NEGATED: dict[type[exp.Expr], str] = {exp.Between: "BETWEEN", exp.In: "IN", exp.Is: "IS", exp.RegexpLike: "RLIKE"}


class _SparkGenerator(Spark.Generator):  # type: ignore[misc, valid-type]
    """Keeps WITH in place: sqlglot's own generator merges them at the top, where two with the same name clash."""

    RESERVED_KEYWORDS: frozenset[str] = frozenset(_NEED_QUOTES.split())
    EXPRESSIONS_WITHOUT_NESTED_CTES: frozenset[type[exp.Expr]] = frozenset()

    def literal_sql(self, expression: exp.Literal) -> str:
        """A literal; in `${x}` Spark would look for a variable, and it reads `\\{` as `{`."""
        written = str(super().literal_sql(expression))
        return written.replace("${", r"$\{") if expression.meta.get(_HAS_NO_VARIABLES) else written

    def not_sql(self, expression: exp.Not) -> str:
        """`x IS NOT NULL`, as people write it; sqlglot writes `NOT x IS NULL`."""
        operator = _NEGATED.get(type(expression.this))
        if operator is not None:
            left, whole = self.sql(expression.this, "this"), self.sql(expression.this)
            begin = f"{left} {operator} "
            if whole.startswith(begin):
                negated = "IS NOT" if operator == "IS" else f"NOT {operator}"
                return f"{left} {negated} {whole.removeprefix(begin)}"
        return str(super().not_sql(expression))

    def paren_sql(self, expression: exp.Paren) -> str:
        """What is in parentheses on the same line, if it fits there."""
        inner = self.sql(expression, "this")
        if "\n" in inner or self.too_wide([inner]):
            return str(super().paren_sql(expression))
        return f"({inner})"

    def filter_sql(self, expression: exp.Filter) -> str:
        """`FILTER(WHERE x)` on one line."""
        where = expression.expression
        if where.comments:
            return str(super().filter_sql(expression))
        return f"{self.sql(expression, 'this')} FILTER(WHERE {self.sql(where, 'this')})"

    def case_sql(self, expression: exp.Case) -> str:
        """A CASE with the comments of its conditions above them; sqlglot's own generator leaves these out."""
        operand, default = self.sql(expression, "this"), self.sql(expression, "default")
        lines = [f"CASE {operand}" if operand else "CASE"]
        for branch in expression.args["ifs"]:
            lines += [self.maybe_comment("", comments=[comment]) for comment in branch.comments or ()]
            lines += [f"WHEN {self.sql(branch, 'this')}", f"THEN {self.sql(branch, 'true')}"]
        lines += [*([f"ELSE {default}"] if default else []), "END"]
        has_comments = any(branch.comments for branch in expression.args["ifs"])
        if self.pretty and (has_comments or self.too_wide(lines)):
            return str(self.indent("\n".join(map(str.strip, lines)), skip_first=True, skip_last=True))
        return " ".join(map(str.strip, lines))


def keep_from_substitution(tree: exp.Expr) -> None:
    """Marks the literals of another dialect, in which `${x}` is no variable of Spark's."""
    for literal in tree.find_all(exp.Literal):
        if "${" in literal.name:
            literal.meta[_HAS_NO_VARIABLES] = True


def spark_sql(tree: exp.Expr, *, pretty: bool = False) -> str:
    """Generates SQL for Spark.

    Raises:
        SqlglotError: a part of it cannot be written.
    """
    generator = _SparkGenerator(dialect=dialect_of("spark"), pretty=pretty, unsupported_level=ErrorLevel.RAISE)
    return str(generator.generate(tree))


def parse_expression(text: str, dialect: str) -> exp.Expr:
    """Parses one expression, with or without an alias.

    Raises:
        ParseFailure: it does not parse as one expression.
    """
    tree = parse_statement(f"SELECT {text}", dialect)
    if not isinstance(tree, exp.Select) or len(tree.expressions) != 1 or set(_present(tree)) != {"expressions"}:
        raise ParseFailure(f"'{text}' is not one expression", 0)
    found: exp.Expr = tree.expressions[0]
    return found


def _present(tree: exp.Expr) -> list[str]:
    return [name for name, value in tree.args.items() if value]


def _offset(text: str, line: int, column: int) -> int:
    lines = text.split("\n")
    return sum(len(before) + 1 for before in lines[: line - 1]) + max(column - 1, 0)


def first_line(error: BaseException) -> str:
    """An error's message without its excerpt."""
    return str(error).strip().split("\n")[0][:300]
