"""Migrates the models of a project: reads, decides, edits. It writes nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from dbt_kinds.analysis.edits import Edit, edited
from dbt_kinds.codes import MigrateCode
from dbt_kinds.dbt_profiles import adapter_beside, adapter_of
from dbt_kinds.errors import KindsError, Left, MigrationNote, UnknownModelError
from dbt_kinds.intervals.crons import cron_unit, read_cron
from dbt_kinds.migrate.chosen_filters import window_for
from dbt_kinds.migrate.conversion import Conversion, Found, MigrateOptions
from dbt_kinds.migrate.decide import blocks_left, decide, found_of
from dbt_kinds.migrate.dialects import dialect_of, known_dialect
from dbt_kinds.migrate.edits import block_removal, removal, semicolon_edits
from dbt_kinds.migrate.kept_deletes import kept_notes
from dbt_kinds.migrate.microbatch import decide_microbatch
from dbt_kinds.migrate.parameters import check_parameters, check_switches
from dbt_kinds.migrate.parent_rows import check_parent_rows
from dbt_kinds.migrate.parents import Parents
from dbt_kinds.migrate.read_settings import with_read_settings
from dbt_kinds.migrate.reading import Reading, is_called, read_model, read_trees
from dbt_kinds.migrate.results import Migration, Result
from dbt_kinds.migrate.settings import Settings, is_kind, read_settings
from dbt_kinds.migrate.snapshots import Snapshot, propose, read_snapshots
from dbt_kinds.migrate.spread_config import is_disabled, with_plain_config
from dbt_kinds.migrate.watermarks import Inlined, with_inline_watermarks
from dbt_kinds.readers.dbt.calls import COMPUTED
from dbt_kinds.readers.dbt.config_call import ConfigCall, config_calls, config_edits, removals, renaming
from dbt_kinds.readers.dbt.project import DbtProject, ModelFile, read_project
from dbt_kinds.readers.dbt.rendering import Names
from dbt_kinds.readers.dbt.tags import line_of
from dbt_kinds.writers.jinja import Expression, config_block

Progress = Callable[[int, int], None]
_PYTHON_INCREMENTAL = re.compile(r"materialized\s*=\s*['\"]incremental['\"]|\bis_incremental\b")


def migrate_project(
    root: Path,
    options: MigrateOptions,
    select: Iterable[str] = (),
    progress: Progress | None = None,
    dialect: str | None = None,
) -> Migration:
    """Migrates the models of the project in a folder.

    Args:
        select: the names of models and snapshots; none means all.
        progress: called after each model with the numbers done and in total.
        dialect: the SQL dialect; default the profile's or the one that parses most models.

    Raises:
        UnreadableProjectError: the folder has no project that can be read.
        UnknownModelError: a selected name is not a model.
        UnreadableScheduleError: the package would refuse the cron.
    """
    if options.cron is not None:
        cron_unit(read_cron(options.cron, "--cron"), name="--cron")
    project = read_project(root)
    models = [model for model in project.models if _is_ours(model)]
    options = resolved(options, project, root, dialect)
    project = for_target(project, options)
    snapshots = read_snapshots(project, project.snapshot_properties)
    wanted = set(select)
    known = {model.name for model in project.models} | {snapshot.name for snapshot in snapshots}
    if wanted - known:
        raise UnknownModelError(f"no model or snapshot of this project is called {', '.join(sorted(wanted - known))}")
    work: list[ModelFile | Snapshot] = [*models, *snapshots]
    work = [item for item in work if not wanted or item.name in wanted]
    results = []
    parents = Parents(project, options.dialect, options.adapter or options.dialect)
    for done, item in enumerate(work, 1):
        results.append(_one(item, project, options, parents))
        if progress is not None:
            progress(done, len(work))
    return Migration(project.name, results, options.dialect)


def resolved(options: MigrateOptions, project: DbtProject, root: Path, dialect: str | None) -> MigrateOptions:
    """The options with the project's adapter and dialect: the given one, the profile's, or what the project shows.

    Raises:
        KindsError: nothing is known of the given one.
    """
    if dialect is not None and known_dialect(dialect) is None:
        raise KindsError(
            f"--dialect {dialect} names no dialect of SQL and no adapter whose dialect is known; leave it out, and the "
            "models say it"
        )
    adapter = dialect or adapter_of(root, project.profile) or adapter_beside(root, project.profile)
    ours = [model for model in project.models if _is_ours(model)]
    written = dialect_of(adapter, root, (model.text for model in ours), (model.config for model in ours))
    return replace(options, dialect=written, adapter=adapter)


def for_target(project: DbtProject, options: MigrateOptions) -> DbtProject:
    """The project as a target of the adapter has it: some models may be disabled there."""
    disabled = {model.path for model in project.models if is_disabled(model, project, options)}
    return replace(project, disabled=frozenset(disabled))


def _one(item: ModelFile | Snapshot, project: DbtProject, options: MigrateOptions, parents: Parents) -> Result:
    try:
        if isinstance(item, ModelFile):
            return migrate_model(item, project, options, parents)
        return migrate_snapshot(item, project)
    except Exception as error:
        failed = Result(item.name, item.path, 1, "failed", failure=f"{type(error).__name__}: {error}")
        failed.is_snapshot = isinstance(item, Snapshot)
        return failed


def migrate_model(model: ModelFile, project: DbtProject, options: MigrateOptions, parents: Parents) -> Result:
    """Migrates one model."""
    result = Result(model.name, model.path, 1, "left", old_text=model.text)
    if is_kind(model):
        result.status = "already"
        result.kind = str(model.own_config.get("materialized", model.config.get("materialized")))
        return result
    settings: Settings | None = None
    reading: Reading | None = None
    names = Names()
    inlined = Inlined(model)
    try:
        model, written = with_plain_config(model, project, options)
        inlined = with_inline_watermarks(model, project, options)
        model = inlined.model
        settings = read_settings(model, project, options)
        result.line = settings.line
        result.found = found_of(None, settings)
        if settings.strategy == "microbatch":
            result.found = Found("microbatch", settings.unique_key, ("microbatch",))
            conversion = decide_microbatch(model, settings, parents, options)
            # dbt gives it its window, and a variable may choose among its rows
            unfiltered = read_model(model, project, options, parents, names)
            read_trees(unfiltered, [], options)
            check_switches(unfiltered, options.dialect)
            if unfiltered.trees:
                check_parameters(unfiltered, settings)
            check_parent_rows(unfiltered, conversion)
            conversion.edits += [block_removal(model.text, block) for block in unfiltered.empty]
        else:
            reading = read_model(model, project, options, parents, names)
            conversion = decide(reading, settings, project, options)
            conversion.edits += [block_removal(model.text, block) for block in reading.empty]
            result.found = found_of(reading, settings)
        result.new_text = with_read_settings(converted_text(model, conversion), model, conversion, project)
    except Left as left:
        if reading is not None:
            result.found = found_of(reading, settings)
        result.reason = left
        left.file, left.message = model.path, names.readable(left.message)
        if left.line is not None:
            left.line = inlined.original_line(left.line)
        macro = inlined.macros.get(left.line or 0)
        if macro is not None:
            left = Left(
                MigrateCode.MacroFilter,
                f"the macro {macro} writes the query, and in its text: {left.message}",
                line=left.line,
            )
            left.file, result.reason = model.path, left
        return result
    if inlined.macros and not options.inlines_macros:
        line, macro = next(iter(inlined.macros.items()))
        words = f"the macro {macro} writes the query; --inline-macros writes its text into the model, and converts that"
        result.new_text, result.reason = None, Left(MigrateCode.MacroFilter, words, line=line)
        result.reason.file = model.path
        return result
    replaced = {*inlined.replaced, *(reading.replaced if reading is not None else ())}
    notes = [
        *written,
        *_written_out(inlined),
        *window_for(replaced),
        *kept_notes(settings.kept_deletes),
        *conversion.notes,
    ]
    for note in conversion.notes:
        note.message = names.readable(note.message)
    result.status, result.kind, result.options, result.notes = (
        "converted",
        conversion.kind,
        conversion.options,
        list({(note.code, note.message): note for note in notes}.values()),
    )
    return result


def _written_out(inlined: Inlined) -> list[MigrationNote]:
    return [
        MigrationNote(
            MigrateCode.MacroWritten,
            f"the text of the macro {name} stands here now, with the window in it; the macro stays for other models",
        )
        for name in inlined.macros.values()
    ]


def converted_text(model: ModelFile, conversion: Conversion) -> str:
    """The new text of a model's file.

    Raises:
        Left (ComputedConfig): its config() cannot be edited.
    """
    text = model.text
    calls = model.calls
    edits = list(conversion.edits)
    call = next((call for call in calls if call.argument("materialized")), calls[0] if calls else None)
    if call is None:
        line_end = "\r\n" if "\r\n" in text else "\n"
        settings = {"materialized": conversion.kind} | ({"meta": conversion.options} if conversion.options else {})
        edits.append(Edit(0, 0, config_block(settings).replace("\n", line_end) + line_end * 2))
    else:
        try:
            edits += config_edits(text, call, conversion.kind, conversion.removed, conversion.options)
            for other in calls:
                edits += _removed_beside(text, other, conversion) if other is not call else []
        except ValueError as error:
            raise Left(MigrateCode.ComputedConfig, str(error), line=1) from error
    for name, renamed in conversion.renamed.items():
        edits += renaming(text, calls, name, renamed)
    edits += semicolon_edits(text)
    result = edited(text, edits)
    _check(model, conversion, result)
    return result


def _removed_beside(text: str, other: ConfigCall, conversion: Conversion) -> list[Edit]:
    """Removes from another config() than that of the materialization what moved into meta.

    Raises:
        Left (ComputedConfig): it has a meta of its own, or is given a mapping.
    """
    gone = conversion.removed & set(other.values)
    if gone and (other.source or "meta" in other.values):
        raise Left(
            MigrateCode.ComputedConfig,
            f"another config() than that of materialized has {', '.join(sorted(gone))}; write them into that",
            line=line_of(text, other.tag.start),
        )
    if gone == set(other.values):
        return [removal(text, other.tag.start, other.tag.end)]
    return removals(text, other, gone)


def _check(model: ModelFile, conversion: Conversion, text: str) -> None:
    """Verifies that the edited text means what was intended, so that a wrong edit is never written."""
    if blocks_left(text):
        raise RuntimeError("is_incremental() would be left")
    config = {name: value for call in config_calls(text) for name, value in call.values.items()}
    before, meta = model.own_config.get("meta"), config.get("meta")
    kept = {
        conversion.renamed.get(name, name): value
        for name, value in model.own_config.items()
        if name not in conversion.removed
    }
    written = {name: COMPUTED if isinstance(value, Expression) else value for name, value in conversion.options.items()}
    if meta is COMPUTED:
        # one mapping is both config() and its meta
        expected = kept | written | {"materialized": conversion.kind}
    else:
        options = {**(before if isinstance(before, dict) else {}), **written}
        expected = kept | {"materialized": conversion.kind} | ({"meta": options} if options else {})
    if {name: repr(value) for name, value in config.items()} != {name: repr(value) for name, value in expected.items()}:
        raise RuntimeError("config() would not say what it should")


def migrate_snapshot(snapshot: Snapshot, project: DbtProject) -> Result:
    """The model that is proposed for a snapshot."""
    result = Result(snapshot.name, snapshot.path, snapshot.line, "left", is_snapshot=True)
    strategy = snapshot.config.get("strategy")
    result.found = Found(strategy if isinstance(strategy, str) else None, patterns=("snapshot",))
    try:
        proposal = propose(snapshot, project)
    except Left as left:
        left.file = snapshot.path
        result.reason = left
        return result
    result.status, result.kind, result.options, result.notes = (
        "proposed",
        proposal.kind,
        dict(proposal.options),
        list(proposal.notes),
    )
    if not (project.root / proposal.path).exists():
        result.new_file, result.new_text = proposal.path, proposal.text
    return result


def write_migration(root: Path, migration: Migration) -> Iterator[str]:
    """Writes the changed files, preserving all other bytes; yields their paths."""
    for result in migration.results:
        if result.new_text is not None:
            path = result.new_file or result.file
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(result.new_text.encode("utf-8"))
            yield path


def _is_ours(model: ModelFile) -> bool:
    if model.is_python:
        return _PYTHON_INCREMENTAL.search(model.text) is not None or model.config.get("materialized") == "incremental"
    materialized = model.config.get("materialized")
    return (
        materialized == "incremental"
        or is_kind(model)
        or is_called(model.text)
        or (materialized is COMPUTED and "incremental" in model.text)
    )
