"""`@column`: descriptions and tags, including tags that mask a column. Also the columns of events."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from dbt_kinds.codes import OndatraCode
from dbt_kinds.kinds import Column, SqlText
from dbt_kinds.readers.ondatrasql.directives import Declared
from dbt_kinds.readers.ondatrasql.statements import place_of
from dbt_kinds.readers.ondatrasql.types import type_of_text
from dbt_kinds.translation.dialects import ParseFailure
from dbt_kinds.translation.not_in_spark import NotInSpark

_TAG = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_EVENT = re.compile(r"(?P<name>\S+)\s+(?P<type>.+?)(?P<not_null>\s+not\s+null)?", re.IGNORECASE)
_MASKS = {
    "mask": "mask({0})",
    "hash": "sha2(cast({0} as string), 256)",
    "redact": "case when {0} is not null then '[redacted]' end",
}


@dataclass(frozen=True)
class Tagged:
    """A column with a directive."""

    name: str
    description: str | None
    tags: tuple[str, ...]
    line: int

    @property
    def mask(self) -> str | None:
        """The masking expression, as SQL with a placeholder for the column."""
        return next((mask for tag in self.tags for word, mask in _MASKS.items() if tag.lower().startswith(word)), None)


def read_columns(declared: Declared, output: list[str] | None) -> list[Tagged]:
    """The columns described by `@column`, by their output names.

    Args:
        output: the columns of the query, if known.
    """
    found: dict[str, Tagged] = {}
    known = {name.lower(): name for name in output or ()}
    for directive in declared.written.get("column", ()):
        name, _, rest = directive.value.partition("=")
        if "|" in name:
            name, _, tags = name.partition("|")
            rest = f"| {tags}"
        description, tags_found = _tags(rest)
        name = name.strip()
        if output is not None and name.lower() not in known:
            message = f"@column {name}: the query of {declared.name} returns no such column; it has {', '.join(output)}"
            declared.find(OndatraCode.ColumnNotInOutput, "error", message, directive.line, directive.column)
            continue
        if name.lower() in found:
            message = f"@column {name} stands in line {found[name.lower()].line}, too; the last one holds"
            declared.find(OndatraCode.DirectiveRepeated, "warning", message, directive.line, directive.column)
        column = Tagged(known.get(name.lower(), name), description, tuple(tags_found), directive.line)
        keys = {key.lower() for key in (*declared.key, declared.cursor or "")}
        if column.mask is not None and name.lower() in keys:
            message = f"@column {name}: a key cannot be hidden, or its rows are not found again; hide it downstream"
            declared.find(OndatraCode.MaskedKey, "error", message, directive.line, directive.column)
        found[name.lower()] = column
    return list(found.values())


def _tags(text: str) -> tuple[str | None, list[str]]:
    """Splits the description from the tags after the last bars."""
    parts = [part.strip() for part in text.split("|")]
    tags: list[str] = []
    while len(parts) > 1 and _TAG.fullmatch(parts[-1]):
        tags.insert(0, parts.pop())
    return " | ".join(parts).strip() or None, tags


def described(columns: Iterable[Tagged]) -> list[Column]:
    """The same as YAML columns."""
    return [
        Column(column.name, None, column.description, {"tags": list(column.tags)} if column.tags else {})
        for column in columns
    ]


def masked(query: SqlText, columns: Iterable[Tagged], output: list[str] | None, declared: Declared) -> SqlText:
    """The query wrapped in one that masks columns."""
    masks = {column.name.lower(): column for column in columns if column.mask is not None}
    if not masks:
        return query
    if output is None:
        column = next(iter(masks.values()))
        message = f"@column {column.name} is to be hidden, and * hides which columns there are; write the columns out"
        declared.find(OndatraCode.UnsupportedSql, "error", message, column.line)
        return query
    items = []
    for name in output:
        spelt = name if _NAME.fullmatch(name) else f"`{name}`"
        mask = masks[name.lower()].mask if name.lower() in masks else None
        items.append(f"  {mask.format(spelt)} as {spelt}" if mask else f"  {spelt}")
    text = "select\n" + ",\n".join(items) + f"\nfrom (\n{query.text}\n) as _rows"
    return SqlText(text, query.placeholders)


def read_event_columns(text: str, declared: Declared) -> list[dict[str, object]]:
    """The columns of events: `name TYPE [NOT NULL]` lines, and nothing else."""
    columns: list[dict[str, object]] = []
    offset = 0
    for written in text.split("\n"):
        line, column = place_of(text, offset + len(written) - len(written.lstrip()))
        offset += len(written) + 1
        item = re.sub(r"--.*", "", written).strip().removesuffix(";").rstrip().removesuffix(",").rstrip()
        if not item or item.startswith(("//", "#")):
            continue
        found = _EVENT.fullmatch(item)
        kind = _type(found["type"]) if found is not None else None
        if found is None or kind is None or not _NAME.fullmatch(found["name"]):
            message = f"'{item}' is no column of events; write name TYPE [NOT NULL], one a line"
            declared.find(OndatraCode.InvalidColumn, "error", message, line, column)
        elif any(str(other["name"]).lower() == found["name"].lower() for other in columns):
            declared.find(OndatraCode.InvalidColumn, "error", f"{found['name']} stands twice; remove one", line, column)
        else:
            not_null = {"not_null": True} if found["not_null"] else {}
            columns.append({"name": found["name"], "data_type": kind, **not_null})
    if not columns and not any(finding.code is OndatraCode.InvalidColumn for finding in declared.findings):
        message = f"{declared.name} has no columns; write name TYPE [NOT NULL] lines below the directives"
        declared.find(OndatraCode.NoStatement, "error", message, 1)
    return columns


def _type(text: str) -> str | None:
    try:
        return type_of_text(text)
    except (ParseFailure, NotInSpark):
        return None
