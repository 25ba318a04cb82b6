"""Regular expressions: Spark's RLIKE matches anywhere in the string, and accepts no flags."""

from __future__ import annotations

import re

from sqlglot import exp

from dbt_kinds.translation.calls import call
from dbt_kinds.translation.dialects import TRINO_FAMILY
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.pattern_syntax import group_count, inline_flags
from dbt_kinds.translation.rewrites import rewrites

_FLAGS = {"snowflake": frozenset("cims"), "mysql": frozenset("cim")}
_COMMON_FLAGS = frozenset("cis")
_OPTIONAL_GROUP = re.compile(r"(?<!\\)\)([?*]|\{0)")
_REPLACES_FIRST = frozenset({"duckdb", "postgres"})
_REFERS_BY_BACKSLASH = frozenset({"duckdb", "postgres", "bigquery", "snowflake"})
NULL_WITHOUT_MATCH = TRINO_FAMILY | {"bigquery", "snowflake"}


@rewrites(exp.RegexpLike)
def matches(node: exp.RegexpLike, dialect: str) -> exp.Expr:
    """`regexp_like(text, pattern, flags)`; Snowflake matches the whole string."""
    return _rlike(node, node.args.get("flag"), bool(node.args.get("full_match")), dialect)


@rewrites(exp.RegexpFullMatch, exp.SimilarTo)
def matches_whole(node: exp.RegexpFullMatch | exp.SimilarTo, dialect: str) -> exp.Expr:
    """`regexp_full_match(text, pattern, flags)` of DuckDB, and its SIMILAR TO, which is equivalent.

    Raises:
        NotInSpark: SIMILAR TO of another dialect, whose patterns are not regular expressions.
    """
    if isinstance(node, exp.SimilarTo) and dialect != "duckdb":
        raise NotInSpark("SIMILAR TO has no counterpart in Spark; write a regular expression", node)
    return _rlike(node, node.args.get("options"), True, dialect)


@rewrites(exp.RegexpILike)
def matches_any_case(node: exp.RegexpILike, dialect: str) -> exp.Expr:
    """`text ~* pattern`."""
    return _rlike(node, exp.Literal.string("i"), False, dialect)


@rewrites(exp.RegexpReplace)
def replaced(node: exp.RegexpReplace, dialect: str) -> exp.Expr:
    """Spark replaces every match, accepts no flags, and refers to groups by `$1`."""
    pattern, replacement = node.expression, node.args.get("replacement")
    flags = node.args.get("modifiers")
    if isinstance(replacement, exp.Lambda):
        raise NotInSpark("REGEXP_REPLACE by a function has no counterpart in Spark; replace by a text", node)
    if flags is not None and not isinstance(flags, exp.Literal):
        raise NotInSpark("flags of REGEXP_REPLACE that are no literal have no counterpart in Spark", node)
    given = flags.name if flags is not None else ""
    occurrence, position = node.args.get("occurrence"), node.args.get("position")
    if set(given) - set("gimsc") or (occurrence is not None and occurrence.name != "0"):
        raise NotInSpark("this form of REGEXP_REPLACE has no counterpart in Spark; use the flags g and i only", node)
    is_text = isinstance(replacement, exp.Literal) and isinstance(pattern, exp.Literal)
    only_first = dialect in _REPLACES_FIRST and "g" not in given
    if only_first and not is_text:
        message = (
            "REGEXP_REPLACE of the first match only; write pattern and replacement as literals, or replace all with 'g'"
        )
        raise NotInSpark(message, node)
    if not is_text and set(given) & set("ims"):
        raise NotInSpark("REGEXP_REPLACE with flags needs pattern and replacement as literals", node)
    if not is_text or (not given and not only_first and dialect not in _REFERS_BY_BACKSLASH):
        return node
    assert replacement is not None
    found, put = pattern.name, replacement.name
    if dialect in _REFERS_BY_BACKSLASH:
        whole = "&" if dialect == "postgres" else "0"
        put = re.sub(rf"\\([1-9]|{whole})", _group, put.replace("$", r"\$"))
    if only_first:
        found, put = _first_match(found, put, node)
    texts = [exp.Literal.string(inline_flags(given) + found), exp.Literal.string(put)]
    return call("REGEXP_REPLACE", node.this, *texts, *([position] if position is not None else []))


def _first_match(found: str, put: str, node: exp.Expr) -> tuple[str, str]:
    """A pattern of the first match and the rest of the string, which is put back."""
    if "$0" in put:
        found, put = _in_group("", found, put, node)
    found = f"(?:{found})([\\s\\S]*)$"
    if put and _may_be_empty(found):
        # an empty match at the end would be a second one
        found, put = _in_group("\\A([\\s\\S]*?)", found, f"$0{put}", node)
    return found, f"{put}${group_count(found)}"


def _in_group(before: str, found: str, put: str, node: exp.Expr) -> tuple[str, str]:
    """A pattern with one more group at its beginning: by default that of the whole match. References are renumbered."""
    if re.search(r"\\[1-9]", found):
        raise NotInSpark("REGEXP_REPLACE of the first match, with what it found, and a group in its own pattern", node)
    wrapped = f"{before}{found}" if before else f"({found})"
    return wrapped, re.sub(r"(?<!\\)\$(\d)", lambda group: f"${int(group[1]) + 1}", put)


def _may_be_empty(pattern: str) -> bool:
    """Whether a pattern matches an empty string, which is assumed of what Python does not read."""
    try:
        return re.search(re.sub(r"\(\?[a-zU]+\)", "", pattern), "") is not None
    except re.error:
        return True


def _group(reference: re.Match[str]) -> str:
    return f"${reference[1].replace('&', '0')}"


@rewrites(exp.RegexpExtract)
def extracted(node: exp.RegexpExtract, dialect: str) -> exp.Expr:
    """`regexp_extract(text, pattern, group)`: Spark returns an empty string without a match, and group 1 by default.

    Raises:
        NotInSpark: it has a later start position, a later match, or flags.
    """
    group = node.args.get("group")
    if group is not None and not (isinstance(group, exp.Literal) and group.is_int):
        raise NotInSpark("names of groups, or flags, of a search for a pattern have no counterpart in Spark", node)
    for argument, plain in (("position", "1"), ("occurrence", "1"), ("parameters", "e")):
        given = node.args.get(argument)
        if given is not None and given.name not in ("", "c", plain):
            raise NotInSpark(f"the {argument} of a search for a pattern has no counterpart in Spark", node)
    if "e" in (node.args["parameters"].name if node.args.get("parameters") is not None else ""):
        # the first group, unless another one is given; sqlglot has 0 for none
        group = exp.Literal.number(1) if group is None or group.name == "0" else group
    if dialect in NULL_WITHOUT_MATCH:
        return found_part(node.this, node.expression, group)
    return call("REGEXP_EXTRACT", node.this, node.expression, node.args.get("group") or exp.Literal.number(0))


@rewrites(exp.RegexpInstr)
def found_at(node: exp.RegexpInstr, dialect: str) -> exp.Expr:
    """`regexp_instr(text, pattern)`: Spark's third argument is a group, in other dialects it is the start position.

    Raises:
        NotInSpark: it has a later start position, or does not look for the first match.
    """
    for name, plain in (("position", "1"), ("occurrence", "1"), ("option", "0"), ("parameters", "c"), ("group", "0")):
        given = node.args.get(name)
        if given is not None and given.name != plain:
            raise NotInSpark(f"the {name} of REGEXP_INSTR has no counterpart in Spark", node)
    return call("REGEXP_INSTR", node.this, node.expression)


def found_part(text: exp.Expr, pattern: exp.Expr, group: exp.Expr | None) -> exp.Expr:
    """The match of a pattern, NULL without one; by default its group if it has one."""
    found = call("REGEXP_EXTRACT", text, pattern, group or exp.Literal.number(_first_group(pattern)))
    return exp.If(this=exp.RegexpLike(this=text.copy(), expression=pattern.copy()), true=found, false=exp.null())


def may_miss_group(node: exp.RegexpExtract) -> bool:
    """Whether a match may leave out the group that is read: an optional one, or one of several alternatives."""
    pattern = node.expression.name
    group = node.args.get("group")
    is_whole = group.name == "0" if group is not None else not group_count(pattern)
    return not is_whole and (_OPTIONAL_GROUP.search(pattern) is not None or _has_alternatives(pattern))


def _has_alternatives(pattern: str) -> bool:
    """Whether there is a | that is in no group."""
    depth = 0
    for sign in re.sub(r"\\\\.|\[[^]]*\]", "", pattern):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if sign == "|" and not depth:
            return True
    return False


def _first_group(pattern: exp.Expr) -> int:
    return min(group_count(pattern.name), 1)


def _rlike(node: exp.Expr, flags: exp.Expr | None, is_whole: bool, dialect: str) -> exp.Expr:
    """Moves flags and anchors into the pattern."""
    if flags is None and not is_whole:
        return node
    given = flags.name if isinstance(flags, exp.Literal) else ""
    if (flags is not None and not flags.is_string) or set(given) - _FLAGS.get(dialect, _COMMON_FLAGS):
        raise NotInSpark("these flags of a regular expression have no counterpart in Spark; use i and s only", node)
    # of 'c' and 'i' the last one wins
    sensitive = given.rfind("c") > given.rfind("i")
    before = inline_flags(given.replace("i", "") if sensitive else given) + ("^(?:" if is_whole else "")
    return exp.RegexpLike(this=node.this.copy(), expression=_wrapped(before, node.expression, ")$" if is_whole else ""))


def _wrapped(before: str, pattern: exp.Expr, after: str) -> exp.Expr:
    if isinstance(pattern, exp.Literal):
        return exp.Literal.string(f"{before}{pattern.name}{after}")
    parts = [exp.Literal.string(before), pattern.copy(), exp.Literal.string(after)]
    return exp.Anonymous(this="CONCAT", expressions=[part for part in parts if part.name or part is parts[1]])
