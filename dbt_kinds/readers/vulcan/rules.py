"""The grammar of check rules: `missing_percent(email) < 5`, `row_count between 1 and 10`, `failed rows`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

_COMPARISON = re.compile(
    r"(?P<metric>[a-z][a-z0-9_]*)\s*(?:\((?P<arguments>.*)\))?\s*"
    r"(?:(?P<operator><=|>=|<>|!=|==|=|<|>)\s*(?P<value>.+)"
    r"|(?P<negation>not\s+)?between\s+(?P<low>.+?)\s+and\s+(?P<high>.+))",
    re.IGNORECASE | re.DOTALL,
)
_HISTORY = re.compile(r"^(anomaly\s|change\s)|\bhistorical_", re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?[\d_,]*\.?\d+(?:e[-+]?\d+)?", re.IGNORECASE)
_OPERATORS = {"==": "=", "!=": "<>"}


@dataclass(frozen=True)
class Comparison:
    """A metric compared with numbers.

    Attributes:
        metric: in lower case.
        arguments: the contents of its parentheses, split at commas.
        operator: =, <>, <, <=, >, >=, between or not between.
        bounds: one number, or two.
    """

    metric: str
    arguments: tuple[str, ...]
    operator: str
    bounds: tuple[Decimal, ...]


def needs_history(rule: str) -> bool:
    """Whether a rule compares with the measurements of earlier runs."""
    return _HISTORY.search(rule.strip()) is not None


def is_failed_rows(rule: str) -> bool:
    """Whether a rule is a query for wrong rows."""
    return rule.strip().lower().rstrip(":").strip() in ("failed rows", "failed_rows")


def read_comparison(rule: str) -> Comparison | None:
    """Parses a rule as a comparison; None if it is not one."""
    found = _COMPARISON.fullmatch(rule.strip())
    if found is None:
        return None
    arguments = tuple(part.strip() for part in _split(found["arguments"] or "") if part.strip())
    written = [found["value"]] if found["operator"] else [found["low"], found["high"]]
    bounds = [_number(text) for text in written]
    if any(bound is None for bound in bounds):
        return None
    operator = found["operator"] or ("not between" if found["negation"] else "between")
    return Comparison(
        found["metric"].lower(),
        arguments,
        _OPERATORS.get(operator, operator),
        tuple(bound for bound in bounds if bound is not None),
    )


def _number(text: str) -> Decimal | None:
    plain = text.strip().rstrip("%").strip()
    if not _NUMBER.fullmatch(plain):
        return None
    try:
        number = Decimal(plain.replace(",", "").replace("_", ""))
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number.adjusted()) < 40 else None


def _split(text: str) -> list[str]:
    parts = [""]
    depth = 0
    quote = ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"`":
            quote = character
        elif character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        if character == "," and depth == 0 and not quote:
            parts.append("")
        else:
            parts[-1] += character
    return parts
