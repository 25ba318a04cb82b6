"""Macros use nothing that dbt 2.0 (Fusion) lacks or reads in another way; the rules are in engines.py."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tests.unit.engines import EXCEPTIONS, RULES, Rule, problems
from tests.unit.macros import MACROS

FILES = sorted(MACROS.rglob("*.sql"))
# of any other dbt 2.0 warns (dbt1506, measured on 2.0.0rc196), and dbt-core 1.12 does
KNOWN_TYPES = {
    *("string", "str", "bool", "integer", "int", "float", "any"),
    *("relation", "column", "list", "dict", "optional"),
}
by_rule = pytest.mark.parametrize("rule", RULES, ids=[rule.name for rule in RULES])


@by_rule
def test_no_macro_uses_what_an_engine_lacks(rule: Rule) -> None:
    found = []
    for file in FILES:
        name = file.relative_to(MACROS).as_posix()
        lines = problems(rule, file.read_text())
        allowed, _ = EXCEPTIONS.get((rule.name, name), (0, ""))
        if len(lines) != allowed:
            found += [f"macros/{name}:{line}: {rule.name}; write {rule.instead}" for line in lines]
            found += [f"macros/{name}: {rule.name} is an exception that is no longer needed"] * (not lines)
    assert not found, "\n".join(found)


@by_rule
def test_the_construct_is_refused(rule: Rule) -> None:
    for text in rule.refused:
        assert problems(rule, "\n" + text) == [2], text
        assert problems(rule, "{% macro one() %}\n" + text + "{% endmacro %}") == [2], text


@by_rule
def test_what_to_write_instead_is_accepted(rule: Rule) -> None:
    for text in rule.accepted:
        assert [other.name for other in RULES if problems(other, text)] == []


def test_exceptions_name_a_rule_a_file_and_a_reason() -> None:
    for (rule, file), (count, reason) in EXCEPTIONS.items():
        assert rule in {known.name for known in RULES} and (MACROS / file).exists()
        assert count > 0 and reason


@pytest.mark.parametrize("file", sorted(MACROS.rglob("*.yml")), ids=lambda file: file.stem)
def test_types_of_arguments_are_those_that_dbt_2_knows(file: Path) -> None:
    macros = yaml.safe_load(file.read_text())["macros"]
    types = {argument["type"] for macro in macros for argument in macro.get("arguments", []) if "type" in argument}
    words = {word.lower() for type_ in types for word in re.findall(r"\w+", type_)}
    assert words <= KNOWN_TYPES, "write any"
