"""dbt's snapshots, and the models of SCD type 2 proposed for them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left, MigrationNote
from dbt_kinds.readers.dbt.blocks import Block, nesting
from dbt_kinds.readers.dbt.calls import COMPUTED
from dbt_kinds.readers.dbt.config_call import config_calls
from dbt_kinds.readers.dbt.project import DbtProject, ModelFile, Properties
from dbt_kinds.readers.dbt.tags import line_of, tags
from dbt_kinds.writers.jinja import config_block

_DBT_COLUMNS = re.compile(r"\bdbt_(?:scd_id|updated_at)\b", re.IGNORECASE)
_NEEDED = ("unique_key", "strategy")


@dataclass(frozen=True)
class Snapshot:
    """One snapshot of a project: its query and its configuration."""

    name: str
    path: str
    line: int
    query: str
    config: Mapping[str, Any]


@dataclass(frozen=True)
class Proposal:
    """A model that keeps the same history: its kind, options, file and text."""

    kind: str
    options: Mapping[str, Any]
    path: str
    text: str
    notes: tuple[MigrationNote, ...]


def read_snapshots(project: DbtProject, properties: Mapping[str, Properties]) -> list[Snapshot]:
    """The snapshots in the project's files, and those defined in YAML alone."""
    found = []
    for file in project.snapshots:
        for node in nesting(file.text):
            if isinstance(node, Block) and node.word == "snapshot":
                name = node.branches[0].tag.rest.split()[0] if node.branches[0].tag.rest else file.name
                body = file.text[node.branches[0].start : node.branches[0].end]
                own = {key: value for call in config_calls(body) for key, value in call.values.items()}
                known = properties.get(name, Properties())
                config = {**file.inherited, **known.config, **own}
                found.append(Snapshot(name, file.path, line_of(file.text, node.start), _query(body), config))
    names = {snapshot.name for snapshot in found}
    for name, known in properties.items():
        relation = known.config.get("relation")
        if name not in names and isinstance(relation, str):
            found.append(Snapshot(name, known.file, 1, f"select * from {{{{ {relation} }}}}", known.config))
    return found


def _query(body: str) -> str:
    for call in reversed(config_calls(body)):
        body = body[: call.tag.start] + body[call.tag.end :]
    return body.strip()


def propose(snapshot: Snapshot, project: DbtProject) -> Proposal:
    """The model that keeps the history of a snapshot.

    Raises:
        Left: its configuration is incomplete, or cannot be expressed by versions with periods.
    """
    config, line = snapshot.config, snapshot.line
    for name in ("unique_key", "strategy", "updated_at", "check_cols", "hard_deletes", "invalidate_hard_deletes"):
        if config.get(name) is COMPUTED:
            raise Left(MigrateCode.SnapshotUnreadable, f"{name} is computed; write it out", line=line)
    missing = [name for name in _NEEDED if not config.get(name)]
    if missing:
        raise Left(MigrateCode.SnapshotUnreadable, f"the snapshot has no {' and no '.join(missing)}", line=line)
    if config.get("hard_deletes") == "new_record":
        raise Left(
            MigrateCode.SnapshotNewRecord,
            "hard_deletes: new_record writes rows for deleted keys; the kinds end the period of the last row",
            line=line,
        )
    if config.get("enabled") is False:
        raise Left(MigrateCode.SnapshotUnreadable, "the snapshot is disabled", line=line)
    key = config["unique_key"]
    options: dict[str, Any] = {"unique_key": [key] if isinstance(key, str) else list(key)}
    strategy = str(config["strategy"])
    updated_at = config.get("updated_at")
    is_column = isinstance(updated_at, str) and re.fullmatch(r"\w+", updated_at) is not None
    if not is_column and (strategy == "timestamp" or updated_at):
        raise Left(MigrateCode.SnapshotUnreadable, "updated_at is no column", line=line)
    if strategy == "timestamp":
        kind = "scd_type_2_by_time"
        options |= {"updated_at_name": updated_at, "updated_at_as_valid_from": True}
    elif strategy == "check":
        kind = "scd_type_2_by_column"
        columns = config.get("check_cols")
        if columns is None:
            raise Left(MigrateCode.SnapshotUnreadable, "check_cols is not set", line=line)
        options |= {"columns": "*" if columns == "all" else columns, "execution_time_as_valid_from": True}
        # dbt dates versions by it
        options |= {"updated_at_name": updated_at} if updated_at else {}
    else:
        raise Left(MigrateCode.SnapshotUnreadable, f"the strategy {strategy} is one of the project's own", line=line)
    renamed = config.get("snapshot_meta_column_names")
    names = renamed if isinstance(renamed, Mapping) else {}
    options |= {
        "valid_from_name": names.get("dbt_valid_from", "dbt_valid_from"),
        "valid_to_name": names.get("dbt_valid_to", "dbt_valid_to"),
    }
    if config.get("hard_deletes") == "invalidate" or config.get("invalidate_hard_deletes") is True:
        options["invalidate_hard_deletes"] = True
    settings: dict[str, Any] = {"materialized": kind}
    if config.get("file_format"):
        settings["file_format"] = config["file_format"]
    settings["meta"] = options
    path = f"{project.model_folder}/{snapshot.name}_history.sql"
    return Proposal(
        kind, options, path, f"{config_block(settings)}\n\n{snapshot.query}\n", tuple(_notes(snapshot, project))
    )


def _notes(snapshot: Snapshot, project: DbtProject) -> list[MigrationNote]:
    name = re.compile(rf"\bref\(\s*['\"]{re.escape(snapshot.name)}['\"]\s*\)")
    readers = sorted(model.name for model in project.models if snapshot.name in model.text and _reads(model, name))
    told = f"; they are read by {', '.join(readers)}" if readers else ""
    notes: list[MigrationNote] = [
        MigrationNote(
            MigrateCode.ColumnsNotKept,
            f"dbt_scd_id and dbt_updated_at are not kept{told}; adopt_snapshot takes the versions over",
        )
    ]
    config = snapshot.config
    current = config.get("dbt_valid_to_current")
    if current:
        written = "its value" if current is COMPUTED else f"{current}"
        notes.append(
            MigrationNote(
                MigrateCode.OpenVersionsNull,
                f"a current version ends at NULL, not at {written}; give adopt_snapshot that as valid_to_current, and "
                "change what reads the end",
            )
        )
    if config.get("strategy") == "check" and config.get("check_cols") == "all" and config.get("updated_at"):
        notes.append(
            MigrationNote(
                MigrateCode.UpdatedAtNotCompared,
                f"{config['updated_at']} dates versions and is not compared: where it alone changes, no version is "
                "made",
            )
        )
    return notes


def _reads(model: ModelFile, name: re.Pattern[str]) -> bool:
    return _DBT_COLUMNS.search(model.text) is not None and any(name.search(tag.code) for tag in tags(model.text))
