"""The window of a Python model's function, as the texts that its query is built of.

While a query is put together, a bound of the window is one character that no source may hold; what it stands for is
looked up when the text is complete, and the quotes around it are known.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from dbt_kinds.kinds import SparkSql, TimeVariable
from dbt_kinds.readers.sqlmesh.macros.scope import Scope
from dbt_kinds.translation.time_formats import spark_pattern

_FIRST = 0xE000
_LAST = 0xF8FF
# the times are UTC, and a naive one has no offset
_LITERAL = {"%": "%", "z": "+0000", "Z": "UTC"}


class NotSqlAtHeart(Exception):  # noqa: N818 - becomes a CompileError with the model's name
    """A function does more than build a query and hand it over: what, and in which line."""

    def __init__(self, reason: str, line: int) -> None:
        """Takes what it does and where."""
        super().__init__(reason)
        self.reason = reason
        self.line = line


@dataclass(frozen=True)
class TimeText:
    """A bound of the window as a text or number.

    Attributes:
        bound: start, end or execution.
        suffix: of the package's time variable; `epoch_seconds`, `iso` and `format` are made of one.
        letters: Spark's pattern, for `format`.
    """

    bound: str
    suffix: str
    letters: str = ""

    @property
    def is_number(self) -> bool:
        """Whether it stands without quotes."""
        return self.suffix in ("epoch", "epoch_seconds", "millis")

    @property
    def variable(self) -> str:
        """The time variable that it is made of."""
        made_of = {"epoch_seconds": "epoch", "iso": "tstz", "format": "dtntz"}
        return f"{self.bound}_{made_of.get(self.suffix, self.suffix)}"

    def sql(self, scope: Scope) -> str:
        """The mark that stands for it."""
        mark = scope.marks.name_of(TimeVariable(self.variable))
        if self.suffix == "epoch_seconds":
            return scope.marks.name_of(SparkSql(f"cast({mark} as bigint)"))
        if self.suffix == "iso":
            return scope.marks.name_of(SparkSql(f"replace({mark}, ' ', 'T')"))
        if self.suffix == "format":
            return scope.marks.name_of(SparkSql(f"date_format({mark}, '{self.letters}')"))
        return mark


@dataclass
class TimeTexts:
    """The times of one query, each with the character that stands for it."""

    by_character: dict[str, TimeText] = field(default_factory=dict)

    def character(self, text: TimeText) -> str:
        """The character that stands for a time."""
        for character, known in self.by_character.items():
            if known == text:
                return character
        character = chr(_FIRST + len(self.by_character))
        self.by_character[character] = text
        return character


def is_reserved(text: str) -> bool:
    """Whether a text holds a character that stands for a time."""
    return any(_FIRST <= ord(character) <= _LAST for character in text)


@dataclass(frozen=True)
class Moment:
    """`start`, `end` or `execution_time`: a datetime of UTC, and what Python makes texts of."""

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
            ValueError: Spark has no letter for a part of the format.
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
    """A format of strftime as the inside of a literal of Spark's.

    Raises:
        ValueError: Spark has no letter for a part of it.
    """
    # Spark 3.5 reads no doubled quotes in a literal
    return spark_pattern(strftime, literals=_LITERAL).replace("\\", "\\\\").replace("'", "\\'")
