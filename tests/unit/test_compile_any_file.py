"""Model files cut short and mutilated: a result, or an error of ours with file and line; never a traceback.

`KINDS_EXAMPLES=5000` makes the sweep long.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dbt_kinds import errors
from dbt_kinds.writers.dbt_project import write_project
from tests.unit.compiling import read
from tests.unit.model_examples import examples
from tests.unit.test_compile_files import SHOP
from tests.unit.test_compile_kinds import KINDS
from tests.unit.test_compile_macros import EXPANSIONS
from tests.unit.test_compile_queries import TRANSLATIONS

EXAMPLES = int(os.environ.get("KINDS_EXAMPLES", "200"))

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


@st.composite
def mutilated(draw: st.DrawFn) -> str:
    """A model file after one to four cuts, doublings, insertions or swaps."""
    text = draw(st.sampled_from(_TEXTS))
    choice = random.Random(draw(st.integers(0, 2**32)))
    for _ in range(choice.randint(1, 4)):
        start = choice.randrange(len(text) + 1)
        end = min(len(text), start + choice.choice([1, 3, 10, 40]))
        how = choice.randrange(5)
        if how == 0:
            text = text[:start]
        elif how == 1:
            text = text[:start] + text[end:]
        elif how == 2:
            text = text[:start] + choice.choice(_PIECES) + text[start:]
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
        assert issubclass(getattr(errors, left.notes[0].code), errors.CompileError)
    assert compiled.project.left_out or compiled.project.models or compiled.project.seeds
    assert write_project(compiled.project, {"local": "."})


def test_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    assert read("\x00\x01\x02MODEL (").refusal.startswith("SqlParseError")
