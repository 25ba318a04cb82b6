"""The syntax of regular expressions: RE2's, POSIX' and Postgres' own as Java's, which Spark reads.

Java takes `[[:alpha:]]` for a class of the characters `:`, `a`, `h`, `l` and `p`, and `[a[b]` for two classes.
"""

from __future__ import annotations

import re

from sqlglot import exp

from dbt_kinds.translation.dialects import is_spark

_NODES = (
    *(exp.RegexpCount, exp.RegexpExtract, exp.RegexpExtractAll, exp.RegexpFullMatch, exp.RegexpILike, exp.RegexpInstr),
    *(exp.RegexpLike, exp.RegexpReplace, exp.RegexpSplit, exp.SimilarTo),
)
# letters and digits are those of Unicode
_KNOWS_UNICODE = frozenset({"materialize", "postgres", "risingwave"})
_CLASSES = {
    **{"alnum": r"\p{Alnum}", "alpha": r"\p{Alpha}", "ascii": r"\p{ASCII}", "blank": r"\p{Blank}"},
    **{"cntrl": r"\p{Cntrl}", "digit": "0-9", "graph": r"\p{Graph}", "lower": r"\p{Lower}", "print": r"\p{Print}"},
    **{"punct": r"\p{Punct}\p{S}", "space": r"\s", "upper": r"\p{Upper}", "word": r"\w", "xdigit": r"\p{XDigit}"},
}
_BORDERS = {r"\m": r"\b(?=\w)", r"\M": r"\b(?<=\w)", r"\y": r"\b", r"\Y": r"\B", r"\Z": r"\z"}
_TOKEN = re.compile(r"(?P<escape>\\.)|(?P<group>\(\?P<)|(?P<open>\[\^?)(?P<first>\]?)|.", re.DOTALL)
_IN_CLASS = re.compile(
    r"(?P<escape>\\.)|\[:(?P<not>\^?)(?P<name>[a-z]+):\]|(?P<close>\])|(?P<bracket>\[)|(?P<and>&&)|.", re.DOTALL
)
_IS_UNICODE = re.compile(r"\\[wWsSbBmMyY]|\[:\^?[a-z]+:\]")


def spell_patterns(tree: exp.Expr, dialect: str) -> None:
    """Writes the patterns of a tree that are literals in Java's syntax."""
    if is_spark(dialect):
        return
    for node in tree.find_all(*_NODES, exp.Anonymous):
        is_call = isinstance(node, exp.Anonymous) and node.name.upper().startswith("REGEXP_")
        pattern = node.expressions[1] if is_call and len(node.expressions) > 1 else node.args.get("expression")
        if isinstance(pattern, exp.Literal) and pattern.is_string and (is_call or isinstance(node, _NODES)):
            pattern.set("this", for_java(pattern.name, dialect))


def for_java(pattern: str, dialect: str) -> str:
    """A regular expression of a dialect as one of Java's with the same meaning."""
    is_unicode = dialect in _KNOWS_UNICODE and _IS_UNICODE.search(pattern) is not None
    made, is_inside, position = [], False, 0
    while token := (_IN_CLASS if is_inside else _TOKEN).match(pattern, position):
        position = token.end()
        text = token[0]
        if token["escape"]:
            text = _escape(text, is_inside, dialect, is_unicode)
        elif is_inside:
            text = _in_class(token, is_unicode)
            is_inside = not token["close"]
        elif token["group"]:
            text = "(?<"
        elif token["open"]:
            text = token["open"] + token["first"].replace("]", r"\]")
            is_inside = True
        made.append(text)
    spelt = "".join(made)
    return f"(?U){spelt}" if is_unicode else spelt


def _escape(text: str, is_inside: bool, dialect: str, is_unicode: bool) -> str:
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
