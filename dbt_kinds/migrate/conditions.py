"""Conditions that are joined by AND: what each compares, and where it stands in the model's text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import sqlglot
from sqlglot import Token, TokenType, exp
from sqlglot.errors import SqlglotError

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import NoFilter
from dbt_kinds.migrate.substitution import Substituted, Template, substituted
from dbt_kinds.readers.dbt.rendering import THIS, with_plain_lengths

_COMPARED = {
    TokenType.GTE: ">=",
    TokenType.GT: ">",
    TokenType.LTE: "<=",
    TokenType.LT: "<",
    TokenType.EQ: "=",
    TokenType.BETWEEN: "between",
}
_FLIPPED = {">=": "<=", ">": "<", "<=": ">=", "<": ">", "=": "="}
# words with which conditions end
CLAUSES = frozenset(
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
        TokenType.SEMICOLON,
        TokenType.WINDOW,
    }
)
# those that make a block more than conditions
MORE = CLAUSES | {
    TokenType.WITH,
    TokenType.COMMA,
    TokenType.LEFT,
    TokenType.INNER,
    TokenType.CROSS,
    TokenType.ON,
    TokenType.WHERE,
    TokenType.ALIAS,
}
IN_FILTER = "write what it finds into the filter that uses it"
# of conditions of which any will do, a bound on one column is read: `(ts > a or ts > b)`
_TOLD_OF_MORE = {
    TokenType.WHERE: "more before its WHERE, such as a table that other runs do not read; only conditions are read",
    TokenType.COMMA: "more after a comma, such as columns or a CTE, which other runs do not have; only conditions are "
    "read",
    TokenType.OR: "conditions of which any will do (OR), and a window is a range of one column; compare greatest() of "
    "their columns, or keep one",
}


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
class Conditions:
    """Conditions, and where the ANDs between them stand in the model's text."""

    comparisons: list[Comparison] = field(default_factory=list)
    ands: list[tuple[int, int]] = field(default_factory=list)


def read_condition(template: Template, start: int, end: int) -> Comparison:
    """Parses the condition between two positions.

    Raises:
        Left: it cannot be parsed.
    """
    made = substituted(template, start, end)
    try:
        found = conditions_in(sqlglot.tokenize(made.text, read=made.dialect), made)
    except SqlglotError as error:
        raise NoFilter(MigrateCode.UnreadableBlock, "the condition cannot be read as SQL", line=made.line) from error
    if len(found.comparisons) != 1 or found.comparisons[0].operator == "other":
        raise NoFilter(MigrateCode.UnreadableBlock, "the condition compares no two things", line=made.line)
    return found.comparisons[0]


def conditions_in(tokens: Sequence[Token], made: Substituted) -> Conditions:
    """The conditions between ANDs outside parentheses.

    Raises:
        NoFilter (SecondUseOfIsIncremental): the tokens are more than conditions.
        NoFilter (UnreadableBlock): one cannot be parsed.
    """
    found = Conditions()
    _split(tokens, made, found)
    return found


def other_cte(name: str, made: Substituted) -> NoFilter:
    """Why a CTE that only some runs have is no condition."""
    reads_own = ", and reads the model's own table in it" if THIS in made.text else ""
    return NoFilter(
        MigrateCode.SecondUseOfIsIncremental,
        f"the block has the CTE {name}, which other runs do not have{reads_own}; {IN_FILTER}",
        line=made.line,
    )


def _split(tokens: Sequence[Token], made: Substituted, found: Conditions) -> None:
    guarded = _without_guard(tokens, made)
    if guarded is not None:
        _add(guarded, made, found)
        # the guard goes with what it guards
        start, end = made.original(tokens[0].start, tokens[-1].end + 1)
        found.comparisons[-1] = replace(found.comparisons[-1], start=start, end=end)
        return
    depth, between, case, part = 0, False, 0, 0
    for at, token in enumerate([*tokens, None]):
        if token is None or (token.token_type is TokenType.AND and depth == 0 and not between and case == 0):
            _add(tokens[part:at], made, found)
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
            raise other_cte(tokens[at - 1].text, made)
        if depth == 0 and case == 0 and token.token_type in MORE:
            following = [one.token_type for one in tokens[at + 2 : at + 4]]
            if token.token_type is TokenType.COMMA and following == [TokenType.ALIAS, TokenType.L_PAREN]:
                raise other_cte(tokens[at + 1].text, made)
            told = _TOLD_OF_MORE.get(token.token_type, f"{token.text} in it; only conditions are read")
            raise NoFilter(MigrateCode.SecondUseOfIsIncremental, f"the block has {told}", line=made.line)
        if depth < 0:
            raise NoFilter(
                MigrateCode.SecondUseOfIsIncremental, "the block closes a bracket that it does not open", line=made.line
            )


def _without_guard(tokens: Sequence[Token], made: Substituted) -> Sequence[Token] | None:
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
    parsed = [_parse(made.text[side[0].start : side[-1].end + 1], made) for side in sides]
    for guard, other, condition in ((1, 0, sides[0]), (0, 1, sides[1])):
        is_bound = isinstance(parsed[other], exp.GTE | exp.GT | exp.LTE | exp.LT)
        if is_bound and _is_guard(parsed[guard]) and _asked_by(parsed[guard]) in parsed[other].sql():
            return condition
    return None


def _alternatives(tokens: Sequence[Token], made: Substituted) -> list[Comparison]:
    """The lower bounds of one expression of which any will do: `ts > a or ts >= b`; empty if that is not all there
    is.
    """
    top = dict(_at_top(tokens))
    if any(token.token_type is TokenType.AND for token in top.values()):
        return []
    ends = [at for at, token in top.items() if token.token_type is TokenType.OR]
    starts = [0, *(at + 1 for at in ends)]
    parts = [list(tokens[start:end]) for start, end in zip(starts, [*ends, len(tokens)], strict=True)]
    if len(parts) < 2 or not all(parts) or _without_guard(tokens, made) is not None:
        return []
    read = Conditions()
    for part in parts:
        _add(part, made, read)
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


def _add(tokens: Sequence[Token], made: Substituted, found: Conditions) -> None:
    if not tokens:
        raise NoFilter(MigrateCode.UnreadableBlock, "a condition is missing", line=made.line)
    first, last = tokens[0], tokens[-1]
    if first.token_type is TokenType.L_PAREN and _closes_at(tokens) == len(tokens) - 1:
        inner = tokens[1:-1]
        if inner and inner[0].token_type is not TokenType.SELECT:
            either = _alternatives(inner, made)
            found.comparisons += either
            if not either:
                _split(inner, made, found)
            return
    start, end = first.start, last.end + 1
    place = made.original(start, end)
    operator_at = _operator(tokens)
    whole = made.text[start:end]
    is_tag = made.cuts_a_tag(start, end)
    condition = _parse(whole, made)
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
        raise NoFilter(MigrateCode.UnreadableBlock, f"`{_short(whole)}` cannot be read", line=made.line)
    is_between = isinstance(condition, exp.Between)
    others = [condition.args["low"], condition.args["high"]] if is_between else [condition.expression]
    operator = _COMPARED[tokens[operator_at].token_type]
    written = [_source(made, part) for part in (left, right)]
    found.comparisons.append(
        Comparison(condition.this, written[0], written[1], operator, others, *place, is_whole_tag=is_tag)
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


def _source(made: Substituted, tokens: Sequence[Token]) -> str:
    """The original text of a piece; if a macro produced it, the macro's output."""
    start, end = tokens[0].start, tokens[-1].end + 1
    if made.cuts_a_tag(start, end):
        return made.text[start:end]
    first, last = made.original(start, end)
    return made.template.text[first:last]


def _operator(tokens: Sequence[Token]) -> int | None:
    return next((at for at, token in _at_top(tokens) if token.token_type in _COMPARED), None)


def _closes_at(tokens: Sequence[Token]) -> int | None:
    depth = 0
    for at, token in enumerate(tokens):
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if depth == 0:
            return at
    return None


def _parse(written: str, made: Substituted) -> exp.Expr:
    try:
        query = sqlglot.parse_one("select 1 where " + with_plain_lengths(written), read=made.dialect)
    except (SqlglotError, RecursionError) as error:
        raise NoFilter(
            MigrateCode.UnreadableBlock, f"`{_short(written)}` cannot be read as SQL", line=made.line
        ) from error
    where = query.args.get("where")
    extra = [key for key, value in query.args.items() if value and key not in ("where", "expressions", "kind")]
    if where is None or extra:
        raise NoFilter(MigrateCode.UnreadableBlock, f"`{_short(written)}` is more than a condition", line=made.line)
    return where.this  # type: ignore[no-any-return]


def _short(written: str) -> str:
    return re.sub(r"\s+", " ", written)[:100]
