"""The syntax of regular expressions: RE2's, POSIX' and Postgres' own as Java's, which Spark reads.

Java takes `[[:alpha:]]` for a class of the characters `:`, `a`, `h`, `l` and `p`, and `[a[b]` for two classes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from dbt_kinds.translation.dialects import TRINO_FAMILY, is_spark
from dbt_kinds.translation.not_in_spark import NotInSpark

_NODES = (
    *(exp.RegexpCount, exp.RegexpExtract, exp.RegexpExtractAll, exp.RegexpFullMatch, exp.RegexpILike, exp.RegexpInstr),
    *(exp.RegexpLike, exp.RegexpReplace, exp.RegexpSplit, exp.SimilarTo),
    exp.Substring,
)
# a dot is anything but a newline, also what else Java takes for the end of a line
_DOT_IS_NO_NEWLINE = TRINO_FAMILY | {"bigquery", "duckdb"}
_DOT_IS_ANYTHING = frozenset({"materialize", "postgres", "risingwave"})
# RE2, whose \s has no vertical tab
_BLANKS_BUT_VERTICAL_TAB = frozenset({"bigquery", "duckdb"})
_BLANKS = {r"\s": r"\t\n\f\r ", r"\S": r"\S\x0B"}
# letters and digits are those of Unicode
_KNOWS_UNICODE = frozenset({"materialize", "postgres", "risingwave"})
_FLAGS = ("flag", "modifiers", "options", "parameters")
_CLASSES = {
    **{"alnum": r"\p{Alnum}", "alpha": r"\p{Alpha}", "ascii": r"\p{ASCII}", "blank": r"\p{Blank}"},
    **{"cntrl": r"\p{Cntrl}", "digit": "0-9", "graph": r"\p{Graph}", "lower": r"\p{Lower}", "print": r"\p{Print}"},
    **{"punct": r"\p{Punct}\p{S}", "space": r"\s", "upper": r"\p{Upper}", "word": r"\w", "xdigit": r"\p{XDigit}"},
}
_BORDERS = {
    **{r"\m": r"\b(?=\w)", r"\M": r"\b(?<=\w)", r"\y": r"\b", r"\Y": r"\B", r"\Z": r"\z"},
    # a backspace and a backslash
    **{r"\b": r"\x08", r"\B": r"\\"},
}
_TOKEN = re.compile(
    r"(?P<escape>\\.)|(?P<name>\(\?P?<(?![=!]))|(?P<flags>\(\?[a-z]*i[a-z]*(?=[-:)]))|(?P<group>\((?!\?))|"
    r"(?P<open>\[\^?)(?P<first>\]?)|(?P<dot>\.)|.",
    re.DOTALL,
)
_IN_CLASS = re.compile(
    r"(?P<escape>\\.)|\[:(?P<not>\^?)(?P<name>[a-z]+):\]|(?P<close>\])|(?P<bracket>\[)|(?P<and>&&)|.", re.DOTALL
)
# at the beginning of a pattern of Postgres'
_OPTIONS = re.compile(r"\(\?([a-z]+)\)")
_IS_UNICODE = re.compile(r"\\[wWsSbBmMyY]|\[:\^?[a-z]+:\]")


def spell_patterns(tree: exp.Expr, dialect: str) -> None:
    """Writes the patterns of a tree that are literals in Java's syntax."""
    if is_spark(dialect):
        return
    for node in tree.find_all(*_NODES, exp.Anonymous):
        is_call = isinstance(node, exp.Anonymous) and node.name.upper().startswith("REGEXP_")
        pattern = node.expressions[1] if is_call and len(node.expressions) > 1 else node.args.get("expression")
        if isinstance(node, exp.Substring):
            pattern = node.args.get("start")
        if isinstance(pattern, exp.Literal) and pattern.is_string and (is_call or isinstance(node, _NODES)):
            flags = next((given.name for name in _FLAGS if (given := node.args.get(name)) is not None), "")
            _refuse_options(pattern, dialect)
            pattern.set("this", for_java(pattern.name, dialect, is_dot_all="s" in flags))


def _refuse_options(pattern: exp.Literal, dialect: str) -> None:
    options = _OPTIONS.match(pattern.name) if dialect in _KNOWS_UNICODE else None
    if options is not None and set(options[1]) - set("is"):
        raise NotInSpark(f"the option {options[0]} of a pattern of {dialect} has no counterpart in Spark", pattern)


def for_java(pattern: str, dialect: str, *, is_dot_all: bool = False) -> str:
    """A regular expression of a dialect as one of Java's with the same meaning.

    Args:
        pattern: the expression.
        dialect: its dialect.
        is_dot_all: whether flags say that a dot is any character.
    """
    if dialect in _KNOWS_UNICODE:
        pattern = pattern.replace("[[:<:]]", r"\m").replace("[[:>:]]", r"\M")
    is_unicode = dialect in _KNOWS_UNICODE and _IS_UNICODE.search(pattern) is not None
    made, has_dot = [], False
    for token, is_inside in _tokens(pattern):
        text = token[0]
        if token["escape"] and not (is_inside and _is_any_character(token)):
            text = _escape(text, is_inside, dialect, is_unicode)
        elif is_inside:
            text = _in_class(token, is_unicode)
        elif token["name"]:
            text = "(?<"
        elif token["flags"]:
            text = f"{text}u"
        elif token["open"]:
            text = token["open"] + token["first"].replace("]", r"\]")
        has_dot = has_dot or (not is_inside and bool(token["dot"]))
        made.append(text)
    has_dot = has_dot and not is_dot_all
    flags = "U" * is_unicode + "s" * (has_dot and dialect in _DOT_IS_ANYTHING)
    flags += "d" * (has_dot and dialect in _DOT_IS_NO_NEWLINE)
    return f"(?{flags}){''.join(made)}" if flags else "".join(made)


def group_count(pattern: str) -> int:
    """The number of groups that a match captures."""
    return sum(not is_inside and bool(token["group"] or token["name"]) for token, is_inside in _tokens(pattern))


def inline_flags(flags: str) -> str:
    """Flags of a pattern within it; letters of any case are those of Unicode."""
    given = "".join(flag for flag in "ims" if flag in flags)
    return f"(?{given.replace('i', 'iu')})" if given else ""


def _tokens(pattern: str) -> Iterator[tuple[re.Match[str], bool]]:
    """The parts of a pattern, and whether each is in a class of characters."""
    is_inside, position = False, 0
    while token := (_IN_CLASS if is_inside else _TOKEN).match(pattern, position):
        yield token, is_inside
        position = token.end()
        is_inside = not token["close"] if is_inside else bool(token["open"])


def _is_any_character(token: re.Match[str]) -> bool:
    r"""Whether it is a half of `\s\S`."""
    around = token.string[max(token.start() - 2, 0) : token.end() + 2]
    return r"\s\S" in around or r"\S\s" in around


def _escape(text: str, is_inside: bool, dialect: str, is_unicode: bool) -> str:
    if text in _BLANKS and dialect in _BLANKS_BUT_VERTICAL_TAB:
        return _BLANKS[text] if is_inside else f"[{_BLANKS[text]}]"
    if text == r"\v" and dialect in _BLANKS_BUT_VERTICAL_TAB | _KNOWS_UNICODE:
        return r"\x0B"
    if is_unicode and text == r"\d":
        return "0-9" if is_inside else "[0-9]"
    if is_unicode and text == r"\D" and not is_inside:
        return "[^0-9]"
    return _BORDERS.get(text, text) if dialect in _KNOWS_UNICODE and not is_inside else text


def _in_class(token: re.Match[str], is_unicode: bool) -> str:
    if token["name"] in _CLASSES:
        made = _CLASSES[token["name"]]
        # without Unicode's classes, Java's punctuation has the signs of ASCII
        made = made if is_unicode else made.removesuffix(r"\p{S}")
        return _complement(made) if token["not"] else made
    if token["and"]:
        return r"&\&"
    return r"\[" if token["bracket"] else token[0]


def _complement(made: str) -> str:
    """A class without those characters; Java reads a negated class within a class otherwise."""
    if made.startswith("\\") and made.count("\\") == 1:
        return f"\\{made[1].upper()}{made[2:]}"
    return r"\D" if made == "0-9" else f"[^{made}]"
