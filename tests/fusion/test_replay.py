"""Macros that depend on their arguments alone answer on dbt 2.0 as on dbt-core: calls of the unit tests, made again by both engines.

The calls are models of a project whose macros are the package's, and their answers what the models compile to.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dbt.cli.main import dbtRunner

from tests.functional.project import PACKAGE
from tests.fusion.engine import Engine

# calls of one model
CHUNK = 250
PROJECT = """
name: dbt_kinds
version: 1.0.0
profile: local
macro-paths: [macros, shown]
flags: {send_anonymous_usage_stats: false}
"""
PROFILE = (
    "local: {target: local, outputs: {local: {type: spark, method: thrift, host: localhost, user: dbt, schema: shop}}}"
)
SHOWN = """
{% macro shown(value) %}
  {% if value is string %}
    {% do return(tojson(value)) %}
  {% elif value is none or value is number or value is boolean %}
    {% do return(tojson(value)) %}
  {% elif value.isoformat is defined %}
    {% do return(tojson({'instant': value.isoformat()})) %}
  {% endif %}
  {% set parts = [] %}
  {% if value is mapping %}
    {% for key, inner in value.items() %}{% do parts.append(tojson(key | string) ~ ': ' ~ dbt_kinds.shown(inner)) %}{% endfor %}
    {% do return('{' ~ parts | join(', ') ~ '}') %}
  {% endif %}
  {% for inner in value %}{% do parts.append(dbt_kinds.shown(inner)) %}{% endfor %}
  {% do return('[' ~ parts | join(', ') ~ ']') %}
{% endmacro %}
"""
# unit tests that call macros, but for those that play through whole runs
RECORDED = (
    "adopt", "cron", "cumulative_options", "engine_macros", "generic_tests", "intervals", "options", "pending_writes", "plan", "plan_history",
    "plan_restatement", "plan_upstream", "scd2_options", "schema", "sql_text", "stored_events", "table_facts", "time_columns", "time_variables",
    "typed_bounds", "window_of",
)  # fmt: skip
# types that are nested deeper are no matter for dbt 2.0: a level takes three calls, and about 80 may be within one another
DEPTH = 20


@pytest.fixture(scope="module")
def recorded(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The calls that unit tests make."""
    file = tmp_path_factory.mktemp("record") / "calls.json"
    tests = [PACKAGE / "tests" / "unit" / f"test_{name}.py" for name in RECORDED]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "tests.fusion.recording", "-p", "no:cacheprovider", *map(str, tests)],
        cwd=PACKAGE, env=os.environ | {"KINDS_RECORD": str(file), "KINDS_EXAMPLES": "200"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
    return dict(json.loads(file.read_text()))


class Replay:
    """A project that makes calls, compiled by either engine."""

    def __init__(self, folder: Path, engine: Engine) -> None:
        self.folder = folder
        self._engine = engine
        for name in ("models", "shown"):
            (folder / name).mkdir(parents=True)
        (folder / "macros").symlink_to(PACKAGE / "macros")
        (folder / "dbt_project.yml").write_text(PROJECT)
        (folder / "profiles.yml").write_text(PROFILE)
        (folder / "shown" / "shown.sql").write_text(SHOWN)

    def write(self, name: str, calls: list[str]) -> None:
        """A model whose text is an answer a line."""
        lines = [f"answer {number}: {{{{ dbt_kinds.shown({call}) }}}}" for number, call in enumerate(calls)]
        (self.folder / "models" / f"{name}.sql").write_text("\n".join(lines))

    def compile_by_core(self) -> None:
        where = [
            "--project-dir",
            str(self.folder),
            "--profiles-dir",
            str(self.folder),
            "--target-path",
            str(self.folder / "core"),
        ]
        result = dbtRunner().invoke(["--log-level", "none", "compile", "--no-populate-cache", *where])
        assert result.success, result.exception

    def compile_by_fusion(self) -> list[dict[str, Any]]:
        """The events of the log."""
        words = [str(self._engine.program), "compile", "--static-analysis", "off", "--target-path", "fusion"]
        done = subprocess.run(
            [*words, "--log-format", "json", "--profiles-dir", str(self.folder)], cwd=self.folder, env=os.environ | self._engine.environment,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert "panic" not in done.stderr, done.stderr[-3000:]
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    def answers(self, engine: str) -> Iterator[tuple[str, int, Any]]:
        """What an engine made of each call: its model, its number there and its answer."""
        for file in sorted((self.folder / engine / "compiled").rglob("*.sql")):
            for number, answer in re.findall(r"^answer (\d+): (.*)$", file.read_text(), re.M):
                yield file.stem, int(number), json.loads(answer)


def depth(text: str) -> int:
    """How deep types are nested in a text."""
    return max(itertools.accumulate(1 if letter == "<" else -1 for letter in text if letter in "<>"), default=0)


def same(one: Any, other: Any) -> bool:
    """Whether two answers are one: also true is not 1, and 1 is not 1.0, because texts are made of them.

    What a macro prints instead of returning it stands between blanks.
    """
    if isinstance(one, str) and isinstance(other, str):
        return one.strip() == other.strip()
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def is_listed(macro: str, one: Any, other: Any) -> bool:
    """Whether two answers differ as docs/reference/engines.md lists: in how a number is written, or in which letters beyond ASCII make a word."""
    if macro == "json_text":
        return bool(json.loads(one) == json.loads(other))
    if macro == "sql_tokens":
        return not "".join(other).isascii() and "".join(one) == "".join(other)
    return isinstance(one, float) and isinstance(other, float) and math.isclose(one, other, rel_tol=1e-15)


def test_every_recorded_call_has_the_same_answer(
    recorded: dict[str, Any], engine: Engine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    replay = Replay(tmp_path / "replay", engine)
    answered = [call for call in recorded["calls"] if "answer" in call]
    calls = [call for call in answered if depth(call["call"]) <= DEPTH]
    chunks = {f"calls_{start // CHUNK}": calls[start : start + CHUNK] for start in range(0, len(calls), CHUNK)}
    for name, chunk in chunks.items():
        replay.write(name, [call["call"] for call in chunk])
    replay.compile_by_core()
    said = replay.compile_by_fusion()
    differing: dict[str, list[str]] = defaultdict(list)
    listed = 0
    for where in ("core", "fusion"):
        answers = {(name, number): answer for name, number, answer in replay.answers(where)}
        missing = {(name, number) for name, chunk in chunks.items() for number in range(len(chunk))} - set(answers)
        assert not missing, (
            f"{where}: {len(missing)} calls have no answer; {[e['info']['msg'] for e in said if e['info']['level'] == 'error'][:3]}"
        )
        for (name, number), answer in answers.items():
            call = chunks[name][number]
            if same(answer, call["answer"]):
                continue
            if is_listed(call["macro"], answer, call["answer"]):
                listed += 1
            else:
                differing[call["macro"]].append(f"{where}: {call['call']}\n  is {answer}\n  not {call['answer']}")
    macros = {call["macro"] for call in calls}
    agreeing = len(calls) - listed - sum(map(len, differing.values()))
    with capsys.disabled():
        print(
            f"\n{len(recorded['pure'])} macros depend on their arguments alone, {len(macros)} of them were called by unit tests"
        )
        print(
            f"{len(calls)} calls replayed, {agreeing} agree, {listed} differ as listed; {len(answered) - len(calls)} left out as too deep"
        )
    assert not differing, "\n".join(example for found in differing.values() for example in found[:3])


def test_a_type_that_is_nested_too_deep_is_an_error(recorded: dict[str, Any], engine: Engine, tmp_path: Path) -> None:
    deep = [call["call"] for call in recorded["calls"] if depth(call["call"]) > DEPTH]
    assert deep
    replay = Replay(tmp_path / "deep", engine)
    for number, call in enumerate(deep):
        replay.write(f"call_{number}", [call])
    said = [event["info"]["msg"] for event in replay.compile_by_fusion()]
    assert sum("recursion limit exceeded" in message for message in said) >= len(deep)


def test_every_recorded_failure_has_the_same_words(
    recorded: dict[str, Any], engine: Engine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    replay = Replay(tmp_path / "failures", engine)
    calls = [call for call in recorded["calls"] if "fails" in call]
    for number, call in enumerate(calls):
        replay.write(f"call_{number}", [call["call"]])
    said = "\n".join(event["info"]["msg"] for event in replay.compile_by_fusion())
    other = [call for call in calls if call["fails"] not in said]
    with capsys.disabled():
        print(f"\n{len(calls)} failures replayed, {len(calls) - len(other)} with the same words")
    assert not other, "\n".join(f"{call['call']}: {call['fails']}" for call in other[:5])
