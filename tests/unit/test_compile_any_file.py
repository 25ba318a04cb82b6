"""Files of every reader, cut short and mutilated: a result, or an error of ours with file and line; never a traceback.

`KINDS_EXAMPLES=5000` makes the sweep long.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dbt_kinds.codes import CompileCode
from dbt_kinds.errors import CompileError
from dbt_kinds.writers.dbt_project import write_project
from tests.functional.every_kind_shop import SHOP as EVERY_KIND
from tests.sweep import size
from tests.unit import test_compile_unit_tests as unit_tests
from tests.unit import test_compile_vulcan as vulcan
from tests.unit.compiling import notes_of, read, read_files
from tests.unit.model_examples import examples
from tests.unit.test_compile_files import SHOP
from tests.unit.test_compile_kinds import KINDS
from tests.unit.test_compile_macros import EXPANSIONS
from tests.unit.test_compile_python_models import HANDED_OVER, python_model
from tests.unit.test_compile_queries import TRANSLATIONS

EXAMPLES = size("KINDS_EXAMPLES", 100, full=5000)

_TEXTS = [
    *(path.read_text(encoding="utf-8") for path in sorted(SHOP.rglob("models/**/*.sql"))),
    *(example.source() for example in examples() if example.language == "sql"),
    *(f"MODEL (name db.m, kind INCREMENTAL_UNMANAGED);\n{sql}" for sql, _ in EXPANSIONS),
    *(f"MODEL (name db.m, dialect {dialect});\n{sql}" for dialect, sql, _ in TRANSLATIONS),
    *(
        f"MODEL (name db.m, {block});\nSELECT id, ds FROM raw.t WHERE ds BETWEEN @start_ds AND @end_ds"
        for block, _, _ in KINDS
    ),
]
_PIECES = ["(", ")", "[", "]", "{", "}", ",", ";", "'", '"', "`", "@", "@{", "@'", "--", "/*", "*/", ":=", "=", ".", "::", "->", "{{", "}}", "{%", "@EACH(", "@IF(", "@DEF(", "@STAR(", "SELECT", "FROM", "WHERE", "MODEL", "AUDIT", "kind", "name", "NULL", "0", "-1", "1e999", "99999999999999999999", "JINJA_QUERY_BEGIN;", "JINJA_END;", "ON_VIRTUAL_UPDATE_BEGIN;", "é", "\u2028", "\x00", "\\", "$1", "?", "columns", "start", "end", "blueprints", "when_matched", "WHEN", "MATCHED", "THEN"]  # fmt: skip


_YAML_PIECES = ["'", '"', ":", ": ", "- ", "{", "}", "[", "]", ",", "#", "|", ">", "&a ", "*a", "<<: ", "!!python/object:os.system ", "? ", "\t", "\n", "\n  ", "---\n", "...", "~", "null", "yes", "2024-13-45", "2024-01-01", "1e999", "99999999999999999999", ".nan", "0o7", "{{", "{%", "\u2028", "\x00", "é", "@", "`", "%"]  # fmt: skip
_PYTHON_PIECES = ["(", ")", "[", "]", "{", "}", "'", '"', "\"\"\"", "f\"", "%s", "%", ":", "=", ",", "#", "\\", "\n", "\n    ", "\t", "return ", "lambda: ", "await ", "yield ", "**", "context.fetchdf(", "start", "end.date()", ".format(", "{start}", "@model(", "None", "1e999", "9" * 5000, "\x00", "é", "\u2028"]  # fmt: skip


@st.composite
def mutilated(draw: st.DrawFn) -> str:
    """A model file after one to four cuts, doublings, insertions or swaps."""
    text = draw(st.sampled_from(_TEXTS))
    return mutated(text, _PIECES, random.Random(draw(st.integers(0, 2**32))))


def mutated(text: str, pieces: list[str], choice: random.Random) -> str:
    """A text after one to four cuts, doublings, insertions or swaps."""
    for _ in range(choice.randint(1, 4)):
        start = choice.randrange(len(text) + 1)
        end = min(len(text), start + choice.choice([1, 3, 10, 40]))
        how = choice.randrange(5)
        if how == 0:
            text = text[:start]
        elif how == 1:
            text = text[:start] + text[end:]
        elif how == 2:
            text = text[:start] + choice.choice(pieces) + text[start:]
        elif how == 3:
            text = text[:start] + text[start:end] * 2 + text[end:]
        else:
            words = text.split(" ")
            one, other = choice.randrange(len(words)), choice.randrange(len(words))
            words[one], words[other] = words[other], words[one]
            text = " ".join(words)
    return text


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(mutilated())
def test_any_file_gives_a_model_or_an_error_with_its_line(text: str) -> None:
    compiled = read(text, files={"seeds/products.csv": "product_id;label;price\n1;a;2\n"})
    lines = text.count("\n") + 2
    for left in compiled.project.left_out:
        assert left.status in ("refused", "skipped")
        assert left.notes and left.notes[0].place.file == "models/model.sql", left
        assert 1 <= left.notes[0].place.line <= lines, (left.notes[0], text)
    assert compiled.project.left_out or compiled.project.models or compiled.project.seeds
    assert write_project(compiled.project, {"local": "."})


_SHOP_FILES = {
    path.relative_to(EVERY_KIND).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(EVERY_KIND.rglob("*"))
    if path.is_file()
}
_UNIT_TESTS = {"config.yaml": unit_tests.CONFIG, **unit_tests.MODELS}
_PYTHON = [
    *(python_model(body) for body, _ in HANDED_OVER),
    *(example.text for example in examples() if example.language == "python"),
    _SHOP_FILES["models/marts/large_orders.py"],
]
# what is read, the texts it may be, the files beside it, and what is put into it
_READERS: dict[str, tuple[str, list[str], Mapping[str, str], list[str]]] = {
    "Python models": ("models/daily.py", _PYTHON, {}, _PYTHON_PIECES),
    "Python macros": ("macros/amounts.py", [_SHOP_FILES["macros/amounts.py"]], _SHOP_FILES, _PYTHON_PIECES),
    "config.py": (
        "config.py",
        [
            "from sqlmesh.core.config import Config, ModelDefaultsConfig\n\nconfig = Config(\n    model_defaults=ModelDefaultsConfig(dialect='duckdb', start='2024-01-01'),\n    variables={'a': 1, 'b': [1, 'x']},\n)\n"
        ],
        {"models/m.sql": "MODEL (name db.m, kind FULL);\nSELECT @a AS a"},
        _PYTHON_PIECES,
    ),
    "config.yaml": ("config.yaml", [_SHOP_FILES["config.yaml"]], _SHOP_FILES, _YAML_PIECES),
    "unit tests": (
        "tests/test_daily.yaml",
        [unit_tests.WHOLE, _SHOP_FILES["tests/test_revenue.yaml"]],
        _UNIT_TESTS,
        _YAML_PIECES,
    ),
    "external models": (
        "external_models.yaml",
        [
            path.read_text(encoding="utf-8")
            for path in (SHOP / "external_models.yaml", EVERY_KIND / "external_models.yaml")
        ],
        {"models/m.sql": "MODEL (name db.m, kind FULL);\nSELECT * FROM raw.orders"},
        _YAML_PIECES,
    ),
    "semantic models and metrics": (
        "models/semantics/it.yml",
        [vulcan.WHOLE, vulcan.ONE_A_FILE, vulcan.AS_MAP],
        vulcan.MODELS,
        _YAML_PIECES,
    ),
    "checks": ("dq/subs.yml", [vulcan.ALL["dq/subs.yml"]], vulcan.MODELS, _YAML_PIECES),
    "audits": ("audits/audits.sql", [_SHOP_FILES["audits/audits.sql"]], _SHOP_FILES, _PIECES),
    "seeds": ("seeds/countries.csv", [_SHOP_FILES["seeds/countries.csv"]], _SHOP_FILES, _PIECES),
    "Jinja macros": ("macros/texts.sql", [_SHOP_FILES["macros/texts.sql"]], _SHOP_FILES, _PIECES),
}


@pytest.mark.parametrize("reader", _READERS)
@settings(max_examples=max(EXAMPLES // 10, 5), deadline=None, suppress_health_check=list(HealthCheck))
@given(number=st.integers(0, 2**32))
def test_any_file_of_any_reader_gives_a_result_or_an_error_with_its_line(reader: str, number: int) -> None:
    path, texts, beside, pieces = _READERS[reader]
    choice = random.Random(number)
    text = mutated(choice.choice(texts), pieces, choice)
    files = {**beside, path: text}
    try:
        project = read_files(files, run_macros=reader == "Python macros")
    except CompileError as error:
        assert path.startswith("config.") and error.code is CompileCode.BadConfig, (error, text)
        return
    for note in notes_of(project):
        there = files.get(note.place.file)
        assert there is not None, (note, text)
        assert 1 <= note.place.line <= there.count("\n") + 2, (note, text)
    assert write_project(project, {"local": "."})


def test_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    assert read("\x00\x01\x02MODEL (").refusal.startswith("SqlParseError")
