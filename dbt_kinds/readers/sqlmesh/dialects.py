"""Dialects named in SQLMesh's files, and tokenizers for their SQL and for MODEL blocks."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import Dialect, Token, Tokenizer
from sqlglot.errors import TokenError

from dbt_kinds.codes import CompileCode
from dbt_kinds.errors import CompileError
from dbt_kinds.translation.dialects import dialect_of, first_line


def check_dialect(name: str, file: str, line: int) -> str:
    """A dialect under its sqlglot name; settings after a comma are SQLMesh's own and dropped.

    Raises:
        CompileError: sqlglot has no dialect with this name (MissingDialect).
    """
    plain = name.split(",")[0].strip().lower()
    if plain and Dialect.get(plain) is None:
        known = ", ".join(sorted(key for key in Dialect.classes if key))
        raise CompileError(
            CompileCode.MissingDialect, f"'{name}' is no dialect that sqlglot reads; write one of {known}", file, line
        )
    return plain


def tokens_of(text: str, dialect: str, file: str, line: int) -> list[Token]:
    """Tokenizes a text, given the line at which it begins.

    Raises:
        CompileError: a string, comment or name is not closed (SqlParseError).
    """
    try:
        return list(dialect_of(dialect).tokenize(text))
    except TokenError as error:
        raise CompileError(
            CompileCode.SqlParseError, f"cannot read this as SQL of {dialect}: {first_line(error)}", file, line
        ) from error
    except (IndexError, ValueError, KeyError, RecursionError) as error:
        raise CompileError(
            CompileCode.SqlParseError, f"cannot read this as SQL of {dialect}: {error}", file, line
        ) from error


class BlockTokenizer(Tokenizer):
    """Tokenizer for MODEL blocks, which are the same in every dialect except for comments."""

    QUOTES = ["'"]  # noqa: RUF012 - sqlglot declares it so
    IDENTIFIERS = ['"', "`"]  # noqa: RUF012
    STRING_ESCAPES = ["'", "\\"]  # noqa: RUF012


class HashBlockTokenizer(BlockTokenizer):
    """The same, with `#` comments."""

    COMMENTS = ["--", "#", ("/*", "*/")]  # noqa: RUF012


def block_tokens(text: str, dialect: str, file: str, line: int) -> Sequence[Token]:
    """Tokenizes a MODEL block.

    Raises:
        CompileError: a string, comment or name is not closed (SqlParseError).
    """
    tokenizer = HashBlockTokenizer if dialect in ("bigquery", "mysql") else BlockTokenizer
    try:
        return list(tokenizer().tokenize(text))
    except (TokenError, IndexError, ValueError, KeyError) as error:
        raise CompileError(
            CompileCode.SqlParseError, f"cannot read the block: {first_line(error)}", file, line
        ) from error
