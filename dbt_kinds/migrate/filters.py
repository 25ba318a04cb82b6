"""The `is_incremental()` blocks of a model: which are filters, what they compare, and where their pieces are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import sqlglot
from jinja2 import nodes
from sqlglot import Token, TokenType, exp
from sqlglot.errors import SqlglotError

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left, NoFilter, UnrenderableError
from dbt_kinds.readers.dbt.blocks import Block, Branch, walk
from dbt_kinds.readers.dbt.calls import expression
from dbt_kinds.readers.dbt.rendering import THIS, Renderer, with_plain_lengths
from dbt_kinds.readers.dbt.tags import Tag, line_of, tags, without_comments

Mode = Literal["incremental", "full", "mixed", "none"]
_ALWAYS = frozenset({"execute", "true"})
_COMPARED = {
    TokenType.GTE: ">=",
    TokenType.GT: ">",
    TokenType.LTE: "<=",
    TokenType.LT: "<",
    TokenType.EQ: "=",
    TokenType.BETWEEN: "between",
}
_FLIPPED = {">=": "<=", ">": "<", "<=": ">=", "<": ">", "=": "="}
# words that make a block more than conditions
_MORE = frozenset(
    {
        TokenType.OR,
        TokenType.GROUP_BY,
        TokenType.ORDER_BY,
        TokenType.HAVING,
        TokenType.QUALIFY,
        TokenType.LIMIT,
        TokenType.UNION,
        TokenType.JOIN,
        TokenType.SELECT,
        TokenType.FROM,
        TokenType.WITH,
        TokenType.COMMA,
        TokenType.SEMICOLON,
        TokenType.WINDOW,
        TokenType.LEFT,
        TokenType.INNER,
        TokenType.CROSS,
        TokenType.ON,
        TokenType.WHERE,
        TokenType.ALIAS,
    }
)


_BEFORE_TABLE = re.compile(r"(?i)\b(?:from|join)\Z")
_AFTER_INTERVAL = re.compile(r"(?i)\binterval\s+$")
_LENGTH = re.compile(r"(?i)\d+\s+[a-z]+")
_IN_FILTER = "write what it finds into the filter that uses it"
_TOLD_OF_WORDS = {
    **dict.fromkeys(("select", "with", "from"), _IN_FILTER),
    **dict.fromkeys(("join", "left", "inner"), "a kind has no join of some runs only: join for all, and filter rows"),
}
# of conditions of which any will do, a bound on one column is read: `(ts > a or ts > b)`
_TOLD_OF_MORE = {
    TokenType.WHERE: "more before its WHERE, such as a table that other runs do not read; only conditions are read",
    TokenType.COMMA: "more after a comma, such as columns or a CTE, which other runs do not have; only conditions are "
    "read",
    TokenType.OR: "conditions of which any will do (OR), and a window is a range of one column; compare greatest() of "
    "their columns, or keep one",
}


@dataclass(frozen=True)
class Substituted:
    """A piece of a text with tags replaced by their output; `spans` are (start, end) in the result and in the text."""

    text: str
    spans: tuple[tuple[int, int, int, int], ...]
    start: int
    whole: str

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


@dataclass
class Comparison:
    """One condition: an expression compared with others; `start` and `end` are its position in the model's text.

    Attributes:
        listed: what is compared with a list, as written.
        is_alternative: whether another one at the same place will do instead: `(ts > a or ts > b)`.
    """

    expression: exp.Expr
    written: str
    written_other: str
    operator: str
    others: list[exp.Expr]
    start: int
    end: int
    is_whole_tag: bool = False
    listed: str = ""
    is_alternative: bool = False

    @property
    def whole(self) -> str:
        """The condition as written."""
        return self.written if self.operator == "other" else f"{self.written} {self.operator} {self.written_other}"

    @property
    def meaning(self) -> tuple[object, ...]:
        """What is compared, whatever printed it."""
        return self.operator, self.expression, *self.others

    @property
    def flipped(self) -> Comparison:
        """The same condition with its sides swapped."""
        return replace(
            self,
            expression=self.others[0],
            written=self.written_other,
            written_other=self.written,
            operator=_FLIPPED[self.operator],
            others=[self.expression],
        )


@dataclass
class Filter:
    """A block whose incremental branch consists of conditions."""

    block: Block
    keyword: str
    ends_with_and: bool
    comparisons: list[Comparison]
    body: tuple[int, int]
    ands: list[tuple[int, int]] = field(default_factory=list)
    otherwise: Branch | None = None
    otherwise_comparisons: list[Comparison] = field(default_factory=list)
    first_load: Block | None = None
    index: int = 0
    line: int = 0
    writes_keyword: bool = False
    kept: list[Comparison] = field(default_factory=list)

    def keep_common(self, first: Filter) -> None:
        """Divides the conditions of a macro into those that the first load has, too, and those that differ."""
        common = {part.meaning for part in self.comparisons} & {part.meaning for part in first.comparisons}
        self.kept = [part for part in self.comparisons if part.meaning in common]
        self.comparisons = [part for part in self.comparisons if part.meaning not in common]
        self.otherwise_comparisons = [part for part in first.comparisons if part.meaning not in common]

    @property
    def marker(self) -> str:
        """The name of a condition that represents the block."""
        return f"kinds_block_{self.index}"

    @property
    def marked(self) -> str:
        """The text that represents the block when SQL is parsed."""
        words = [self.keyword, self.marker, "and" if self.ends_with_and else ""]
        return f" {' '.join(word for word in words if word)} "


def mode_of(test: str) -> Mode:
    """What a Jinja condition says about is_incremental(): true only on incremental runs, only on others, or neither."""
    if "is_incremental" not in test:
        return "none"
    node = expression(test)
    return _mode(node) if node is not None else "mixed"


def _mode(node: nodes.Node) -> Mode:
    if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name == "is_incremental":
        return "incremental" if not node.args and not node.kwargs else "mixed"
    if isinstance(node, nodes.Not):
        inner = _mode(node.node)
        return {"incremental": "full", "full": "incremental"}.get(inner, "mixed")  # type: ignore[return-value]
    if isinstance(node, nodes.And):
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if _is_always(one):
                return _mode(other)
    return "mixed"


def _is_always(node: nodes.Node) -> bool:
    """Whether it is true in every incremental run: execute, not flags.FULL_REFRESH, not should_full_refresh()."""
    if isinstance(node, nodes.Const):
        return node.value is True
    if isinstance(node, nodes.Name):
        return node.name in _ALWAYS
    if isinstance(node, nodes.Not):
        inner = node.node
        if isinstance(inner, nodes.Call) and isinstance(inner.node, nodes.Name):
            return inner.node.name == "should_full_refresh"
        return isinstance(inner, nodes.Getattr) and inner.attr == "FULL_REFRESH"
    return False


def incremental_blocks(tree: list[Block | Tag]) -> list[Block]:
    """The `if` blocks whose conditions call is_incremental()."""
    return [
        node
        for node in walk(tree)
        if isinstance(node, Block)
        and node.word == "if"
        and any("is_incremental" in branch.tag.rest for branch in node.branches)
    ]


def branches_of(text: str, block: Block) -> tuple[Branch | None, Branch | None]:
    """The branch of incremental runs and the branch of other runs.

    Raises:
        NoFilter (SecondUseOfIsIncremental): the conditions depend on more than that.
    """
    line = line_of(text, block.start)
    if block.word == "macro":
        return block.branches[0], None
    modes = [mode_of(branch.tag.rest) for branch in block.branches]
    if (
        len(block.branches) > 2
        or modes[0] in ("mixed", "none")
        or (len(modes) == 2 and block.branches[1].tag.word != "else")
    ):
        raise NoFilter(
            MigrateCode.SecondUseOfIsIncremental,
            f"`{block.branches[0].tag.code}` decides more than whether a run is incremental; split it by hand",
            line=line,
        )
    other = block.branches[1] if len(block.branches) == 2 else None
    return (block.branches[0], other) if modes[0] == "incremental" else (other, block.branches[0])


def substituted(
    text: str,
    start: int,
    end: int,
    renderer: Renderer,
    context: dict[str, object],
    *,
    writes_lengths: bool = False,
) -> Substituted:
    """A piece of a text with its tags replaced by their output.

    Args:
        writes_lengths: whether a variable that is a whole interval is written as its value in the project.

    Raises:
        NoFilter (UnreadableBlock): it has Jinja statements, or a tag that cannot be rendered.
    """
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
                said = renderer.render("{{ " + tag.code + " }}", **context)[0]
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
    return Substituted("".join(parts), tuple(spans), start, text)


def read_filter(text: str, block: Block, dialect: str, renderer: Renderer, context: dict[str, object]) -> Filter:
    """Parses a block as a filter.

    Raises:
        NoFilter (SecondUseOfIsIncremental): it is not a filter.
        NoFilter (UnreadableBlock): its conditions cannot be parsed.
        Left (ElseBranchDiffers): incremental runs have no branch of their own.
    """
    line = line_of(text, block.start)
    if _BEFORE_TABLE.search(without_comments(text[: block.start]).rstrip()):
        raise Left(
            MigrateCode.SecondUseOfIsIncremental,
            "the block chooses the table that is read, and a kind reads one in each run; read that of the first load, "
            "and filter its rows",
            line=line,
        )
    incremental, otherwise = branches_of(text, block)
    if incremental is None:
        raise Left(
            MigrateCode.ElseBranchDiffers,
            "only the first load has something here; a kind has no first load of its own",
            line=line,
        )
    found = read_branch(text, incremental, dialect, renderer, context)
    found.block, found.otherwise, found.line = block, otherwise, line
    if otherwise is not None:
        if text[otherwise.start : otherwise.end].strip():
            try:
                other = read_branch(text, otherwise, dialect, renderer, context, is_first_load=True)
            except NoFilter as error:
                raise Left(
                    MigrateCode.ElseBranchDiffers,
                    "the first load has other logic than no filter or a fixed start",
                    line=line_of(text, otherwise.start),
                ) from error
            if other.keyword != found.keyword or other.ends_with_and != found.ends_with_and:
                raise Left(
                    MigrateCode.ElseBranchDiffers,
                    "the two branches do not have the same shape",
                    line=line_of(text, otherwise.start),
                )
            found.otherwise_comparisons = other.comparisons
        elif not found.keyword and not found.ends_with_and:
            raise NoFilter(
                MigrateCode.UnreadableBlock, "a condition without where or and has nothing in its place", line=line
            )
    return found


def is_first_load(block: Block) -> bool:
    """Whether only the first load has something in a block."""
    return block.word == "if" and len(block.branches) == 1 and mode_of(block.branches[0].tag.rest) == "full"


def take_first_load(
    text: str,
    block: Block,
    filters: list[Filter],
    dialect: str,
    renderer: Renderer,
    context: dict[str, object],
) -> None:
    """Takes a block of the first load as the other branch of the filter beside it.

    Raises:
        Left (ElseBranchDiffers): no filter is in the same WHERE, or it is not of the same shape.
    """
    line = line_of(text, block.start)
    problem = Left(
        MigrateCode.ElseBranchDiffers,
        "only the first load has something here, and no filter of the other runs is beside it; a kind has no first "
        "load of its own",
        line=line,
    )
    beside = [
        found
        for found in filters
        if found.otherwise is None
        and found.first_load is None
        and found.block.word == "if"
        and _is_beside(text, found.block, block, dialect)
    ]
    if not beside:
        raise problem
    found = beside[0]
    try:
        other = read_branch(text, block.branches[0], dialect, renderer, context, is_first_load=True)
    except NoFilter as error:
        raise problem from error
    if {other.keyword, found.keyword} == {"where", "and"} or other.ends_with_and != found.ends_with_and:
        raise problem
    found.first_load, found.otherwise_comparisons = block, other.comparisons


def _is_beside(text: str, one: Block, other: Block, dialect: str) -> bool:
    """Whether only conditions are between two blocks."""
    first, second = sorted((one, other), key=lambda block: block.start)
    try:
        tokens = sqlglot.tokenize(masked(text[first.end : second.start]), read=dialect)
    except SqlglotError:
        return False
    depth = 0
    for token in tokens:
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if depth < 0 or (depth == 0 and token.token_type in _MORE - {TokenType.WHERE}):
            return False
    return depth == 0


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


def prints_conditions(piece: str, dialect: str, renderer: Renderer, context: dict[str, object]) -> bool:
    """Whether a piece of a template prints conditions alone, or nothing, in each run."""
    try:
        for renderer.incremental in (False, True):
            said = renderer.render(piece, **context)[0]
            if said.strip():
                read_branch(said, Branch(Tag("expression", 0, 0, "", 0), 0, len(said)), dialect, renderer, {})
    except (NoFilter, UnrenderableError):
        return False
    finally:
        renderer.incremental = True
    return True


def read_branch(
    text: str,
    branch: Branch,
    dialect: str,
    renderer: Renderer,
    context: dict[str, object],
    *,
    is_first_load: bool = False,
) -> Filter:
    """Parses a branch that has conditions alone.

    Raises:
        NoFilter (SecondUseOfIsIncremental): it has something else.
        NoFilter (UnreadableBlock): its conditions cannot be parsed.
    """
    line = line_of(text, branch.start)
    made = substituted(text, branch.start, branch.end, renderer, context, writes_lengths=is_first_load)
    try:
        tokens = sqlglot.tokenize(made.text, read=dialect)
    except SqlglotError as error:
        raise NoFilter(MigrateCode.UnreadableBlock, "the block cannot be read as SQL", line=line) from error
    if not tokens:
        raise NoFilter(MigrateCode.SecondUseOfIsIncremental, "the block has no condition", line=line)
    keyword, ends_with_and, keyword_at = "", False, tokens[0].start
    if tokens[0].token_type in (TokenType.WHERE, TokenType.AND):
        keyword = tokens[0].text.lower()
        tokens = tokens[1:]
    elif tokens[0].text.lower() in ("having", "qualify", "join", "left", "inner", "with", "or", "from", "select", ","):
        word = tokens[0].text
        named = [token.text for token in tokens[1:2]]
        if word == "," and [token.token_type for token in tokens[2:4]] == [TokenType.ALIAS, TokenType.L_PAREN]:
            raise _other_cte(named[0], made, line)
        told = _TOLD_OF_WORDS.get(word.lower(), "write it for all runs, and the filter between start_*() and end_*()")
        raise NoFilter(
            MigrateCode.SecondUseOfIsIncremental,
            f"the block begins with `{word}`, which is no filter of rows; {told}",
            line=line,
        )
    if tokens and tokens[-1].token_type is TokenType.AND:
        ends_with_and = True
        tokens = tokens[:-1]
    if not tokens:
        raise NoFilter(MigrateCode.SecondUseOfIsIncremental, "the block has no condition", line=line)
    found = Filter(Block("if", []), keyword, ends_with_and, [], (branch.start, branch.end))
    found.writes_keyword = bool(keyword) and made.is_in_tag(keyword_at)
    _split(tokens, made, dialect, line, found)
    return found


def read_condition(
    text: str, start: int, end: int, dialect: str, renderer: Renderer, context: dict[str, object]
) -> Comparison:
    """Parses the condition between two positions.

    Raises:
        Left: it cannot be parsed.
    """
    line = line_of(text, start)
    made = substituted(text, start, end, renderer, context)
    found = Filter(Block("if", []), "", ends_with_and=False, comparisons=[], body=(start, end))
    try:
        _split(sqlglot.tokenize(made.text, read=dialect), made, dialect, line, found)
    except SqlglotError as error:
        raise NoFilter(MigrateCode.UnreadableBlock, "the condition cannot be read as SQL", line=line) from error
    if len(found.comparisons) != 1 or found.comparisons[0].operator == "other":
        raise NoFilter(MigrateCode.UnreadableBlock, "the condition compares no two things", line=line)
    return found.comparisons[0]


def _other_cte(name: str, made: Substituted, line: int) -> NoFilter:
    reads_own = ", and reads the model's own table in it" if THIS in made.text else ""
    return NoFilter(
        MigrateCode.SecondUseOfIsIncremental,
        f"the block has the CTE {name}, which other runs do not have{reads_own}; {_IN_FILTER}",
        line=line,
    )


def _at_top(tokens: Sequence[Token]) -> Iterator[tuple[int, Token]]:
    """The tokens that are in no brackets and in no CASE, with their places; brackets are at the top themselves."""
    depth, case = 0, 0
    for at, token in enumerate(tokens):
        depth -= token.token_type is TokenType.R_PAREN
        if depth == 0 and case == 0:
            yield at, token
        depth += token.token_type is TokenType.L_PAREN
        case += (token.token_type is TokenType.CASE) - (token.token_type is TokenType.END and case > 0)


def _split(tokens: Sequence[Token], made: Substituted, dialect: str, line: int, found: Filter) -> None:
    """The conditions between ANDs outside parentheses."""
    guarded = _without_guard(tokens, made, dialect, line)
    if guarded is not None:
        _add(guarded, made, dialect, line, found)
        # the guard goes with what it guards
        start, end = made.original(tokens[0].start, tokens[-1].end + 1)
        found.comparisons[-1] = replace(found.comparisons[-1], start=start, end=end)
        return
    depth, between, case, part = 0, False, 0, 0
    for at, token in enumerate([*tokens, None]):
        if token is None or (token.token_type is TokenType.AND and depth == 0 and not between and case == 0):
            _add(tokens[part:at], made, dialect, line, found)
            if token is not None:
                found.ands.append(made.original(token.start, token.end + 1))
            part = at + 1
            continue
        if token.token_type is TokenType.AND and depth == 0 and case == 0 and between:
            between = False
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        case += (token.token_type is TokenType.CASE) - (token.token_type is TokenType.END)
        if depth == 0 and case == 0 and token.token_type is TokenType.BETWEEN:
            between = True
        following = [one.token_type for one in tokens[at + 1 : at + 2]]
        if depth == 0 and at and token.token_type is TokenType.ALIAS and following == [TokenType.L_PAREN]:
            raise _other_cte(tokens[at - 1].text, made, line)
        if depth == 0 and case == 0 and token.token_type in _MORE:
            following = [one.token_type for one in tokens[at + 2 : at + 4]]
            if token.token_type is TokenType.COMMA and following == [TokenType.ALIAS, TokenType.L_PAREN]:
                raise _other_cte(tokens[at + 1].text, made, line)
            told = _TOLD_OF_MORE.get(token.token_type, f"{token.text} in it; only conditions are read")
            raise NoFilter(MigrateCode.SecondUseOfIsIncremental, f"the block has {told}", line=line)
        if depth < 0:
            raise NoFilter(
                MigrateCode.SecondUseOfIsIncremental, "the block closes a bracket that it does not open", line=line
            )


def _without_guard(tokens: Sequence[Token], made: Substituted, dialect: str, line: int) -> Sequence[Token] | None:
    """The condition of `ts > newest or newest is null`, where the table has no newest value only if it is empty."""
    at = []
    for place, token in _at_top(tokens):
        if token.token_type is TokenType.OR:
            at.append(place)
        elif token.token_type is TokenType.AND:
            return None
    if len(at) != 1:
        return None
    sides = [tokens[: at[0]], tokens[at[0] + 1 :]]
    if not all(sides):
        return None
    parsed = [_parse(made.text[side[0].start : side[-1].end + 1], dialect, line) for side in sides]
    for guard, other, condition in ((1, 0, sides[0]), (0, 1, sides[1])):
        is_bound = isinstance(parsed[other], exp.GTE | exp.GT | exp.LTE | exp.LT)
        if is_bound and _is_guard(parsed[guard]) and _asked_by(parsed[guard]) in parsed[other].sql():
            return condition
    return None


def _alternatives(tokens: Sequence[Token], made: Substituted, dialect: str, line: int) -> list[Comparison]:
    """The lower bounds of one expression of which any will do: `ts > a or ts >= b`; empty if that is not all there
    is.
    """
    top = dict(_at_top(tokens))
    if any(token.token_type is TokenType.AND for token in top.values()):
        return []
    ends = [at for at, token in top.items() if token.token_type is TokenType.OR]
    starts = [0, *(at + 1 for at in ends)]
    parts = [list(tokens[start:end]) for start, end in zip(starts, [*ends, len(tokens)], strict=True)]
    if len(parts) < 2 or not all(parts) or _without_guard(tokens, made, dialect, line) is not None:
        return []
    read = Filter(Block("if", []), "", ends_with_and=False, comparisons=[], body=(made.start, made.start))
    for part in parts:
        _add(part, made, dialect, line, read)
    found = read.comparisons
    if len(found) != len(parts) or any(
        one.operator not in (">", ">=") or one.expression != found[0].expression for one in found
    ):
        return []
    start, end = made.original(tokens[0].start, tokens[-1].end + 1)
    return [replace(one, start=start, end=end, is_alternative=True) for one in found]


def _asked_by(guard: exp.Expr) -> str:
    """The expression whose newest value a guard asks for: another column may be NULL in every row."""
    return next(guard.find_all(exp.Max)).sql()


def _is_guard(condition: exp.Expr) -> bool:
    """Whether a condition says that the model's own table is empty."""
    while isinstance(condition, exp.Paren):
        condition = condition.this
    if not isinstance(condition, exp.Is) or not isinstance(condition.expression, exp.Null):
        return False
    query = condition.this
    query = query.this if isinstance(query, exp.Subquery) else query
    is_query = isinstance(query, exp.Select) and not any(
        value for key, value in query.args.items() if key not in ("kind", "expressions", "from_", "from")
    )
    tables = [table.name for table in query.find_all(exp.Table)]
    return is_query and tables == [THIS] and all(isinstance(one.unalias(), exp.Max) for one in query.expressions)


def _add(tokens: Sequence[Token], made: Substituted, dialect: str, line: int, found: Filter) -> None:
    if not tokens:
        raise NoFilter(MigrateCode.UnreadableBlock, "a condition is missing", line=line)
    first, last = tokens[0], tokens[-1]
    if first.token_type is TokenType.L_PAREN and _closes_at(tokens) == len(tokens) - 1:
        inner = tokens[1:-1]
        if inner and inner[0].token_type is not TokenType.SELECT:
            either = _alternatives(inner, made, dialect, line)
            found.comparisons += either
            if not either:
                _split(inner, made, dialect, line, found)
            return
    start, end = first.start, last.end + 1
    place = made.original(start, end)
    operator_at = _operator(tokens)
    whole = made.text[start:end]
    is_tag = made.cuts_a_tag(start, end)
    condition = _parse(whole, dialect, line)
    days = next((at for at, token in enumerate(tokens) if token.token_type is TokenType.IN), None)
    if isinstance(condition, exp.In) and condition.expressions and days:
        listed = _source(made, tokens[:days])
        found.comparisons.append(
            Comparison(condition, whole, "", "other", [], *place, is_whole_tag=is_tag, listed=listed)
        )
        return
    if operator_at is None or not isinstance(condition, exp.Between | exp.GTE | exp.GT | exp.LTE | exp.LT | exp.EQ):
        found.comparisons.append(Comparison(condition, whole, "", "other", [], *place, is_whole_tag=is_tag))
        return
    left, right = tokens[:operator_at], tokens[operator_at + 1 :]
    if not left or not right:
        raise NoFilter(MigrateCode.UnreadableBlock, f"`{_short(whole)}` cannot be read", line=line)
    is_between = isinstance(condition, exp.Between)
    others = [condition.args["low"], condition.args["high"]] if is_between else [condition.expression]
    operator = _COMPARED[tokens[operator_at].token_type]
    written = [_source(made, part) for part in (left, right)]
    found.comparisons.append(
        Comparison(condition.this, written[0], written[1], operator, others, *place, is_whole_tag=is_tag)
    )


def _source(made: Substituted, tokens: Sequence[Token]) -> str:
    """The original text of a piece; if a macro produced it, the macro's output."""
    start, end = tokens[0].start, tokens[-1].end + 1
    if made.cuts_a_tag(start, end):
        return made.text[start:end]
    first, last = made.original(start, end)
    return made.whole[first:last]


def _operator(tokens: Sequence[Token]) -> int | None:
    return next((at for at, token in _at_top(tokens) if token.token_type in _COMPARED), None)


def _closes_at(tokens: Sequence[Token]) -> int | None:
    depth = 0
    for at, token in enumerate(tokens):
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if depth == 0:
            return at
    return None


def _parse(written: str, dialect: str, line: int) -> exp.Expr:
    try:
        query = sqlglot.parse_one("select 1 where " + with_plain_lengths(written), read=dialect)
    except (SqlglotError, RecursionError) as error:
        raise NoFilter(MigrateCode.UnreadableBlock, f"`{_short(written)}` cannot be read as SQL", line=line) from error
    where = query.args.get("where")
    extra = [key for key, value in query.args.items() if value and key not in ("where", "expressions", "kind")]
    if where is None or extra:
        raise NoFilter(MigrateCode.UnreadableBlock, f"`{_short(written)}` is more than a condition", line=line)
    return where.this  # type: ignore[no-any-return]


def _short(written: str) -> str:
    return re.sub(r"\s+", " ", written)[:100]
