"""Generated files: whatever their layout, migrating changes the lines of config() and of the block, and no other byte."""

from __future__ import annotations

import difflib
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dbt_kinds.readers.dbt.config_call import config_calls
from tests.unit.migrating import migrated, one

STYLES = {
    "inline": "{{ config(%s) }}",
    "inline, one mapping": "{{ config({%s}) }}",
    "one a line": "{{\n  config(\n    %s\n  )\n}}",
    "one a line, tight": "{{config(\n\t%s)}}",
    "one a line, one mapping": "{{ config({\n    %s\n}) }}",
}
SEPARATORS = {
    "inline": ", ", "inline, one mapping": ", ", "one a line": ",\n    ", "one a line, tight": "\n\t, ",
    "one a line, one mapping": ",\n    ",
}  # fmt: skip
ARGUMENTS = {
    "incremental_strategy": "'merge'", "unique_key": "['id', 'day']", "tags": '["a, b", "c)"]', "meta": "{'owner': 'x', 'depth': {'a': 1}}",
    "file_format": "'iceberg'", "post_hook": "\"select '}}' as brackets\"",
}  # fmt: skip


@st.composite
def files(draw: st.DrawFn) -> str:
    style = draw(st.sampled_from(sorted(STYLES)))
    names = ["materialized", "incremental_strategy", "unique_key"]
    names = draw(
        st.permutations(
            names + draw(st.lists(st.sampled_from(["tags", "meta", "file_format", "post_hook"]), unique=True))
        )
    )
    equals = draw(st.sampled_from(["=", " = "]))
    values = {"materialized": "'incremental'"} | ARGUMENTS
    if style.endswith("one mapping"):
        written = [f"'{name}': {values[name]}" for name in names]
    else:
        written = [f"{name}{equals}{values[name]}" for name in names]
    comma = draw(st.sampled_from(["", ","])) if style != "one a line, tight" else ""
    config = STYLES[style] % (SEPARATORS[style].join(written) + comma)
    left, right = draw(st.sampled_from(["{%", "{%-", "{%+"])), draw(st.sampled_from(["%}", "-%}"]))
    gap = draw(st.sampled_from(["\n", " ", "\n\n    "]))
    column = draw(st.sampled_from(["day", "r.day", "{{ column }}"]))
    block = f"{left} if is_incremental() {right}{gap}where {column} >= (select max(day) from {{{{ this }}}}){gap}{left} endif {right}"
    before = draw(st.sampled_from(["", "-- a model {# of days #}\n", "{# {% if is_incremental() %} #}\n"]))
    after = draw(st.sampled_from(["", "\norder by id", "\n-- the end: it's over\n", "\n\n\n"]))
    text = f"{before}{config}\n{{% set column = 'day' %}}\nselect r.id, r.day -- 'it''s'\nfrom {{{{ ref('raw') }}}} as r\n{block}{after}"
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


def lines_of(text: str) -> list[str]:
    return text.split("\n")


@settings(max_examples=150, deadline=None)
@given(files())
def test_only_the_lines_of_the_config_and_the_block_change(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        result = one(migrated(Path(folder), {"m": text}))
        assert result.new_text is not None, result.reason
        old, new = lines_of(text), lines_of(result.new_text)
        call = config_calls(text)[0].tag
        first, last = (text.count("\n", 0, place) for place in (call.start, call.end))
        block = text.rindex(" if is_incremental")
        touched = {*range(first, last + 1), *range(text.count("\n", 0, block), len(old))}
        end = text.rindex("endif")
        kept = text[text.index("}", end) + 1 :]
        for tag, start, stop, _, _ in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            assert tag == "equal" or set(range(start, stop)) <= touched
        assert result.new_text.rstrip(" ").endswith(kept.lstrip("\r\n ")), "what stands behind the block is as it was"
        assert result.new_text.count("\r\n") == (result.new_text.count("\n") if "\r\n" in text else 0)
        again = one(migrated(Path(folder), {"m": result.new_text}))
        assert (again.status, again.new_text) == ("already", None)


@settings(max_examples=12, deadline=None)
@given(st.lists(files(), min_size=1, max_size=4))
def test_the_diff_applies_to_what_was_generated(texts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        migration = migrated(root, {f"m{number}": text for number, text in enumerate(texts)})
        diff = "".join(result.diff for result in migration.results)
        subprocess.run(["git", "init", "-q"], cwd=root, check=True)
        subprocess.run(["git", "apply", "-"], cwd=root, input=diff.encode(), check=True)
        for result in migration.results:
            assert (root / result.file).read_bytes().decode() == result.new_text


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "written", ["({\n    'materialized': 'incremental'\n})", "(\n    {'materialized': 'incremental'}\n)"]
)
def test_a_mapping_with_one_setting_gets_others(written: str, line_end: str, tmp_path: Path) -> None:
    text = f"{{{{ config{written} }}}}\nselect day from {{{{ ref('raw') }}}}\n{{% if is_incremental() %}}where day >= (select max(day) from {{{{ this }}}}){{% endif %}}"
    result = one(migrated(tmp_path, {"m": text.replace("\n", line_end)}))
    assert result.status == "converted", result.reason
    settings = "'materialized': 'incremental_by_time_range'{}'meta': {{'time_column': 'day', 'lookback': 1}}"
    between = f",{line_end}    " if "({" in written else ", "
    assert settings.format(between) in str(result.new_text)
