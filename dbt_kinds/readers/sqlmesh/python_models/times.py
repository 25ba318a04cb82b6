"""The window's bounds in the strings from which a Python model's function builds its query.

While a query is built, a bound of the window is one reserved character that no source may contain; it is resolved when
the text is complete and the quotes around it are known.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from dbt_kinds.kinds import SparkSql, TimeVariable
from dbt_kinds.readers.sqlmesh.macros.scope import Scope
from dbt_kinds.translation.time_formats import spark_pattern

_FIRST = 0xE000
_LAST = 0xF8FF
# the times are in UTC, and naive ones have no offset
_LITERAL = {"%": "%", "z": "+0000", "Z": "UTC"}


class NotSqlAtHeart(Exception):  # noqa: N818 - becomes a CompileError with the model's name
    """A function does more than build and return a query; says what, and on which line."""

    def __init__(self, reason: str, line: int) -> None:
        """`reason` is what it does, `line` where."""
        super().__init__(reason)
        self.reason = reason
        self.line = line


@dataclass(frozen=True)
class TimeText:
    """A bound of the window as a string or number.

    Attributes:
        bound: start, end or execution.
        suffix: that of the package's time variable; `epoch_seconds`, `iso` and `format` are derived from one.
        letters: Spark's pattern, for `format`.
    """

    bound: str
    suffix: str
    letters: str = ""

    @property
    def is_number(self) -> bool:
        """Whether it is written without quotes."""
        return self.suffix in ("epoch", "epoch_seconds", "millis")

    @property
    def variable(self) -> str:
        """The time variable that it is derived from."""
        made_of = {"epoch_seconds": "epoch", "iso": "tstz", "format": "dtntz"}
        return f"{self.bound}_{made_of.get(self.suffix, self.suffix)}"

    def sql(self, scope: Scope) -> str:
        """The placeholder for it."""
        placeholder = scope.placeholders.name_of(TimeVariable(self.variable))
        if self.suffix == "epoch_seconds":
            return scope.placeholders.name_of(SparkSql(f"cast({placeholder} as bigint)"))
        if self.suffix == "iso":
            return scope.placeholders.name_of(SparkSql(f"replace({placeholder}, ' ', 'T')"))
        if self.suffix == "format":
            return scope.placeholders.name_of(SparkSql(f"date_format({placeholder}, '{self.letters}')"))
        return placeholder


@dataclass
class TimeTexts:
    """The times of one query, each with its character."""

    by_character: dict[str, TimeText] = field(default_factory=dict)

    def character(self, text: TimeText) -> str:
        """The character for a time."""
        for character, known in self.by_character.items():
            if known == text:
                return character
        character = chr(_FIRST + len(self.by_character))
        self.by_character[character] = text
        return character


def is_reserved(text: str) -> bool:
    """Whether a text contains a character reserved for times."""
    return any(_FIRST <= ord(character) <= _LAST for character in text)


@dataclass(frozen=True)
class Moment:
    """`start`, `end` or `execution_time`: a UTC datetime, with its string conversions."""

    bound: str
    texts: TimeTexts
    is_naive: bool = False

    def text(self) -> str:
        """`str()` of it."""
        return self.texts.character(TimeText(self.bound, "ts" if self.is_naive else "tstz"))

    def iso(self) -> str:
        """`isoformat()` of it."""
        if self.is_naive:
            return self.formatted("%Y-%m-%dT%H:%M:%S")
        return self.texts.character(TimeText(self.bound, "iso"))

    def number(self, suffix: str) -> str:
        """Seconds or milliseconds since 1970."""
        return self.texts.character(TimeText(self.bound, suffix))

    def day(self) -> str:
        """The day, as text."""
        return self.texts.character(TimeText(self.bound, "ds"))

    def formatted(self, strftime: str) -> str:
        """`strftime()` of it.

        Raises:
            ValueError: Spark has no equivalent of a part of the format.
        """
        if strftime == "%Y-%m-%d":
            return self.day()
        if strftime == "%Y-%m-%d %H:%M:%S" and self.bound == "start":
            return self.texts.character(TimeText(self.bound, "ts"))
        return self.texts.character(TimeText(self.bound, "format", spark_letters(strftime)))


@dataclass(frozen=True)
class Day:
    """`start.date()`."""

    moment: Moment


def spark_letters(strftime: str) -> str:
    """A strftime format as the contents of a Spark literal.

    Raises:
        ValueError: Spark has no equivalent of a part of it.
    """
    # Spark 3.5 does not support doubled quotes in a literal
    return spark_pattern(strftime, literals=_LITERAL).replace("\\", "\\\\").replace("'", "\\'")
