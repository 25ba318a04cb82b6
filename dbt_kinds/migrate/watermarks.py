"""Watermarks in CTEs: `with last as (select max(ts) as t from {{ this }}) … where ts > (select t from last)`.

They are written into the conditions that use them before a model is read, as if they had always stood there:
`where ts > (select max(ts) from {{ this }})`. What uses a watermark otherwise is left as it is. A macro of the project
whose text uses one is written out for that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import sqlglot
from sqlglot import Token, TokenType
from sqlglot.errors import SqlglotError

from dbt_kinds.analysis.edits import Edit, edited
from dbt_kinds.errors import Left, UnrenderableError
from dbt_kinds.migrate.chosen_filters import with_chosen_filters
from dbt_kinds.migrate.conversion import MigrateOptions
from dbt_kinds.migrate.filters import branches_of, incremental_blocks
from dbt_kinds.migrate.outside import condition_at
from dbt_kinds.migrate.substitution import masked
from dbt_kinds.migrate.switched_values import Switch, taken_branch
from dbt_kinds.migrate.tokens import Tokens
from dbt_kinds.migrate.written_macros import with_written_macros
from dbt_kinds.migrate.written_queries import with_written_queries
from dbt_kinds.readers.dbt.blocks import Branch, nesting
from dbt_kinds.readers.dbt.project import DbtProject, ModelFile
from dbt_kinds.readers.dbt.rendering import Names, Renderer
from dbt_kinds.readers.dbt.tags import tags, without_comments

_THIS = "this"
_TRUE = re.compile(r"true|1\s*=\s*1", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
# values that stand for the beginning of time
_BEGINNING = re.compile(
    r"(?:cast\s*\(\s*)?(?:(?:date|timestamp|datetime)\s*\(?\s*)?"
    r"(?:0|'(?:0001|1[0-8]\d\d|19[0-6]\d|1970)-\d\d-\d\d[^']*')(?:\s*::\s*\w+|\s+as\s+\w+)?\s*\)*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Watermark:
    """A CTE of one row over the model's own table: its columns as incremental runs and as the first load see them.

    Attributes:
        first: None for a column that the first load does not have.
        beginnings: the columns that are the beginning of time in the first load.
        opening, closing: the tokens of its name and of the bracket that ends it.
    """

    name: str
    columns: dict[str, str]
    first: dict[str, str | None]
    beginnings: frozenset[str]
    opening: int
    closing: int


class _NoWatermarkError(Exception):
    """What is read is used in a way that cannot be written into conditions."""


@dataclass(frozen=True)
class Inlined:
    """A model with its watermarks in the conditions that use them.

    Attributes:
        steps: the texts that led there, each with the edits that were made in it.
        replaced: the variables that chose another bound than the watermark.
        macros: those whose text takes the place of a call, by the lines of the calls.
    """

    model: ModelFile
    steps: tuple[tuple[str, list[Edit]], ...] = ()
    replaced: tuple[str, ...] = ()
    macros: Mapping[int, str] = field(default_factory=dict)

    def original_line(self, line: int) -> int:
        """The line of the model's own text that became a line."""
        for text, edits in reversed(self.steps):
            line = _original_line(text, edits, line)
        return line


def with_inline_watermarks(model: ModelFile, project: DbtProject, options: MigrateOptions) -> Inlined:
    """The model with its watermarks in the conditions that use them."""
    written_out = with_written_queries(model, project, options)
    chosen = with_chosen_filters(written_out.model, project, options)
    model, text, steps = chosen.model, chosen.model.text, [*written_out.steps, *chosen.steps]
    macros = written_out.macros or {}
    unchanged = Inlined(model, tuple(steps), tuple(sorted(chosen.replaced)), macros)
    if not any(tag.kind == "expression" and tag.code == _THIS for tag in tags(text)):
        return unchanged
    adapter = options.adapter or options.dialect
    renderer = Renderer(project.macros, project.variables, adapter, project.name, Names(), config=model.config)
    try:
        context = renderer.render(text)[1]
    except UnrenderableError:
        context = {}
    try:
        read = _Text(text, sqlglot.tokenize(masked(text), read=options.dialect), renderer, context)
        found = read.watermarks()
        edits = read.edits(found)
        if found and not edits:
            # those of macros
            written = with_written_macros(text, project.macros, renderer, context, found)
            steps.append((text, written))
            text = edited(text, written)
            read = _Text(text, sqlglot.tokenize(masked(text), read=options.dialect), renderer, context)
            edits = read.edits(read.watermarks())
    except (SqlglotError, _NoWatermarkError, Left):
        return unchanged
    if not edits:
        return unchanged
    inlined = replace(model, text=edited(text, edits))
    return Inlined(inlined, (*steps, (text, edits)), tuple(sorted(read.replaced | chosen.replaced)), macros)


def _original_line(text: str, edits: Sequence[Edit], line: int) -> int:
    wanted, at, made = line, 0, 1
    for edit in sorted(edits, key=lambda edit: edit.start):
        between = text.count("\n", at, edit.start)
        if made + between >= wanted:
            break
        made += between + edit.text.count("\n")
        at = edit.end
        if made >= wanted:
            return text.count("\n", 0, edit.start) + 1
    return text.count("\n", 0, at) + 1 + max(0, wanted - made)


class _Text(Tokens):
    def __init__(self, text: str, tokens: list[Token], renderer: Renderer, context: Mapping[str, object]) -> None:
        super().__init__(text, tokens)
        self.blocks = incremental_blocks(nesting(text))
        self.starts = {tag.start: tag for tag in tags(text) if tag.kind == "expression"}
        self.replaced: set[str] = set()
        self._renderer, self._context = renderer, context

    def watermarks(self) -> dict[str, Watermark]:
        """The watermarks of the text, by their names.

        Raises:
            _NoWatermarkError: what one is in the first load cannot be read.
        """
        found: dict[str, Watermark] = {}
        for name, opening in self._ctes():
            closing = self.closes[opening]
            watermark = self._watermark(name, opening, closing, found)
            if watermark is not None:
                found[watermark.name] = watermark
        return found

    def edits(self, found: dict[str, Watermark]) -> list[Edit]:
        """The edits that write watermarks into conditions; none if no condition uses them.

        Raises:
            _NoWatermarkError: one is used in another way.
        """
        uses = list(self._uses(found))
        if not uses:
            return []
        return [*self._conditions(uses), *self._removals(list(found.values()))]

    # --- what the CTEs say

    def _ctes(self) -> Iterator[tuple[int, int]]:
        """The tokens of each CTE's name and of the bracket that opens it."""
        for at in range(1, len(self.tokens) - 1):
            is_cte = (
                self.tokens[at].token_type is TokenType.ALIAS
                and self.tokens[at + 1].token_type is TokenType.L_PAREN
                and at + 1 in self.closes
            )
            if is_cte and (at == 1 or self.kind(at - 2) in (TokenType.WITH, TokenType.COMMA, TokenType.RECURSIVE)):
                yield at - 1, at + 1

    def _watermark(self, name: int, opening: int, closing: int, known: dict[str, Watermark]) -> Watermark | None:
        start, end = self.tokens[opening].end + 1, self.tokens[closing].start
        block = next((block for block in self.blocks if start <= block.start and block.end <= end), None)
        incremental = self.between(start, end)
        otherwise: list[int] = []
        if block is not None:
            inside = self.text[start : block.start] + self.text[block.end : end]
            branch, other = branches_of(self.text, block)
            if without_comments(inside).strip() or branch is None:
                return None
            incremental = self.between(branch.start, branch.end)
            otherwise = self.between(other.start, other.end) if other is not None else []
        columns = self._selected(incremental, known, is_first=False)
        if columns is None:
            return None
        first: dict[str, str | None] = dict.fromkeys(columns)
        beginnings = self._beginnings(incremental, known) if block is None else frozenset()
        if block is None:
            given = self._selected(incremental, known, is_first=True)
            if given is not None:
                first |= given
        elif otherwise:
            constants = self._constants(otherwise)
            if len(constants) != len(columns):
                raise _NoWatermarkError
            # names may be missing in the second of two branches
            first |= dict(zip(columns, constants, strict=True))
            beginnings = frozenset(name for name, value in first.items() if value and _BEGINNING.fullmatch(value))
        return Watermark(self.tokens[name].text.lower(), columns, first, beginnings, name, closing)

    def _selected(self, at: list[int], known: dict[str, Watermark], *, is_first: bool) -> dict[str, str] | None:
        """The columns of `select … from {{ this }}`, or of what selects from watermarks alone; None for others."""
        if not at or self.kind(at[0]) is not TokenType.SELECT:
            return None
        source = self.at_depth(at, TokenType.FROM)
        if source is None:
            return self._selected_alone(at[1:], known, is_first=is_first)
        tail = at[at.index(source) + 1 :]
        parts = [(name, self._taken(part)) for name, part in self._projections(at[1 : at.index(source)])]
        if not tail or not parts:
            return None
        if self._is_this(tail[0]):
            alias = tail[1:]
            is_plain = len(alias) <= 2 and all(self.kind(one) in (TokenType.VAR, TokenType.ALIAS) for one in alias)
            if not is_plain or is_first:
                return None
            origin = self.text[self.tokens[tail[0]].start : self.tokens[tail[-1]].end + 1]
            return {name: f"(select {self._written(part)} from {origin})" for name, part in parts}
        scope = self._joined(tail, known)
        if scope is None:
            return None
        given: dict[str, str] = {}
        for name, part in parts:
            written = self._written(part, scope, is_first=is_first)
            if written is None:
                return None
            given[name] = written if len(part) == 1 else f"({written})"
        return given

    def _selected_alone(self, at: list[int], known: dict[str, Watermark], *, is_first: bool) -> dict[str, str] | None:
        """The columns of a select without FROM that looks watermarks up; None if it has others, too."""
        if not any(True for _ in self._lookups(at, known)):
            return None
        given: dict[str, str] = {}
        for name, part in self._projections(at):
            taken = self._taken(part)
            looked_up = list(self._lookups(taken, known))
            if not looked_up or len(looked_up) < sum(self.kind(one) is TokenType.SELECT for one in taken):
                return None
            written = self._with_values(taken, looked_up, is_first=is_first)
            if written is None:
                return None
            given[name] = f"({written})"
        return given

    def _lookups(self, part: list[int], known: dict[str, Watermark]) -> Iterator[_Use]:
        """Each `(select t from last)` of a watermark among tokens."""
        for token in part:
            last = self.closes.get(token)
            if (
                last is None
                or self.kind(token + 1) is not TokenType.SELECT
                or self.kind(last - 2) is not TokenType.FROM
            ):
                continue
            watermark = known.get(self.tokens[last - 1].text.lower())
            column = self._of_one_row(list(range(token + 2, last - 2)))
            if watermark is None or len(column) != 1:
                continue
            name = self.tokens[column[0]].text.lower()
            if name in watermark.columns:
                yield _Use(watermark, name, self.tokens[token].start, self.tokens[last].end + 1)

    def _taken(self, part: list[int]) -> list[int]:
        """The branch that a CASE takes where no run gives its variable another value."""
        taken = taken_branch(self, part, self._switch_of)
        if taken is None:
            return part
        self.replaced |= {taken[1]} - {""}
        return taken[0]

    def _switch_of(self, at: int) -> Switch | None:
        tag = self.starts.get(self.tokens[at].start)
        if tag is None:
            return None
        try:
            said = self._renderer.render(f"{{{{ {tag.code} }}}}", **self._context)[0].strip()
        except UnrenderableError:
            return None
        value = self._renderer.names.defaults.get(said, said)
        if isinstance(value, bool) or not _NUMBER.fullmatch(str(value)):
            return None
        return Switch(float(str(value)), self._renderer.names.variables.get(said, ""))

    def _beginnings(self, at: list[int], known: dict[str, Watermark]) -> frozenset[str]:
        """Which columns of what selects from watermarks alone are the beginning of time in the first load."""
        source = self.at_depth(at, TokenType.FROM)
        if source is None:
            parts = [(name, self._taken(part)) for name, part in self._projections(at[1:])]
            return frozenset(name for name, part in parts if self._begins(part, list(self._lookups(part, known))))
        scope = self._joined(at[at.index(source) + 1 :], known)
        if scope is None:
            return frozenset()
        parts = [(name, self._taken(part)) for name, part in self._projections(at[1 : at.index(source)])]
        return frozenset(name for name, part in parts if self._is_beginning(part, scope))

    def _is_beginning(self, part: list[int], scope: dict[str, Watermark]) -> bool:
        """Whether a piece is the beginning of time in the first load: it has no other time in it."""
        return self._begins(part, list(self._columns(part, scope)))

    def _begins(self, part: list[int], uses: list[_Use]) -> bool:
        others = (self.tokens[token] for token in part if self.kind(token) is TokenType.STRING)
        is_plain = not any(_DATE.match(other.text) for other in others)
        return is_plain and bool(uses) and all(use.column in use.watermark.beginnings for use in uses)

    def _constants(self, at: list[int]) -> list[str]:
        if not at or self.kind(at[0]) is not TokenType.SELECT or self.at_depth(at, TokenType.FROM) is not None:
            raise _NoWatermarkError
        return [str(self._written(part)) for _, part in self._projections(at[1:], are_named=False)]

    def _joined(self, tail: list[int], known: dict[str, Watermark]) -> dict[str, Watermark] | None:
        """The watermarks that a FROM joins, by their aliases; None if it reads something else, too."""
        scope: dict[str, Watermark] = {}
        words = [token for token in tail if self.kind(token) not in (TokenType.CROSS, TokenType.JOIN, TokenType.COMMA)]
        waiting: Watermark | None = None
        for token in words:
            name = self.tokens[token].text.lower()
            if self.kind(token) is TokenType.ALIAS:
                continue
            if name in known and known[name] is not waiting:
                waiting = known[name]
                scope[name] = waiting
            elif waiting is not None and self.kind(token) is TokenType.VAR:
                scope[name] = waiting
            else:
                return None
        return scope or None

    def _projections(self, at: list[int], *, are_named: bool = True) -> Iterator[tuple[str, list[int]]]:
        """The names and tokens of what is selected."""
        part: list[int] = []
        depth = 0
        for token in [*at, None]:
            if token is None or (depth == 0 and self.kind(token) is TokenType.COMMA):
                if part:
                    yield self._named(part, are_named=are_named)
                part = []
                continue
            depth += (self.kind(token) is TokenType.L_PAREN) - (self.kind(token) is TokenType.R_PAREN)
            part.append(token)

    def _named(self, part: list[int], *, are_named: bool) -> tuple[str, list[int]]:
        last = self.tokens[part[-1]].text.lower()
        if len(part) > 2 and self.kind(part[-2]) is TokenType.ALIAS:
            return last, part[:-2]
        if len(part) == 1 or (len(part) == 3 and self.kind(part[1]) is TokenType.DOT):
            return last, part
        if self.kind(part[-2]) is TokenType.R_PAREN and self.kind(part[-1]) is TokenType.VAR:
            return last, part[:-1]
        if are_named:
            raise _NoWatermarkError
        return "", part

    def _written(
        self, part: list[int], scope: dict[str, Watermark] | None = None, *, is_first: bool = False
    ) -> str | None:
        """A piece as written, with the columns of watermarks as what they are; None if one has no value."""
        return self._with_values(part, self._columns(part, scope or {}), is_first=is_first)

    def _with_values(self, part: list[int], uses: Iterable[_Use], *, is_first: bool) -> str | None:
        edits = []
        start, end = self.tokens[part[0]].start, self.tokens[part[-1]].end + 1
        for found in uses:
            value = found.value(is_first=is_first)
            if value is None:
                return None
            edits.append(Edit(found.start - start, found.end - start, value))
        return edited(self.text[start:end], edits)

    def _columns(self, part: list[int], scope: dict[str, Watermark]) -> Iterator[_Use]:
        """The columns of watermarks among tokens; those of nested queries, too."""
        for token in part:
            if self.kind(token + 1) in (TokenType.L_PAREN, TokenType.DOT) and self.kind(token) is TokenType.VAR:
                continue
            name = self.tokens[token].text.lower()
            is_qualified = self.kind(token - 1) is TokenType.DOT
            table = self.tokens[token - 2].text.lower() if is_qualified else ""
            asked = [scope[table]] if table in scope else [] if table else list(scope.values())
            for watermark in asked:
                if name in watermark.columns:
                    start = self.tokens[token - 2 if is_qualified else token].start
                    yield _Use(watermark, name, start, self.tokens[token].end + 1)
                    break

    # --- where they are used

    def _uses(self, found: dict[str, Watermark]) -> Iterator[_Replaced]:
        """What takes the place of each use, outside the watermarks themselves.

        Raises:
            _NoWatermarkError: something else reads one.
        """
        inside = {token for one in found.values() for token in range(one.opening, one.closing + 1)}
        for at, token in enumerate(self.tokens):
            if at in inside or token.text.lower() not in found or self.kind(at - 1) is TokenType.DOT:
                continue
            if self.kind(at + 1) is TokenType.DOT:
                # a column, which belongs to a join that is found by itself
                continue
            if self.kind(at - 1) not in (TokenType.FROM, TokenType.JOIN, TokenType.COMMA):
                continue
            watermark = found[token.text.lower()]
            select = self.select_of(at)
            if select is None:
                raise _NoWatermarkError
            if self.kind(at - 1) is TokenType.FROM:
                yield self._looked_up(at, select, watermark)
            else:
                yield from self._cross_joined(at, select, watermark)

    def _looked_up(self, at: int, select: tuple[int, int], watermark: Watermark) -> _Replaced:
        """`(select t from last)`, whose brackets end the select."""
        first, last = select
        tail = range(at + 1, last)
        is_plain = len(tail) <= 2 and all(self.kind(one) in (TokenType.VAR, TokenType.ALIAS) for one in tail)
        projections = list(self._projections(list(range(first + 1, at - 1)), are_named=False))
        if self.kind(last) is not TokenType.R_PAREN or not is_plain or len(projections) != 1:
            raise _NoWatermarkError
        scope = {watermark.name: watermark, **({self.tokens[tail[-1]].text.lower(): watermark} if tail else {})}
        part = self._of_one_row(projections[0][1])
        values = [self._written(part, scope, is_first=is_first) for is_first in (False, True)]
        if next(self._columns(part, scope), None) is None or values[0] is None:
            raise _NoWatermarkError
        start, end = self.tokens[first - 1].start, self.tokens[last].end + 1
        both = [None if value is None else value if len(part) == 1 else f"({value})" for value in values]
        return _Replaced(start, end, str(both[0]), both[1], is_beginning=self._is_beginning(part, scope))

    def _of_one_row(self, part: list[int]) -> list[int]:
        """`max(t)` of one row is t."""
        is_newest = len(part) > 3 and self.tokens[part[0]].text.lower() in ("max", "min", "any_value")
        return part[2:-1] if is_newest and self.closes.get(part[1]) == part[-1] else part

    def _cross_joined(self, at: int, select: tuple[int, int], watermark: Watermark) -> Iterator[_Replaced]:
        """`from src cross join last where src.ts > last.t`."""
        first, last = select
        lead, end, alias = at - 1, at + 1, watermark.name
        if self.kind(lead) is TokenType.JOIN:
            while self.kind(lead - 1) in (TokenType.CROSS, TokenType.INNER, TokenType.LEFT):
                lead -= 1
        if self.kind(end) is TokenType.ALIAS:
            end += 1
        if self.kind(end) is TokenType.VAR and end < last:
            alias, end = self.tokens[end].text.lower(), end + 1
        if self.kind(end) is TokenType.ON:
            stop = next((one for one in range(end + 1, last + 1) if one == last or self.kind(one) in _AFTER_ON), last)
            condition = self.text[self.tokens[end + 1].start : self.tokens[stop - 1].end + 1]
            if not _TRUE.fullmatch(condition.strip()):
                raise _NoWatermarkError
            end = stop
        elif self.kind(at - 1) is TokenType.JOIN and self.kind(lead) is not TokenType.CROSS:
            raise _NoWatermarkError
        source = self.at_depth(list(range(first + 1, at)), TokenType.FROM)
        if source is None:
            raise _NoWatermarkError
        if any(self._is_star(one) for one in range(first + 1, source)):
            # its columns are columns of the output
            raise _NoWatermarkError
        yield _Replaced(self.tokens[lead].start, self.tokens[end - 1].end + 1, "", "", is_condition=False)
        rest = [one for one in range(first + 1, last) if not lead <= one < end]
        for found in self._columns(rest, {alias: watermark}):
            is_beginning = found.column in watermark.beginnings
            yield _Replaced(
                found.start, found.end, str(found.value()), found.value(is_first=True), is_beginning=is_beginning
            )

    def _is_star(self, at: int) -> bool:
        return self.kind(at) is TokenType.STAR and self.kind(at - 1) in (TokenType.SELECT, TokenType.COMMA)

    # --- the edits

    def _conditions(self, uses: list[_Replaced]) -> Iterator[Edit]:
        """The uses, each in a block of incremental runs if it is in none."""
        free: dict[tuple[int, int, int], list[_Replaced]] = {}
        for use in uses:
            if not use.is_condition:
                yield Edit(use.start, self.line_end(use.start, use.end), "")
                continue
            if any(block.start <= use.start < block.end for block in self.blocks):
                yield Edit(use.start, use.end, use.text)
                continue
            place = condition_at(self.tokens, use.start)
            if place is None:
                raise _NoWatermarkError
            _, first, last, lead = place
            free.setdefault((lead, first, last), []).append(use)
        for lead, first, last in sorted(free):
            yield self._in_block(lead, first, last, free[(lead, first, last)])

    def _in_block(self, lead: int, first: int, last: int, uses: list[_Replaced]) -> Edit:
        start, end = self.tokens[first].start, self.tokens[last].end + 1
        piece = self.text[start:end]
        incremental = edited(piece, [Edit(use.start - start, use.end - start, use.text) for use in uses])
        has_first = not all(use.first is None or use.is_beginning for use in uses)
        if has_first and any(use.first is None for use in uses):
            raise _NoWatermarkError
        if has_first:
            other = edited(piece, [Edit(use.start - start, use.end - start, str(use.first)) for use in uses])
            return Edit(start, end, f"{{% if is_incremental() %}}{incremental}{{% else %}}{other}{{% endif %}}")
        after = self.kind(last + 1)
        if self.kind(lead) is TokenType.WHERE and after is TokenType.AND:
            stop = self.tokens[last + 1].end + 1
            between = self.text[end:stop]
            return Edit(start, stop, f"{{% if is_incremental() %}}{incremental}{between}{{% endif %}}")
        opening = self.tokens[lead].start
        before = self.text[opening:start]
        return Edit(opening, end, f"{{% if is_incremental() %}}{before}{incremental}{{% endif %}}")

    def _removals(self, found: list[Watermark]) -> Iterator[Edit]:
        """Removes the CTEs, with a comma, and the blocks that have nothing else."""
        pieces: list[tuple[int, int]] = []
        gone = {token for one in found for token in range(one.opening, one.closing + 1)}
        for one in found:
            start, end = self.tokens[one.opening].start, self.tokens[one.closing].end + 1
            before, after = one.opening - 1, one.closing + 1
            if self.kind(after) is TokenType.COMMA:
                end = self.tokens[after].end + 1
                gone.add(after)
            elif self.kind(before) is TokenType.COMMA and before not in gone:
                start = self.tokens[before].start
            pieces.append((start, end))
        pieces = self._with_with(pieces)
        whole: list[tuple[int, int, str]] = []
        for block in self.blocks:
            rests = [self._rest(branch, pieces) for branch in block.branches]
            if not any(branch.start <= start < branch.end for branch in block.branches for start, _ in pieces):
                continue
            if any(block.start > start and block.end <= end for start, end in pieces):
                continue
            written = {without_comments(rest).strip().lower() for rest in rests}
            if len(block.branches) == 1 and written == {""}:
                whole.append((block.start, block.end, ""))
            elif len(block.branches) == 2 and len(written) == 1:
                whole.append((block.start, block.end, rests[0].strip()))
            else:
                raise _NoWatermarkError
        for start, end, rest in whole:
            yield Edit(start, self.line_end(start, end) if not rest else end, rest)
        for start, end in pieces:
            if not any(first <= start and end <= last for first, last, _ in whole):
                yield Edit(start, self.line_end(start, end), "")

    def _with_with(self, pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """A WITH of which nothing is left goes as well."""
        found = []
        for start, end in pieces:
            before = next((at for at in range(len(self.tokens)) if self.tokens[at].end + 1 > start), 0) - 1
            listed = [self.tokens[at].start for at in self._listed_after(before)]
            is_last = self.kind(before) is TokenType.WITH and all(any(a <= at < b for a, b in pieces) for at in listed)
            found.append((self.tokens[before].start if is_last else start, end))
        return found

    def _listed_after(self, with_: int) -> Iterator[int]:
        """The tokens of the names of the CTEs of one WITH."""
        name = with_ + 1
        while self.kind(name + 1) is TokenType.ALIAS and name + 2 in self.closes:
            yield name
            after = self.closes[name + 2] + 1
            if self.kind(after) is not TokenType.COMMA:
                return
            # the word may be in both branches of a block
            name = after + 1 + (self.kind(after + 1) is TokenType.WITH)

    def _rest(self, branch: Branch, pieces: list[tuple[int, int]]) -> str:
        """What is left of a branch."""
        rest, at = "", branch.start
        for start, end in sorted(pieces):
            if branch.start <= start < branch.end:
                rest += self.text[at:start]
                at = min(end, branch.end)
        return rest + self.text[at : branch.end]

    def _is_this(self, at: int) -> bool:
        tag = self.starts.get(self.tokens[at].start)
        return tag is not None and tag.code == _THIS


_AFTER_ON = frozenset(
    {
        TokenType.WHERE,
        TokenType.JOIN,
        TokenType.LEFT,
        TokenType.INNER,
        TokenType.CROSS,
        TokenType.GROUP_BY,
        TokenType.ORDER_BY,
        TokenType.HAVING,
        TokenType.QUALIFY,
        TokenType.COMMA,
    }
)


@dataclass(frozen=True)
class _Use:
    watermark: Watermark
    column: str
    start: int
    end: int

    def value(self, *, is_first: bool = False) -> str | None:
        return self.watermark.first.get(self.column) if is_first else self.watermark.columns[self.column]


@dataclass(frozen=True)
class _Replaced:
    start: int
    end: int
    text: str
    first: str | None
    is_condition: bool = True
    is_beginning: bool = False
