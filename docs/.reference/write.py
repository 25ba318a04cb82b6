"""Writes what is generated into the pages that have marks, from `<!-- kind full -->` to `<!-- end -->`.

The text is that of the macros' YAML, of the command's own help and of what benchmarks measured, so that the manual
cannot say anything else. A test finds pages that are not up to date.

    python docs/.reference/write.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import yaml

from dbt_kinds.codes import TABLES

DOCS = Path(__file__).parents[1]
MACROS = DOCS.parent / "macros"
RESULTS = DOCS.parent / "benchmarks" / "RESULTS.md"
BLOCK = re.compile(
    r"^<!-- (kind|macros|tests|options|command|messages|results|codes)((?: \S+)*) -->\n(?:.*?^<!-- end -->\n)?",
    re.DOTALL | re.MULTILINE,
)
OPTIONS = re.compile(r"\{#\s([^#]*(?:#(?!\})[^#]*)*)#\}\s*\{% do rows\.update\(\{(.*?)\}\) %\}", re.DOTALL)
# dbt's names of options, which the text of an option mentions, and a key of a row
OTHER_NAMES = ("begin", "event_time", "incremental_predicates", "on_schema_change", "except")
FAILURE = re.compile(r"\{% do dbt_kinds\.fail\((.*?)\) %\}", re.DOTALL)
# texts, and commas between arguments
PART = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|[^'\"]+", re.DOTALL)


def main() -> None:
    """Brings all pages up to date."""
    for page in DOCS.rglob("*.md"):
        old = page.read_text(encoding="utf-8")
        if (new := up_to_date(old)) != old:
            page.write_text(new, encoding="utf-8")


def up_to_date(markdown: str) -> str:
    """A page with what its marks stand for."""

    def block(found: re.Match[str]) -> str:
        return f"<!-- {found[1]}{found[2]} -->\n\n{generated(found[1], found[2].split())}\n\n<!-- end -->\n"

    return BLOCK.sub(block, markdown)


def generated(what: str, names: list[str]) -> str:
    """The text that a mark stands for."""
    if what == "kind":
        return description(f"materialization_{names[0]}_default")
    if what == "macros":
        return "\n\n".join(section(macro) for folder in names for macro in public(folder))
    if what == "options":
        return option_rows()
    if what == "tests":
        return "\n\n".join(section(macro) for macro in public("generic_tests"))
    if what == "codes":
        return code_rows(names[0])
    if what == "results":
        return "\n\n".join([night_rows(), comparison_rows()])
    return "\n\n".join(commands()) if what == "command" else "\n".join(f"* `{text}`" for text in messages())


def option_rows() -> str:
    """The table of options, from the comments of the table that runs read."""
    text = (MACROS / "options" / "option_table.sql").read_text()
    lines = ["| option | default | meaning |", "|---|---|---|"]
    for comment, rows in OPTIONS.findall(text):
        default, meaning = " ".join(comment.split()).split(" | ", 1)
        names = ", ".join(f"`{name}`" for name in re.findall(r"'(\w+)': \{\s*'kinds'", rows) if name not in OTHER_NAMES)
        lines.append(f"| {names} | {default} | {meaning} |")
    return "\n".join(lines)


def code_rows(command: str) -> str:
    """The codes of a command, with what each says."""
    codes = sorted(TABLES[command], key=lambda code: code.name)
    rows = [f"| `{code.name}` | {code.severity.replace('_', ' ')} | {code.meaning} |" for code in codes]
    return "\n".join(["| code | level | says |", "|---|---|---|", *rows])


def messages() -> list[str]:
    """What macros refuse with; an ellipsis stands for what is known in a run only."""
    found = set()
    for file in MACROS.rglob("*.sql"):
        for call in FAILURE.findall(file.read_text()):
            words = ""
            # behind the model, which is the first argument
            for part in PART.finditer(call.split(",", 1)[1]):
                is_text = part[0][0] in "'\""
                words += part[0][1:-1].replace("\\'", "'") if is_text else "…" if part[0].strip(" ~()\n") else ""
            found.add(" ".join(words.replace("`", "'").split()).strip("…;, "))
    # one or two words around a value tell nobody anything
    return sorted((text for text in found if len(re.findall(r"[^\W\d_]{2,}", text)) > 2), key=str.lower)


def night_rows() -> str:
    """The newest of the measured nights: ours, and the others in the same session."""
    rows = result_rows("A night's job")
    newest = max(at for at, row in enumerate(rows) if row[0].removeprefix("**").startswith("dbt_kinds"))
    lines = ["| 20 models, 50,000 rows a day | whole run | dbt_kinds against it |", "|---|---|---|"]
    lines += [f"| {name.replace('**', '')} | {whole} | {ratio} |" for name, whole, ratio, *_ in rows[newest:]]
    return "\n".join(lines)


def comparison_rows() -> str:
    """What was measured of dbt_kinds against something else, with the command."""
    lines = ["| work, command | dbt_kinds against it |", "|---|---|"]
    taken = False
    for work, _, now, *_ in result_rows("Times"):
        taken = ("against" in work and not work.startswith("`dbt-kinds")) or (taken and work.startswith("the same"))
        if taken:
            lines.append(f"| {work} | {now} |")
    return "\n".join(lines)


def result_rows(heading: str) -> list[list[str]]:
    """The cells of the first table below a heading of what was measured, without the table's own heading."""
    text = RESULTS.read_text().split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def public(folder: str) -> Iterator[dict[str, Any]]:
    """The macros of a folder that users call."""
    for macro in yaml.safe_load((MACROS / folder / f"{folder}.yml").read_text())["macros"]:
        if not macro["name"].startswith(("materialization_", "spark__")):
            yield macro


def section(macro: dict[str, Any]) -> str:
    """A heading, the description and a table of arguments."""
    name = macro["name"].removeprefix("test_")
    lines = [f"### `{name}`", "", macro["description"].strip()]
    if macro.get("arguments"):
        lines += ["", "| argument | type | meaning |", "|---|---|---|"]
        for argument in macro["arguments"]:
            meaning = " ".join(argument.get("description", "").split()).replace("|", "\\|")
            lines.append(f"| `{argument['name']}` | {argument.get('type', '')} | {meaning} |")
    return "\n".join(lines)


def description(name: str) -> str:
    """What the YAML says of a kind."""
    macros = yaml.safe_load((MACROS / "kinds" / "kinds.yml").read_text())["macros"]
    return str(next(macro["description"] for macro in macros if macro["name"] == name)).strip()


def commands() -> Iterator[str]:
    """The help of each command."""
    from dbt_kinds.cli import main

    for name in sorted(main.commands):
        command = main.commands[name]
        context = click.Context(command, info_name=f"dbt-kinds {name}", terminal_width=80, **main.context_settings)
        yield f"### `dbt-kinds {name}`\n\n```text\n{command.get_help(context)}\n```"


if __name__ == "__main__":
    main()
