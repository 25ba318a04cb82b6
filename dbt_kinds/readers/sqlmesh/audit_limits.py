"""Arguments with which the package's tests are meaningless: whatever their macros refuse is refused when compiling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# the smallest and greatest value of an argument; None means no bound
_LIMITS: dict[tuple[str, str], tuple[float, float | None]] = {
    ("number_of_rows", "threshold"): (0, None),
    ("not_null_proportion", "threshold"): (0, 1),
    ("z_score", "threshold"): (0, None),
    ("kl_divergence", "threshold"): (0, None),
    ("chi_square", "critical_value"): (0, None),
    ("string_length_equal", "v"): (0, None),
}
_RANGES = frozenset({"accepted_range", "mean_in_range", "stddev_in_range", "string_length_between"})
_LISTS = ("is_in", "values", "patterns", "criteria", "columns")


def broken_limit(name: str, arguments: Mapping[str, Any]) -> tuple[str, str] | None:
    """The argument that the macro of a package's test would refuse, and why; None if there is none.

    Args:
        name: of the test, without `dbt_kinds.`.
    """
    for key in _LISTS:
        if key in arguments and arguments[key] == []:
            return key, f"{key} is empty; write at least one value"
    if name in _RANGES:
        low, high = _number(arguments.get("min_v")), _number(arguments.get("max_v"))
        if arguments.get("min_v") is None and arguments.get("max_v") is None:
            return "column", "without min_v and max_v it could not fail; write one of them, or both"
        if low is not None and high is not None and low > high:
            return "min_v", f"min_v {arguments['min_v']} is greater than max_v {arguments['max_v']}; exchange them"
    for key, value in arguments.items():
        number, limits = _number(value), _LIMITS.get((name, key))
        if number is None or limits is None:
            continue
        least, most = limits
        if number < least or (most is not None and number > most):
            wanted = f"between {least:g} and {most:g}" if most is not None else f"{least:g} or more"
            return key, f"{key} is {value}; write a number that is {wanted}"
        if name == "number_of_rows" and number != int(number):
            return key, f"{key} is {value}; write a whole number"
    return None


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None
