"""Decides which kind is equivalent to a model's hand-written loading.

Models for which this is not certain are left unchanged, with the reason.
"""

from __future__ import annotations

import re

from dbt_kinds.errors import (
    ComputedConfig,
    ConfigElsewhere,
    FilterNotOnPartition,
    FolderDefault,
    OwnStateTable,
    PredicatesKept,
    PredicatesNotUsed,
)
from dbt_kinds.migrate.conversion import Conversion, Found, MigrateOptions
from dbt_kinds.migrate.parameters import check_parameters, check_switches
from dbt_kinds.migrate.parent_rows import check_parent_rows
from dbt_kinds.migrate.reading import Reading, read_trees
from dbt_kinds.migrate.settings import Settings
from dbt_kinds.migrate.variables import bounding_conditions
from dbt_kinds.migrate.whole_reads import read_whole
from dbt_kinds.migrate.windowed import by_windows
from dbt_kinds.readers.dbt.calls import COMPUTED
from dbt_kinds.readers.dbt.project import DbtProject
from dbt_kinds.readers.dbt.tags import tags


def decide(reading: Reading, settings: Settings, project: DbtProject, options: MigrateOptions) -> Conversion:
    """The kind of a model.

    Raises:
        Left: it is not certain that a kind is equivalent.
    """
    if settings.replaces_all and not reading.filters:
        # each run reads whatever the query says, as before
        found = read_whole(reading, settings, project, options)
    else:
        read_trees(reading, bounding_conditions(reading, settings, options), options)
        check_switches(reading)
        is_bounded = reading.filters or reading.outside
        found = (
            by_windows(reading, settings, options) if is_bounded else read_whole(reading, settings, project, options)
        )
        check_parameters(reading, settings)
    check_parent_rows(reading, found)
    for hook, _ in settings.deletes:
        if hook not in found.removed:
            raise OwnStateTable(f"its {hook} deletes rows of the table, which no window replaces", line=settings.line)
    _carry_over(found, reading, settings)
    return found


def found_of(reading: Reading | None, settings: Settings | None) -> Found:
    """How the model was loaded, for the report."""
    if settings is None:
        return Found()
    patterns = tuple(dict.fromkeys(reading.patterns)) if reading is not None else ()
    return Found(settings.strategy, settings.unique_key, patterns)


def _carry_over(found: Conversion, reading: Reading, settings: Settings) -> None:
    """Removes the arguments that moved into meta; their meaning is kept."""
    config, own = settings.config, reading.model.own_config
    _take_partitions(found, reading, settings)
    found.removed.add("incremental_strategy")
    found.removed.add("unique_key")
    _take_predicates(found, settings)
    is_kept = config.get("full_refresh") is False
    if found.kind == "incremental_unmanaged":
        # the kind ignores --full-refresh by default
        found.options["disable_restatement"] = is_kept
    elif is_kept and found.kind == "incremental_by_unique_key":
        found.options["disable_restatement"] = True
    if found.kind != "incremental_by_unique_key" and config.get("unique_key") and "unique_key" not in own:
        raise ConfigElsewhere(
            "unique_key stands in YAML, where a model of this kind must not have one; take it out there", line=1
        )
    if "materialized" not in own:
        found.notes.append(
            FolderDefault("the materialization comes from YAML, which was left; the file's own config() overrides it")
        )
    found.removed &= set(own)


def _take_predicates(found: Conversion, settings: Settings) -> None:
    """Removes the predicates that restricted the merge, or keeps them for a kind that goes by key.

    Raises:
        ComputedConfig: they are computed, and would have to be read.
    """
    config = settings.config
    predicates = config.get("incremental_predicates") or config.get("predicates")
    if not predicates:
        return
    if found.kind == "incremental_by_time_range":
        found.removed |= {"incremental_predicates", "predicates"}
        found.notes.append(
            PredicatesNotUsed("incremental_predicates narrowed the merge; a range is replaced as a whole")
        )
        return
    is_computed = predicates is COMPUTED or (isinstance(predicates, list) and COMPUTED in predicates)
    is_by_key = found.kind == "incremental_by_unique_key"
    if is_computed and not (is_by_key and config.get("incremental_predicates")):
        raise ComputedConfig("incremental_predicates is computed; write it out", line=settings.line)
    if not is_by_key:
        return
    found.notes.append(
        PredicatesKept(
            "incremental_predicates still says which rows of the table are looked at: a range that is loaded "
            "again changes no others, and a row with the key of another one is left out, which dbt inserted"
        )
    )
    # the kind knows dbt's name, too, and dbt computes the same text as before
    if is_computed:
        return
    texts = [predicates] if isinstance(predicates, str) else [str(text) for text in predicates]
    renamed = [_renamed(text) for text in texts]
    found.options["merge_filter"] = renamed[0] if len(renamed) == 1 else " and ".join(f"({text})" for text in renamed)
    found.removed |= {"incremental_predicates", "predicates"}


def _take_partitions(found: Conversion, reading: Reading, settings: Settings) -> None:
    """Removes dbt-bigquery's list of the partitions to replace, which has to be what the filter reads.

    Raises:
        FilterNotOnPartition: it is another one.
    """
    if settings.config.get("partitions") is None:
        return
    written = next((one for call in reading.model.calls if (one := call.argument("partitions"))), None)
    named = re.compile(rf"\b{re.escape(written.text.strip())}\b") if written is not None else None
    text = reading.model.text
    if named is None or not any(named.search(text[one.body[0] : one.body[1]]) for one in reading.filters):
        raise FilterNotOnPartition(
            "partitions lists what is replaced, and the filter does not read by that list; write one of the two",
            line=settings.line,
        )
    found.removed.add("partitions")


def _renamed(predicate: str) -> str:
    return re.sub(
        r"(?i)\bDBT_INTERNAL_(DEST|SOURCE)\b",
        lambda name: "target" if name[1].upper() == "DEST" else "source",
        predicate,
    )


def blocks_left(text: str) -> bool:
    """Whether is_incremental() is still called."""
    return any("is_incremental" in tag.code for tag in tags(text) if tag.kind != "comment")
