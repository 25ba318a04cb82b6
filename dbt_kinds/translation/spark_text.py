"""Whether text of Spark's own family can be kept as it is."""

from __future__ import annotations

import re

from sqlglot import exp

from dbt_kinds.translation.scan import code_only, without_comments


def needs_rewrite(tree: exp.Expr) -> bool:
    """Whether SQL of Spark's own family contains constructs that Spark 3.5 refuses."""
    for node in tree.walk():
        if isinstance(node, exp.Qualify | exp.GroupConcat):
            return True
        if isinstance(node, exp.Star) and (node.args.get("except_") or node.args.get("replace")):
            return True
        if isinstance(node, exp.Distinct) and node.args.get("on"):
            return True
        if isinstance(node, exp.SetOperation) and node.args.get("by_name"):
            return True
        if isinstance(node, exp.IgnoreNulls) and isinstance(node.this, exp.ArrayAgg):
            return True
        if isinstance(node, exp.Extract) and node.name.upper() == "EPOCH":
            return True
    return False


def is_spelt_for_spark(text: str) -> bool:
    """Whether Spark SQL as parsed by sqlglot is also valid in Spark 3.5: no `::`, `AS "a"`, `{# comment #}`."""
    code = code_only(text)
    return "::" not in code and "{#" not in text and not re.search(r'\bAS\s+"', without_comments(text), re.IGNORECASE)
