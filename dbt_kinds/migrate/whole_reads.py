"""Models that read everything on each run: without a block, or with one that only excludes existing rows."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.analysis.edits import Edit
from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left, MigrationNote, NoFilter
from dbt_kinds.migrate.bounds import asks_now
from dbt_kinds.migrate.conversion import Conversion, MigrateOptions
from dbt_kinds.migrate.edits import block_removal, filter_edits
from dbt_kinds.migrate.meaning import Meaning
from dbt_kinds.migrate.parameters import is_constant, variables_in
from dbt_kinds.migrate.reading import Reading, unknown_calls
from dbt_kinds.migrate.row_keys import set_key
from dbt_kinds.migrate.settings import SPARK_ADAPTERS, Settings
from dbt_kinds.migrate.trace import ends_in, find_marker, find_markers, is_plain_condition, trace
from dbt_kinds.migrate.when import no_start, start_options
from dbt_kinds.readers.dbt.project import DbtProject


def read_whole(reading: Reading, settings: Settings, project: DbtProject, options: MigrateOptions) -> Conversion:
    """The kind of a model without a block, by what its strategy does with all rows.

    Raises:
        Left: something else may decide what is read.
    """
    text = reading.model.text
    reading.patterns.append("no_block")
    for name, line in unknown_calls(text, project):
        raise Left(
            MigrateCode.MacroFilter,
            f"{name} is a macro that is not in the project; it may decide what is loaded",
            line=line,
        )
    for tree in reading.trees:
        _check_no_now(tree, settings)
    again = _second_run(reading)
    by_partition = Conversion(
        "incremental_by_partition",
        start_options(options),
        notes=[
            MigrationNote(
                MigrateCode.OncePerInterval,
                f"the partitions of what the query returns are replaced once an interval is over: {again} does nothing",
            ),
            *no_start(options),
        ],
    )
    if settings.strategy == "insert_overwrite":
        if settings.partition_by:
            return by_partition
        if options.adapter is not None and options.adapter not in SPARK_ADAPTERS:
            raise Left(MigrateCode.UnboundPartition, "insert_overwrite has no partition_by", line=settings.line)
        return Conversion(
            "full",
            notes=[
                MigrationNote(
                    MigrateCode.ReplacesWholeTable,
                    "insert_overwrite without partition_by replaces the whole table on each run; full says that",
                )
            ],
        )
    if settings.unique_key:
        if (
            settings.strategy == "delete+insert"
            and set(map(str.lower, settings.unique_key)) <= settings.partition_columns
        ):
            return by_partition
        whole = MigrationNote(
            MigrateCode.NoWindow,
            f"the query is run as it stands, as before, once an interval is over: {again} does nothing (cron says when "
            "one is due). A filter between start_*() and end_*() would read less",
        )
        found = Conversion("incremental_by_unique_key", notes=[whole, *no_start(options)])
        set_key(found, reading, settings, options)
        found.options |= start_options(options)
        return found
    appended = MigrationNote(
        MigrateCode.NoWindow,
        f"everything that the query returns is appended, as before, once an interval is over: {again} appends nothing",
    )
    return Conversion("incremental_unmanaged", start_options(options), notes=[appended, *no_start(options)])


def _second_run(reading: Reading) -> str:
    """A second run on one day, and which variables in its rows do not make it another one."""
    names = reading.names
    labels = {
        names.variables[placeholder]
        for tree in reading.trees
        for placeholder in variables_in(tree, names)
        if not is_constant(placeholder, names)
    }
    return "a second run on the same day" + (f", with another {', '.join(sorted(labels))}, too," if labels else "")


def _check_no_now(tree: exp.Expr, settings: Settings) -> None:
    """Refuses an append that depends on the current time, because it depends on when runs take place."""
    if settings.unique_key or settings.strategy == "insert_overwrite":
        return
    if any(asks_now(where) for where in tree.find_all(exp.Where)):
        raise NoFilter(
            MigrateCode.UnreadableBlock,
            "rows are appended by what now is, without a block; write the filter between start_*() and end_*()",
            line=settings.line,
        )


def absent_keys(tree: exp.Query, meanings: list[Meaning], settings: Settings) -> tuple[str, ...]:
    """The key by whose absence from the table rows are found; empty if they are not.

    Raises:
        NoFilter (UnreadableBlock): the rows are merged by another one, or it does not reach the output under its name.
    """
    for meaning in meanings:
        line = meaning.filter.line
        if not meaning.keys:
            continue
        if len([other for other in meanings if other.keys]) > 1 or meaning.filter.otherwise is not None:
            raise NoFilter(
                MigrateCode.UnreadableBlock,
                "rows are found by their absence in several places; write one of them",
                line=line,
            )
        if settings.strategy == "insert_overwrite":
            raise NoFilter(
                MigrateCode.UnreadableBlock, "partitions are replaced by the rows that are not there yet", line=line
            )
        if settings.unique_key and {name.lower() for name in settings.unique_key} != set(map(str.lower, meaning.keys)):
            raise NoFilter(
                MigrateCode.UnreadableBlock,
                f"new rows are told by {', '.join(meaning.keys)} and merged by {', '.join(settings.unique_key)}",
                line=line,
            )
        marker = find_marker(tree, meaning.filter.marker)
        select = is_plain_condition(marker) if marker is not None else None
        if select is None:
            raise NoFilter(MigrateCode.UnreadableBlock, "the filter is no condition that all rows must meet", line=line)
        for name, compared in meaning.keys.items():
            if not ends_in(tree, select, compared, name):
                raise NoFilter(
                    MigrateCode.UnreadableBlock,
                    f"new rows are told by {compared.sql()}, which does not become the column {name} of the table",
                    line=line,
                )
        return tuple(meaning.keys)
    return ()


def absence_edits(text: str, meaning: Meaning) -> list[Edit]:
    """Removes a filter by absence, which insert_only replaces."""
    if len(meaning.filter.comparisons) == len(meaning.dropped) and meaning.filter.block.word == "if":
        return [block_removal(text, meaning.filter.block)]
    return filter_edits(text, meaning.filter, "true", [], meaning.dropped)


def inserted_only(reading: Reading, settings: Settings, meanings: list[Meaning], options: MigrateOptions) -> Conversion:
    """`key not in (select key from this)` alone: rows are only ever inserted, and the whole source is read."""
    meaning = meanings[0]
    if not options.accept_full_reads:
        raise Left(
            MigrateCode.FullReads,
            "new rows are found by their absence, so that each run reads the whole source; add a bound on "
            "time, or say --accept-full-reads",
            line=meaning.filter.line,
        )
    if reading.problem is not None:
        raise reading.problem
    for tree in reading.trees:
        keys = absent_keys(tree, meanings, settings)
        select = next(
            filter(None, (is_plain_condition(marker) for marker in find_markers(tree, meaning.filter.marker)))
        )
        for compared in meaning.keys.values():
            for code, sentence in trace(tree, select, compared).problems:
                raise Left(code, sentence, line=meaning.filter.line)
    text = reading.model.text
    return Conversion(
        "incremental_by_unique_key",
        {"unique_key": list(keys), "insert_only": True} | start_options(options),
        edits=absence_edits(text, meaning),
        notes=[
            MigrationNote(MigrateCode.InsertOnly, "rows are only ever inserted, as before: insert_only"),
            MigrationNote(
                MigrateCode.NoWindow,
                "the whole source is read, as before, once an interval is over: a second run on the same day does "
                "nothing",
            ),
            *no_start(options),
        ],
    )
