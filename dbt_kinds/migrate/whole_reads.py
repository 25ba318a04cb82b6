"""Models that read everything on each run: without a block, or with one that only excludes existing rows."""

from __future__ import annotations

from sqlglot import exp

import dbt_kinds.errors as errors
from dbt_kinds.errors import (
    FullReads,
    InsertOnly,
    MacroFilter,
    NoWindow,
    OncePerInterval,
    ReplacesWholeTable,
    UnboundPartition,
    UnreadableBlock,
)
from dbt_kinds.migrate.bounds import asks_now
from dbt_kinds.migrate.conversion import Conversion, MigrateOptions
from dbt_kinds.migrate.edits import block_removal
from dbt_kinds.migrate.meaning import Meaning
from dbt_kinds.migrate.outside import VAR_CALL
from dbt_kinds.migrate.reading import Reading, unknown_calls
from dbt_kinds.migrate.row_keys import row_key_notes
from dbt_kinds.migrate.settings import Settings
from dbt_kinds.migrate.trace import find_marker, is_plain_condition, trace
from dbt_kinds.migrate.variables import BOUND_VARIABLE
from dbt_kinds.migrate.when import no_start, start_options
from dbt_kinds.readers.dbt.project import DbtProject
from dbt_kinds.readers.dbt.tags import line_of, tags


def read_whole(reading: Reading, settings: Settings, project: DbtProject, options: MigrateOptions) -> Conversion:
    """The kind of a model without a block, by what its strategy does with all rows.

    Raises:
        Left: something else may decide what is read.
    """
    text = reading.model.text
    reading.patterns.append("no_block")
    for name, line in unknown_calls(text, project):
        raise MacroFilter(f"{name} is a macro that is not in the project; it may decide what is loaded", line=line)
    for tag in tags(text):
        for name in VAR_CALL.findall(tag.code) if tag.kind != "comment" else ():
            if BOUND_VARIABLE.search(name):
                raise UnboundPartition(
                    f"the variable {name} decides what is read, outside of a block; write the bounds with "
                    "start_date() and end_date()",
                    line=line_of(text, tag.start),
                )
    for tree in reading.trees:
        _check_no_now(tree, settings)
    if settings.strategy == "insert_overwrite":
        if settings.partition_by:
            note = OncePerInterval(
                "a run replaces the partitions of what the query returns once an interval has passed"
            )
            return Conversion(
                "incremental_by_partition", notes=[note, *no_start(options)], options=start_options(options)
            )
        if options.adapter not in (None, "spark", "databricks"):
            raise UnboundPartition("insert_overwrite has no partition_by", line=settings.line)
        return Conversion(
            "full",
            notes=[
                ReplacesWholeTable(
                    "insert_overwrite without partition_by replaces the whole table on each run; full says that"
                )
            ],
        )
    if settings.unique_key:
        if settings.strategy == "append":
            raise UnreadableBlock(
                "append ignores the unique_key that is set; write which of the two is meant", line=settings.line
            )
        if (
            settings.strategy == "delete+insert"
            and set(map(str.lower, settings.unique_key)) <= settings.partition_columns
        ):
            return Conversion("incremental_by_partition", notes=no_start(options), options=start_options(options))
        whole = NoWindow(
            "every run reads everything and merges it, as before; a filter between start_*() and end_*() "
            "would read less"
        )
        return Conversion(
            "incremental_by_unique_key",
            {"unique_key": list(settings.unique_key)} | start_options(options),
            notes=[whole, *row_key_notes(reading, settings, options), *no_start(options)],
        )
    appended = NoWindow("every run appends everything that the query returns, as before, once an interval has passed")
    return Conversion("incremental_unmanaged", start_options(options), notes=[appended, *no_start(options)])


def _check_no_now(tree: exp.Expr, settings: Settings) -> None:
    """Refuses an append that depends on the current time, because it depends on when runs take place."""
    if settings.unique_key or settings.strategy == "insert_overwrite":
        return
    if any(asks_now(where) for where in tree.find_all(exp.Where)):
        raise UnreadableBlock(
            "rows are appended by what now is, without a block; write the filter between start_*() and end_*()",
            line=settings.line,
        )


def inserted_only(reading: Reading, settings: Settings, meanings: list[Meaning], options: MigrateOptions) -> Conversion:
    """`key not in (select key from this)`: rows are only ever inserted."""
    meaning = meanings[0]
    if len(meanings) > 1 or meaning.expression is not None or meaning.filter.otherwise is not None:
        raise UnreadableBlock(
            "rows are found by their absence and by time; write one of the two", line=meaning.filter.line
        )
    if settings.strategy == "insert_overwrite":
        raise UnreadableBlock("partitions are replaced by the rows that are not there yet", line=meaning.filter.line)
    if settings.unique_key and {name.lower() for name in settings.unique_key} != {
        name.lower() for name in meaning.keys
    }:
        raise UnreadableBlock(
            f"new rows are told by {', '.join(meaning.keys)} and merged by {', '.join(settings.unique_key)}",
            line=meaning.filter.line,
        )
    if not options.accept_full_reads:
        raise FullReads(
            "new rows are found by their absence, so that each run reads the whole source; add a bound on "
            "time, or say --accept-full-reads",
            line=meaning.filter.line,
        )
    if reading.problem is not None:
        raise reading.problem
    for tree in reading.trees:
        marker = find_marker(tree, meaning.filter.marker)
        select = is_plain_condition(marker) if marker is not None else None
        if select is None:
            raise UnreadableBlock("the filter is no condition that all rows must meet", line=meaning.filter.line)
        followed = trace(tree, select, exp.column(meaning.keys[0]))
        for code, sentence in followed.problems:
            raise getattr(errors, code)(sentence, line=meaning.filter.line)
    text = reading.model.text
    return Conversion(
        "incremental_by_unique_key",
        {"unique_key": meaning.keys, "insert_only": True} | start_options(options),
        edits=[block_removal(text, meaning.filter.block)],
        notes=[
            InsertOnly("rows are only ever inserted, as before: insert_only"),
            NoWindow("every run reads the whole source, as before"),
            *no_start(options),
        ],
    )
