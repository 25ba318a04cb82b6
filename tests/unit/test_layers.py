"""Which parts of the command may know which others."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import dbt_kinds

PACKAGE = Path(dbt_kinds.__file__).parent


def imports_of(path: Path) -> set[str]:
    """The modules that a file imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            found.add(node.module or "")
    return found


def test_translation_knows_no_tool() -> None:
    files = sorted((PACKAGE / "translation").rglob("*.py"))
    assert len(files) > 20
    known = ("dbt_kinds.translation", "dbt_kinds.kinds", "dbt_kinds.placeholders")
    unwanted = {
        (path.name, module)
        for path in files
        for module in imports_of(path)
        if module.split(".")[0] == "dbt_kinds" and not module.startswith(known)
    }
    assert not unwanted


@pytest.mark.parametrize(
    ("reader", "others"),
    [
        ("vulcan", ("sqlmesh", "smelt", "ondatrasql")),
        ("smelt", ("sqlmesh", "vulcan", "ondatrasql")),
        ("ondatrasql", ("sqlmesh", "smelt", "vulcan")),
    ],
)
def test_a_reader_of_one_tool_knows_none_of_another(reader: str, others: tuple[str, ...]) -> None:
    files = sorted((PACKAGE / "readers" / reader).rglob("*.py"))
    unwanted = tuple(f"dbt_kinds.readers.{other}" for other in others)
    assert files and not [
        (path.name, module) for path in files for module in imports_of(path) if module.startswith(unwanted)
    ]
