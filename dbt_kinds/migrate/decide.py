"""Decides which kind is equivalent to a model's hand-written loading.

Models for which this is not certain are left unchanged, with the reason.
"""

from __future__ import annotations

import re

from sqlglot import exp

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left, MigrationNote
from dbt_kinds.migrate.conversion import Conversion, Found, MigrateOptions
from dbt_kinds.migrate.dialects import SPARK
from dbt_kinds.migrate.own_strategies import own_strategy
from dbt_kinds.migrate.parameters import check_parameters, check_switches
from dbt_kinds.migrate.parent_rows import check_parent_rows
from dbt_kinds.migrate.predicates import take_predicates
from dbt_kinds.migrate.reading import Reading, read_trees
from dbt_kinds.migrate.settings import Settings
from dbt_kinds.migrate.variables import bounding_conditions
from dbt_kinds.migrate.whole_reads import read_whole
from dbt_kinds.migrate.windowed import by_windows
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
        check_switches(reading, options.dialect)
        _check_own_name(reading, settings)
        is_bounded = reading.filters or reading.outside
        found = (
            by_windows(reading, settings, options) if is_bounded else read_whole(reading, settings, project, options)
        )
        check_parameters(reading, settings)
    check_parent_rows(reading, found)
    for hook, _ in settings.deletes:
        if hook not in found.removed:
            raise Left(
                MigrateCode.OwnStateTable,
                f"its {hook} deletes rows of the table, which no window replaces",
                line=settings.line,
            )
    if settings.kept_deletes and found.options.get("insert_only"):
        raise Left(
            MigrateCode.OwnStateTable,
            "its post_hook deletes rows, and a run inserted again what the table did not have; a window does not",
            line=settings.line,
        )
    own = own_strategy(settings, project, options)
    _carry_over(found, reading, settings, options, has_own_strategy=bool(own))
    found.notes += own
    return found


def _check_own_name(reading: Reading, settings: Settings) -> None:
    """Checks that no table is written out that is the model's own, by its schema and name.

    Raises:
        Left (ReadsThisElsewhere): one is.
    """
    name = str(settings.config.get("alias") or reading.model.name).lower()
    own = (str(settings.config.get("schema") or "").lower(), name)
    for table in (table for tree in reading.trees for table in tree.find_all(exp.Table)):
        if own[0] and (table.db.lower(), table.name.lower()) == own:
            raise Left(
                MigrateCode.ReadsThisElsewhere,
                "the query reads the model's own table, written out by its schema and name, so that its rows depend on "
                "when runs take place",
                line=settings.line,
            )


def found_of(reading: Reading | None, settings: Settings | None) -> Found:
    """How the model was loaded, for the report."""
    if settings is None:
        return Found()
    patterns = tuple(dict.fromkeys(reading.patterns)) if reading is not None else ()
    return Found(settings.strategy, settings.unique_key or settings.ignored_key, patterns)


def _carry_over(
    found: Conversion, reading: Reading, settings: Settings, options: MigrateOptions, *, has_own_strategy: bool
) -> None:
    """Removes the arguments that moved into meta; their meaning is kept."""
    config, own = settings.config, reading.model.own_config
    _take_partitions(found, reading, settings)
    if options.adapter == "athena" and settings.partition_by:
        if "partitioned_by" not in own:
            raise Left(
                MigrateCode.ConfigElsewhere,
                "partitioned_by of dbt-athena stands in YAML; write it as partition_by, into the model",
                line=settings.line,
            )
        found.renamed["partitioned_by"] = "partition_by"
    found.removed.add("incremental_strategy")
    found.removed.add("unique_key")
    if settings.ignored_key and not found.options.get("unique_key"):
        found.notes.append(
            MigrationNote(
                MigrateCode.KeyIgnored,
                f"append did not look at unique_key ({', '.join(settings.ignored_key)}), which is taken out: rows with "
                "one key stay side by side, as before",
            )
        )
    if settings.ignored_columns:
        if not set(settings.ignored_columns) <= set(own):
            raise Left(
                MigrateCode.ConfigElsewhere,
                f"{settings.ignored_columns[0]} stands in YAML, where a kind would look at it and delete+insert did "
                "not; take it out there",
                line=settings.line,
            )
        found.removed |= set(settings.ignored_columns)
        found.notes.append(
            MigrationNote(
                MigrateCode.PredicatesNotUsed,
                f"delete+insert did not look at {', '.join(settings.ignored_columns)}, which is taken out: whole rows "
                "are replaced, as before",
            )
        )
    if settings.unique_key and settings.strategy is None and options.adapter is None and options.dialect in SPARK:
        found.notes.append(
            MigrationNote(
                MigrateCode.MergedByDefault,
                "no strategy is set, and no profile says which adapter it is: rows are merged by unique_key, as "
                "dbt-databricks does; dbt-spark appended them. Say --dialect databricks or --dialect spark",
            )
        )
    take_predicates(found, reading, settings, options, has_own_strategy=has_own_strategy)
    is_kept = config.get("full_refresh") is False
    if found.kind == "incremental_unmanaged":
        # the kind ignores --full-refresh by default
        found.options["disable_restatement"] = is_kept
    elif is_kept and found.kind == "incremental_by_unique_key":
        found.options["disable_restatement"] = True
    if found.kind != "incremental_by_unique_key" and config.get("unique_key") and "unique_key" not in own:
        raise Left(
            MigrateCode.ConfigElsewhere,
            "unique_key stands in YAML, where a model of this kind must not have one; take it out there",
            line=1,
        )
    if "materialized" not in own:
        found.notes.append(
            MigrationNote(
                MigrateCode.FolderDefault,
                "the materialization comes from YAML, which was left; the file's own config() overrides it",
            )
        )
    found.removed &= set(own)


def _take_partitions(found: Conversion, reading: Reading, settings: Settings) -> None:
    """Removes dbt-bigquery's list of the partitions to replace, which has to be what the filter reads.

    Raises:
        Left (FilterNotOnPartition): it is another one.
    """
    if settings.config.get("partitions") is None:
        return
    written = next((one for call in reading.model.calls if (one := call.argument("partitions"))), None)
    named = re.compile(rf"\b{re.escape(written.text.strip())}\b") if written is not None else None
    text = reading.model.text
    if named is None or not any(named.search(text[one.body[0] : one.body[1]]) for one in reading.filters):
        raise Left(
            MigrateCode.FilterNotOnPartition,
            "partitions lists what is replaced, and the filter does not read by that list; write one of the two",
            line=settings.line,
        )
    found.removed.add("partitions")


def blocks_left(text: str) -> bool:
    """Whether is_incremental() is still called."""
    return any("is_incremental" in tag.code for tag in tags(text) if tag.kind != "comment")
