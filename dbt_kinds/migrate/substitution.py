"""A model's template with its tags replaced by what they print, at positions that lead back to them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import NoFilter, UnrenderableError
from dbt_kinds.readers.dbt.rendering import Renderer
from dbt_kinds.readers.dbt.tags import line_of, tags

_AFTER_INTERVAL = re.compile(r"(?i)\binterval\s+$")
_MADE_NAME = re.compile(r"\b(kinds_[a-z]+)_\d+\b")
_LENGTH = re.compile(r"(?i)\d+\s+[a-z]+")


@dataclass(frozen=True)
class Template:
    """A text with tags, and what they are rendered with; `dialect` is that of its SQL."""

    text: str
    dialect: str
    renderer: Renderer
    context: Mapping[str, object]

    def rendered(self, piece: str) -> str:
        """What a piece prints, whatever a run answers to its conditions.

        Raises:
            UnrenderableError: it cannot be rendered, or a run decides what it prints.
        """
        names = self.renderer.names
        names.undecided = False
        said = self.renderer.render(piece, **self.context)[0]
        if names.undecided and not names.answer:
            try:
                names.answer = True
                other = self.renderer.render(piece, **self.context)[0]
            finally:
                names.answer = False
            if _alike(other) != _alike(said):
                raise UnrenderableError("what it prints depends on something that only a run knows")
        return said


def _alike(said: str) -> str:
    """What is printed, without the numbers of names that are made anew each time."""
    return _MADE_NAME.sub(r"\1", said)


@dataclass(frozen=True)
class Substituted:
    """A piece of a template with its tags replaced by their output.

    Attributes:
        spans: (start, end) of each output in the result, and of its tag in the template.
    """

    text: str
    spans: tuple[tuple[int, int, int, int], ...]
    start: int
    template: Template

    @property
    def dialect(self) -> str:
        """The SQL dialect of the piece."""
        return self.template.dialect

    @property
    def line(self) -> int:
        """The line at which the piece begins."""
        return line_of(self.template.text, self.start)

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The position of a piece in the text; a piece inside a tag's output maps to the whole tag."""
        return self._at(start, is_end=False), self._at(end, is_end=True)

    def _at(self, place: int, *, is_end: bool) -> int:
        shift = self.start
        for first, last, text_first, text_last in self.spans:
            if place < first or (is_end and place == first):
                break
            if place < last or (is_end and place == last):
                return text_last if is_end else text_first
            shift = text_last - last
        return place + shift

    def is_in_tag(self, place: int) -> bool:
        """Whether a position is within a tag's output."""
        return any(first <= place < last for first, last, _, _ in self.spans)

    def cuts_a_tag(self, start: int, end: int) -> bool:
        """Whether a piece begins or ends inside a tag's output, other than in the white space around it."""
        return any(
            self.text[first:place].strip() and self.text[place:last].strip()
            for first, last, _, _ in self.spans
            for place in (start, end)
            if first < place < last
        )


def substituted(template: Template, start: int, end: int, *, writes_lengths: bool = False) -> Substituted:
    """A piece of a template with its tags replaced by their output.

    Args:
        writes_lengths: whether a variable that is a whole interval is written as its value in the project.

    Raises:
        NoFilter (UnreadableBlock): it has Jinja statements, or a tag that cannot be rendered.
    """
    text, renderer = template.text, template.renderer
    parts: list[str] = []
    spans = []
    at, length = start, 0
    for tag in tags(text[:end]):
        if tag.start < start:
            continue
        said = ""
        if tag.kind == "statement":
            raise NoFilter(
                MigrateCode.SecondUseOfIsIncremental,
                f"the block has `{tag.code[:60]}` in it; only conditions are read",
                line=line_of(text, tag.start),
            )
        if tag.kind == "expression":
            try:
                said = template.rendered("{{ " + tag.code + " }}")
            except UnrenderableError as error:
                raise NoFilter(
                    MigrateCode.UnreadableBlock,
                    f"`{tag.code[:80]}` cannot be read: {renderer.problem or error}",
                    line=line_of(text, tag.start),
                ) from error
        default = renderer.names.defaults.get(said)
        if writes_lengths and isinstance(default, str) and _AFTER_INTERVAL.search(text[at : tag.start]):
            said = default if _LENGTH.fullmatch(default) else said
        parts += [text[at : tag.start], said]
        length += tag.start - at
        spans.append((length, length + len(said), tag.start, tag.end))
        length += len(said)
        at = tag.end
    parts.append(text[at:end])
    return Substituted("".join(parts), tuple(spans), start, template)


def masked(text: str) -> str:
    """The text with each printing tag replaced by a name of the same length, and other tags by spaces.

    Positions do not change.
    """
    parts, at = [], 0
    for tag in tags(text):
        length = tag.end - tag.start
        parts += [text[at : tag.start], "k" * length if tag.kind == "expression" else " " * length]
        at = tag.end
    return "".join([*parts, text[at:]])
