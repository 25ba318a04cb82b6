"""Microbatch models: dbt filtered their inputs, whereas a model of a kind contains the filters itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any

from sqlglot import exp

from dbt_kinds.analysis.edits import Edit, edited
from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left, MigrationNote, NoFilter
from dbt_kinds.migrate.column_types import suffix_by_name, suffix_of, type_of
from dbt_kinds.migrate.conversion import Conversion, MigrateOptions
from dbt_kinds.migrate.parents import Parents
from dbt_kinds.migrate.settings import Settings, check_range
from dbt_kinds.migrate.when import missed_runs, unit_of_cron
from dbt_kinds.readers.dbt.calls import COMPUTED, arguments, names_only
from dbt_kinds.readers.dbt.project import DbtProject, ModelFile, Properties
from dbt_kinds.readers.dbt.rendering import Names
from dbt_kinds.readers.dbt.tags import line_of, tags
from dbt_kinds.writers.jinja import Expression

_INPUT = re.compile(r"(?P<function>ref|source)\s*\((?P<arguments>[^()]*)\)")
_PLAIN = re.compile(r"(?:ref|source)\s*\([^()]*\)")
_RENDERED = re.compile(r"(?:ref|source)\s*\([^()]*\)\s*\.render\(\)")
_INPUT_NAME = "kinds_ref_0"
_GIVEN = frozenset({"var", "env_var"})
_VARIABLE = re.compile(r"""var\(\s*(['"])(?P<name>\w+)\1\s*(?:,\s*(['"])(?P<default>\w+)\3\s*)?\)""")
_MOVED = {"event_time", "begin", "batch_size", "lookback", "concurrent_batches"}


def decide_microbatch(model: ModelFile, settings: Settings, parents: Parents, options: MigrateOptions) -> Conversion:
    """Converts a microbatch model to a time-range model.

    Raises:
        Left: a setting is missing or computed, or the model also calls is_incremental().
    """
    config, text = settings.config, model.text
    for tag in tags(text):
        if tag.kind == "comment" or tag.code.startswith("config"):
            continue
        if "is_incremental" in tag.code:
            raise NoFilter(
                MigrateCode.SecondUseOfIsIncremental,
                "a microbatch model asks is_incremental(), too",
                line=line_of(text, tag.start),
            )
        if re.search(r"\bthis\b", tag.code):
            raise Left(
                MigrateCode.ReadsThisElsewhere,
                "a batch reads the model's own table, and a kind reads its inputs alone",
                line=line_of(text, tag.start),
            )
    missing = [name for name in ("event_time", "begin", "batch_size") if not config.get(name)]
    if missing:
        raise Left(
            MigrateCode.MicrobatchIncomplete,
            f"{' and '.join(missing)} is not set; microbatch needs it, and so does the kind",
            line=settings.line,
        )
    if config.get("incremental_predicates"):
        raise Left(
            MigrateCode.CustomStrategy, "incremental_predicates narrow what a batch replaces", line=settings.line
        )
    unit = _unit(model, config["batch_size"], parents.project, settings.line)
    check_range(settings, str(config["event_time"]), options)
    found = Conversion("incremental_by_time_range")
    found.options = {"time_column": str(config["event_time"]), "start": _start(model, config["begin"])}
    if config["batch_size"] is COMPUTED:
        found.options["interval_unit"] = _carried(model, "batch_size")
    elif unit != unit_of_cron(options):
        found.options["interval_unit"] = unit
    found.options["batch_size"] = 1
    # dbt's default
    lookback = config.get("lookback", 1)
    found.options["lookback"] = _carried(model, "lookback") if lookback is COMPUTED else int(lookback)
    if options.cron:
        found.options["cron"] = options.cron
    elif unit == "hour":
        found.options["cron"] = "@hourly"
    found.removed = {"incremental_strategy", "unique_key", *_MOVED} & set(model.own_config)
    if _is_read_in_batches(model, parents.project):
        # dbt filters what its microbatch readers read of it by that
        found.removed.discard("event_time")
    if config.get("unique_key") and "unique_key" not in model.own_config:
        raise Left(
            MigrateCode.ConfigElsewhere,
            "unique_key stands in YAML, where a model of this kind must not have one; take it out there",
            line=1,
        )
    if config.get("concurrent_batches"):
        found.notes.append(
            MigrationNote(
                MigrateCode.ConcurrencyDropped,
                "concurrent_batches is dropped: batches are processed one after the other, in the order of time",
            )
        )
    found.notes.append(missed_runs())
    edits, notes = _inputs(model, parents, _window)
    found.edits += edits
    found.notes += notes
    return found


def _unit(model: ModelFile, batch_size: Any, project: DbtProject, line: int) -> str:
    """The size of batches, as the project has it now if it is a variable's.

    Raises:
        Left (MicrobatchIncomplete): it is no size of dbt's.
        Left (ComputedConfig): it depends on more than variables, or its variable has no value in the project.
    """
    if batch_size is COMPUTED:
        called = _VARIABLE.fullmatch(_carried(model, "batch_size"))
        batch_size = project.variables.get(called["name"], called["default"]) if called else None
        if batch_size is None:
            raise Left(
                MigrateCode.ComputedConfig,
                "batch_size is computed; write its value out, or take it from a var() that has one",
                line=line,
            )
    unit = str(batch_size).lower()
    if unit not in ("hour", "day", "month", "year"):
        raise Left(
            MigrateCode.MicrobatchIncomplete, f"batch_size {unit} is none of hour, day, month and year", line=line
        )
    return unit


def _is_read_in_batches(model: ModelFile, project: DbtProject) -> bool:
    """Whether a microbatch model of the project reads it."""
    named = re.compile(rf"\bref\s*\([^()]*['\"]{re.escape(model.name)}['\"]")
    return any(
        other.config.get("incremental_strategy") == "microbatch" and named.search(other.text)
        for other in project.models
        if other is not model
    )


def _carried(model: ModelFile, name: str) -> Expression:
    """A setting that depends on variables alone; an option can be given by the same expression.

    Raises:
        Left (ComputedConfig): it depends on something else, or is computed in YAML.
    """
    written = next((found for call in model.calls if (found := call.argument(name))), None)
    if written is None or not names_only(written.text, _GIVEN):
        line = line_of(model.text, written.start) if written else 1
        raise Left(
            MigrateCode.ComputedConfig, f"{name} is computed; write its value out, or take it from var()", line=line
        )
    return Expression(written.text)


def _start(model: ModelFile, value: Any) -> str:
    if value is COMPUTED:
        return _carried(model, "begin")
    if isinstance(value, datetime | date):
        return value.isoformat()
    return str(value).removesuffix("T00:00:00").removesuffix(" 00:00:00")


def _window(event_time: str, suffix: str) -> str:
    return f"{event_time} between {{{{ dbt_kinds.start_{suffix}() }}}} and {{{{ dbt_kinds.end_{suffix}() }}}}"


def batch_of(model: ModelFile, parents: Parents, start: str, end: str) -> str:
    """The text of a microbatch model as dbt runs it for one batch: its inputs with an event time are filtered.

    Raises:
        Left: which inputs dbt filters is not known.
    """

    def between(event_time: str, suffix: str) -> str:
        form = "date '%Y-%m-%d'" if suffix in ("date", "ds") else "timestamp '%Y-%m-%d %H:%M:%S+00:00'"
        bounds = [datetime.fromisoformat(bound).strftime(form) for bound in (start, end)]
        return f"{event_time} >= {bounds[0]} and {event_time} < {bounds[1]}"

    return edited(model.text, _inputs(model, parents, between)[0])


def _inputs(
    model: ModelFile, parents: Parents, condition: Callable[[str, str], str]
) -> tuple[list[Edit], list[MigrationNote]]:
    """The inputs with an event time get the filter that dbt put around them.

    Args:
        condition: the filter, from an event time and the suffix of its time variables.
    """
    text = model.text
    edits: list[Edit] = []
    notes: list[MigrationNote] = []
    for tag in tags(text):
        if tag.kind == "comment" or not _INPUT.search(tag.code) or _RENDERED.fullmatch(tag.code):
            continue
        line = line_of(text, tag.start)
        if tag.kind != "expression" or not _PLAIN.fullmatch(tag.code):
            if re.match(r"(do\s+)?config\b", tag.code):
                continue
            raise Left(
                MigrateCode.CustomStrategy,
                f"`{tag.code[:60]}` hands an input to something else, which dbt filters there",
                line=line,
            )
        call = _INPUT.fullmatch(tag.code)
        assert call is not None
        names = [
            argument.value
            for argument in arguments(call["arguments"], 0, len(call["arguments"]))
            if argument.name is None
        ]
        properties, config = _upstream(call["function"], names, parents.project)
        event_time = config.get("event_time") if config is not None else None
        if config is None:
            notes.append(
                MigrationNote(
                    MigrateCode.WholeInput,
                    f"{names[-1]} is not in the project, so it is read whole; where it has an event_time, "
                    "filter it by that",
                )
            )
            continue
        if event_time is None:
            continue
        if event_time is COMPUTED:
            raise Left(MigrateCode.ComputedConfig, f"the event_time of {names[-1]} is computed", line=line)
        relation = (call["function"], *map(str, names))
        written, suffix, told = _compared(str(event_time), config, parents, relation, properties.types, line)
        notes += told
        original = text[tag.start : tag.end]
        filtered = f"(select * from {original} where {condition(written, suffix)})"
        edits.append(Edit(tag.start, tag.end, filtered))
    return edits, notes


def _upstream(function: str, names: list[Any], project: DbtProject) -> tuple[Properties, dict[str, Any] | None]:
    if function == "ref":
        upstream = project.models_by_name.get(str(names[-1])) if len(names) == 1 or names[0] == project.name else None
        if upstream is None:
            return Properties(), None
        # a migrated model has its event time in meta
        meta = upstream.config.get("meta")
        moved = (
            {"event_time": meta["time_column"]}
            if isinstance(meta, dict) and isinstance(meta.get("time_column"), str)
            else {}
        )
        return upstream.properties, moved | dict(upstream.config)
    known = project.source_types.get((str(names[0]), str(names[-1])))
    return (known, dict(known.config)) if known is not None else (Properties(), {})


def _partition_type(config: dict[str, Any], column: str) -> str | None:
    """The type that BigQuery's `partition_by: {field: …, data_type: …}` states for a column."""
    partition = config.get("partition_by")
    if not isinstance(partition, dict) or str(partition.get("field")).lower() != column.lower():
        return None
    stated = partition.get("data_type")
    return stated if isinstance(stated, str) else None


def _compared(
    column: str,
    config: dict[str, Any],
    parents: Parents,
    relation: tuple[str, ...],
    types: Mapping[str, str],
    line: int,
) -> tuple[str, str, list[MigrationNote]]:
    """What an input is filtered by, and the suffix of its time variables.

    The type of its event time is declared, or that of its partitions, or what its query says. A time of an unknown type
    is cast to a timestamp, as dbt does on BigQuery: that is right for dates and timestamps alike.
    """
    stated = _partition_type(config, column)
    if stated is not None and column.lower() not in types:
        types = {**types, column.lower(): stated}
        own: Mapping[str, str] = types
    else:
        own = {}
    select = exp.select("*").from_(_INPUT_NAME)
    names = Names(relations={_INPUT_NAME: relation})
    written, event_time = f"{column} of {relation[-1]}", exp.column(column)
    is_known = type_of(event_time, select, names, parents).is_known or column.lower() in own
    if not is_known and suffix_by_name(event_time, against_date=False) is None:
        note = f"nothing says whether {written} is a date or a timestamp, so it is cast; declare its data_type"
        return f"cast({column} as timestamp)", "dt", [MigrationNote(MigrateCode.TypeFromName, note)]
    suffix, notes = suffix_of(
        event_time, written, select, names, parents, own, against_date=False, against_instant=False, line=line
    )
    return column, suffix, notes
