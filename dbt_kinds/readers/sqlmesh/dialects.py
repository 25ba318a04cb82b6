"""Dialects of SQL: their names, tokens, and the errors of parsing with the place in the source."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from sqlglot import Dialect, ErrorLevel, Token, Tokenizer, exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import ParseError, SqlglotError, TokenError

from dbt_kinds.errors import MissingDialect, SqlParseError

SPARK_FAMILY = frozenset({"spark", "spark2", "databricks", "hive"})
TRINO_FAMILY = frozenset({"trino", "presto", "athena"})


def is_spark(dialect: str) -> bool:
    """Whether text of this dialect is Spark's own, and can be kept."""
    return dialect in SPARK_FAMILY


def check_dialect(name: str, file: str, line: int) -> str:
    """A dialect as sqlglot calls it; settings behind a comma are kept by SQLMesh for itself.

    Raises:
        MissingDialect: sqlglot knows no dialect of this name.
    """
    plain = name.split(",")[0].strip().lower()
    if plain and Dialect.get(plain) is None:
        known = ", ".join(sorted(key for key in Dialect.classes if key))
        raise MissingDialect(f"'{name}' is no dialect that sqlglot reads; write one of {known}", file, line)
    return plain


@lru_cache(maxsize=64)
def dialect_of(name: str) -> Dialect:
    """sqlglot's dialect of a name."""
    return Dialect.get_or_raise(name)


def tokens_of(text: str, dialect: str, file: str, line: int) -> list[Token]:
    """The tokens of a text that begins at a line of a file.

    Raises:
        SqlParseError: a string, comment or name is not closed.
    """
    try:
        return list(dialect_of(dialect).tokenize(text))
    except TokenError as error:
        raise SqlParseError(f"cannot read this as SQL of {dialect}: {_first_line(error)}", file, line) from error
    except (IndexError, ValueError, KeyError, RecursionError) as error:
        raise SqlParseError(f"cannot read this as SQL of {dialect}: {error}", file, line) from error


class ParseFailure(Exception):  # noqa: N818 - becomes a CompileError with a place
    """A text that does not parse: what is wrong, and at which offset of the text."""

    def __init__(self, message: str, offset: int) -> None:
        """Takes the reason and the place in the text."""
        super().__init__(message)
        self.message = message
        self.offset = offset


def parse_statement(text: str, dialect: str) -> exp.Expr:
    """The tree of one statement.

    Raises:
        ParseFailure: it does not parse, or is not one statement.
    """
    try:
        trees = [tree for tree in dialect_of(dialect).parse(text) if tree is not None]
    except ParseError as error:
        detail = error.errors[0] if error.errors else {}
        message = str(detail.get("description") or _first_line(error))
        raise ParseFailure(
            f"{message}, at '{detail.get('highlight') or ''}'" if detail.get("highlight") else message,
            _offset(text, int(detail.get("line") or 1), int(detail.get("col") or 1)),
        ) from error
    except (SqlglotError, RecursionError) as error:
        raise ParseFailure(_first_line(error), 0) from error
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, AssertionError) as error:
        # sqlglot's parser is written for SQL that is mostly right; a mutilated one makes it stumble over its own nodes
        raise ParseFailure(f"sqlglot cannot read it ({type(error).__name__}: {_first_line(error)})", 0) from error
    if len(trees) != 1:
        raise ParseFailure("expected one statement" if trees else "nothing but comments", 0)
    return trees[0]


class _SparkGenerator(Spark.Generator):  # type: ignore[misc, valid-type]
    """Writes WITH where it stands: sqlglot's own lifts all of them into one, where two of a name clash."""

    EXPRESSIONS_WITHOUT_NESTED_CTES: frozenset[type[exp.Expr]] = frozenset()


def spark_sql(tree: exp.Expr, *, pretty: bool = False) -> str:
    """A tree as SQL for Spark.

    Raises:
        SqlglotError: something of it cannot be written.
    """
    generator = _SparkGenerator(dialect=dialect_of("spark"), pretty=pretty, unsupported_level=ErrorLevel.RAISE)
    return str(generator.generate(tree))


def parse_expression(text: str, dialect: str) -> exp.Expr:
    """The tree of one expression, with or without an alias.

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


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n")[0][:300]


class BlockTokenizer(Tokenizer):
    """Tokens of a MODEL block, which is the same in every dialect but for comments."""

    QUOTES = ["'"]  # noqa: RUF012 - sqlglot declares it so
    IDENTIFIERS = ['"', "`"]  # noqa: RUF012
    STRING_ESCAPES = ["'", "\\"]  # noqa: RUF012


class HashBlockTokenizer(BlockTokenizer):
    """The same, where `#` begins a comment."""

    COMMENTS = ["--", "#", ("/*", "*/")]  # noqa: RUF012


def block_tokens(text: str, dialect: str, file: str, line: int) -> Sequence[Token]:
    """The tokens of a MODEL block.

    Raises:
        SqlParseError: a string, comment or name is not closed.
    """
    tokenizer = HashBlockTokenizer if dialect in ("bigquery", "mysql") else BlockTokenizer
    try:
        return list(tokenizer().tokenize(text))
    except (TokenError, IndexError, ValueError, KeyError) as error:
        raise SqlParseError(f"cannot read the block: {_first_line(error)}", file, line) from error
