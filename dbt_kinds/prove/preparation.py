"""Prepares the trial of a conversion: finds its inputs and their types, and sets up both ways of loading it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import duckdb
import yaml
from sqlglot import exp

from dbt_kinds.analysis.tree import conjuncts
from dbt_kinds.errors import Left
from dbt_kinds.migrate.arrival import is_arrival
from dbt_kinds.migrate.conversion import MigrateOptions
from dbt_kinds.migrate.kept_deletes import deletion
from dbt_kinds.migrate.late_rows import reach_of
from dbt_kinds.migrate.meaning import Meaning, meanings_of
from dbt_kinds.migrate.microbatch import batch_of
from dbt_kinds.migrate.outside import VAR_CALL
from dbt_kinds.migrate.parents import Parents
from dbt_kinds.migrate.reading import read_model
from dbt_kinds.migrate.results import Result
from dbt_kinds.migrate.settings import Settings, read_settings
from dbt_kinds.migrate.spread_config import with_plain_config
from dbt_kinds.migrate.variables import bounding_conditions
from dbt_kinds.migrate.watermarks import with_inline_watermarks
from dbt_kinds.prove.columns import ColumnsRead
from dbt_kinds.prove.histories import Conditions
from dbt_kinds.prove.new_model import NewModel
from dbt_kinds.prove.old_model import Batches, OldModel
from dbt_kinds.prove.rendering import OLD_TABLE, Invocation, PlayedRenderer
from dbt_kinds.prove.sources import Inputs
from dbt_kinds.prove.stand_ins import MACROS
from dbt_kinds.prove.translation import PREPARED_AT, clock_columns, in_duckdb, read_query, written_for_duckdb
from dbt_kinds.prove.trial import Trial
from dbt_kinds.prove.types import Accepted, Columns, declared_type, guessed_types
from dbt_kinds.prove.verdict import NotTriedError
from dbt_kinds.prove.window import Bounded, bounded_by_window
from dbt_kinds.readers.dbt.calls import COMPUTED
from dbt_kinds.readers.dbt.project import DbtProject, ModelFile
from dbt_kinds.readers.dbt.rendering import Names
from dbt_kinds.simulation.warehouse import Warehouse
from dbt_kinds.writers.jinja import Expression

_MOMENT = datetime.fromisoformat(PREPARED_AT)
# a day before all rows of a history
_EARLY = "1900-01-01"
# whose adapters delete and insert if a model has a key and names no strategy
_DELETING_ADAPTERS = frozenset({"duckdb", "postgres", "redshift"})
# what depends on the order of rows that are equal
_ORDERED = (
    exp.Window,
    exp.ArgMax,
    exp.ArgMin,
    exp.First,
    exp.Last,
    exp.AnyValue,
    exp.Limit,
    exp.ArrayAgg,
    exp.GroupConcat,
    exp.Distinct,
)
_EQUALING = (exp.EQ, exp.In, exp.Like, exp.ILike)
_DATED = re.compile(r"((?:19|20)\d\d)-\d\d-\d\d")
_YEAR = 2024
_PREPARED = tuple(f"{_MOMENT - timedelta(days=number):%Y-%m-%d}" for number in range(2))
_NARROWING = ("incremental_predicates", "predicates")


def prepared(
    model: ModelFile, result: Result, project: DbtProject, options: MigrateOptions, parents: Parents
) -> tuple[Trial, Conditions]:
    """The trial of a conversion, and what its histories may hold.

    Raises:
        NotTriedError: DuckDB cannot play it.
    """
    try:
        plain, _ = with_plain_config(model, project, options)
        settings = read_settings(plain, project, options)
    except Left as left:
        raise NotTriedError(left.message) from left
    for name in _NARROWING:
        # where they have no use any more, a note says so
        if settings.config.get(name) and all(note.code != "PredicatesNotUsed" for note in result.notes):
            raise NotTriedError(f"{name} is set")
    if settings.deletes:
        raise NotTriedError("a hook deletes rows")
    adapter = options.adapter or options.dialect
    warehouse = Warehouse(keeps_macros=True)
    connection = warehouse.database
    for statement in (f"set variable kinds_now = timestamptz '{_MOMENT}+00'", *MACROS):
        connection.execute(statement)

    def ask(sql: str) -> list[tuple[Any, ...]]:
        return connection.execute(in_duckdb(sql, options.dialect)).fetchall()

    renderer = PlayedRenderer(project, adapter, ask)
    kind_options = _kind_options(result, settings, renderer)
    batches = _batches(plain, settings, kind_options, parents)
    meanings = _meanings(plain, settings, project, options, parents)
    given, variables = _given(meanings, set(VAR_CALL.findall(str(result.new_text))))
    first = Invocation(_MOMENT, is_incremental=False, variables=variables)
    old_text = batches.text_of(f"{_MOMENT - timedelta(days=1)}", f"{_MOMENT}") if batches else plain.text
    before = read_query(renderer.rendered(old_text, first), options.dialect, "the query of its first load")
    new_text = str(result.new_text)
    after = read_query(renderer.rendered(new_text, first), options.dialect)
    wanted = [*settings.unique_key, *settings.partition_columns]
    wanted += [result.options["time_column"]] if "time_column" in result.options else []
    hooks = [renderer.rendered(text, first) for text in settings.kept_deletes]
    deletions = [found for sql in hooks if (found := deletion(sql, options.dialect)) is not None]
    names = {table.name.lower() for tree in (before, after, *deletions) for table in tree.find_all(exp.Table)}
    names = {name for name in names if name.startswith("in_")}
    known = {name: _declared(relation, parents) for name, relation in renderer.inputs.items()}
    read = ColumnsRead(names, known)
    for tree in (before, after):
        read.read(tree, wanted)
    for query in (query for one in deletions for query in one.find_all(exp.Query) if query.parent_select is None):
        read.read(query.copy())
    bounded = bounded_by_window(after, read)
    accepted = _accepted(connection, renderer, read, parents, before, after, options.dialect)
    columns, lacking = accepted.columns, accepted.lacking
    if not batches:
        connection.execute(
            f"create or replace table {OLD_TABLE} as {written_for_duckdb(before, options.dialect, lacking)}"
        )
        later = Invocation(_MOMENT, is_incremental=True, variables=variables)
        try:
            connection.execute(f"describe {in_duckdb(renderer.rendered(old_text, later), options.dialect, lacking)}")
        except duckdb.Error as error:
            raise NotTriedError(
                f"DuckDB does not take its incremental query: {str(error).splitlines()[0][:160]}"
            ) from error
    new = NewModel(
        new_text,
        options.dialect,
        str(result.kind),
        kind_options,
        renderer,
        warehouse,
        lacking,
        settings.kept_deletes,
        variables,
    )
    new.prepare(_MOMENT)
    old = OldModel(
        plain.text,
        options.dialect,
        _strategy(settings, adapter),
        settings.unique_key,
        tuple(settings.partition_by),
        renderer,
        connection,
        given,
        updated=_merged(model, settings, renderer, "merge_update_columns") or None,
        unchanged=_merged(model, settings, renderer, "merge_exclude_columns") or (),
        batches=batches,
        keeps_history=settings.config.get("full_refresh") is False,
        lacking=lacking,
        deletes=settings.kept_deletes,
    )
    inputs = _inputs(columns, bounded, settings, [before, after], result, options)
    conditions = _conditions(result, settings, kind_options, meanings, bounded, [before, after], options)
    key = {name.lower() for name in settings.unique_key}
    is_declared = any(unique <= key for unique in model.properties.unique)
    conditions = replace(conditions, has_declared_key=is_declared)
    return Trial(connection, inputs, old, new, clock_columns(before)), conditions


def _lower(value: Any) -> tuple[str, ...] | None:
    if not value:
        return None
    return tuple(str(name).lower() for name in ([value] if isinstance(value, str) else value))


def _merged(model: ModelFile, settings: Settings, renderer: PlayedRenderer, name: str) -> tuple[str, ...] | None:
    """The columns that a setting of the merge names, computed if they have to be."""
    value = settings.config.get(name)
    if value is COMPUTED:
        written = next((found for call in model.calls if (found := call.argument(name)) is not None), None)
        if written is None:
            raise NotTriedError(f"{name} is computed in YAML")
        value = renderer.render(f"{{% set kinds_given = {written.text} %}}")[1].get("kinds_given")
        if value is not None and not isinstance(value, str | list | tuple):
            raise NotTriedError(f"{name} is not known without a warehouse")
    return _lower(value)


def _strategy(settings: Settings, adapter: str) -> str:
    if settings.strategy is not None:
        return settings.strategy
    if not settings.unique_key:
        return "append"
    return "delete+insert" if adapter in _DELETING_ADAPTERS else "merge"


def _kind_options(result: Result, settings: Settings, renderer: PlayedRenderer) -> dict[str, Any]:
    options = {
        name: yaml.safe_load(renderer.rendered(f"{{{{ {value} }}}}", Invocation(_MOMENT, is_incremental=False)))
        if isinstance(value, Expression)
        else value
        for name, value in result.options.items()
        # each history has its own start
        if name != "start"
    }
    options["file_format"] = "iceberg"
    if result.kind == "incremental_by_partition":
        options["partition_by"] = list(settings.partition_by)
    return options


def _batches(model: ModelFile, settings: Settings, kind_options: Mapping[str, Any], parents: Parents) -> Batches | None:
    if settings.strategy != "microbatch":
        return None
    configured = settings.config.get("lookback", 1)
    return Batches(
        str(settings.config["event_time"]),
        str(settings.config["batch_size"]).lower(),
        configured if isinstance(configured, int) else int(kind_options["lookback"]),
        lambda start, end: batch_of(model, parents, start, end),
    )


def _given(
    meanings: list[Meaning], kept: set[str]
) -> tuple[Callable[[datetime, datetime], Sequence[dict[str, str]]], dict[str, str]]:
    """The variables that bound what a run reads: what a scheduler gave for the time since the last run.

    Args:
        kept: the variables of the new model, too, before which neither reads anything.
    """
    starts = {bound.variable for meaning in meanings for bound in meaning.lower if bound.base == "variable"}
    fixed = {str(name): _EARLY for name in starts & kept}
    starts -= kept
    ends = {
        bound.variable: bound.is_inclusive
        for meaning in meanings
        for bound in meaning.upper
        if bound.base == "variable"
    }
    is_day = bool(ends) and all(meaning.is_one_interval for meaning in meanings if meaning.upper)

    def given(last: datetime, moment: datetime) -> Sequence[dict[str, str]]:
        if not starts and not ends:
            return [fixed]
        begin = last.date()
        if is_day:
            days = [begin + timedelta(days=number) for number in range((moment.date() - begin).days)]
            return [fixed | {str(name): str(day) for name in {*starts, *ends}} for day in days]
        until = {name: moment.date() - timedelta(days=1 if is_inclusive else 0) for name, is_inclusive in ends.items()}
        begins = {str(name): str(begin) for name in starts}
        return [fixed | begins | {str(name): str(day) for name, day in until.items()}]

    return given, dict(given(_MOMENT - timedelta(days=1), _MOMENT)[0])


def _meanings(
    model: ModelFile, settings: Settings, project: DbtProject, options: MigrateOptions, parents: Parents
) -> list[Meaning]:
    if settings.strategy == "microbatch":
        return []
    try:
        model = with_inline_watermarks(model, project, options).model
        reading = read_model(model, project, options, parents, Names())
        found = [meaning for one in reading.filters for meaning in meanings_of(one, reading.names, options)]
        for one in bounding_conditions(reading, settings, options):
            found += meanings_of(one, reading.names, options, may_be_upper=True)
    except Left:
        return []
    return found


def _declared(relation: tuple[str, ...], parents: Parents) -> list[str]:
    """The columns that an input is known to have."""
    known = list(_declared_types(relation, parents))
    parent = parents.query(relation[-1]) if relation[0] == "ref" else None
    if parent is not None:
        known += [name for name in parent.tree.named_selects if name != "*"]
    return known


def _declared_types(relation: tuple[str, ...], parents: Parents) -> dict[str, str]:
    project = parents.project
    properties = (
        project.model_properties.get(relation[-1])
        if relation[0] == "ref"
        else project.source_types.get((relation[1], relation[-1]))
    )
    types = properties.types if properties is not None else {}
    return {name: found for name, written in types.items() if (found := declared_type(written)) is not None}


def _accepted(
    connection: duckdb.DuckDBPyConnection,
    renderer: PlayedRenderer,
    read: ColumnsRead,
    parents: Parents,
    before: exp.Query,
    after: exp.Query,
    dialect: str,
) -> Accepted:
    declared = {name: _declared_types(relation, parents) for name, relation in renderer.inputs.items()}
    columns = guessed_types(read.found, declared, [after, before])
    accepted = Accepted(connection, columns, declared)
    accepted.accept(before, dialect)
    return accepted


def _inputs(
    columns: Columns,
    bounded: Bounded,
    settings: Settings,
    trees: list[exp.Query],
    result: Result,
    options: MigrateOptions,
) -> Inputs:
    made_of_key = frozenset(_key_columns(trees, {name.lower() for name in settings.unique_key}))
    keys = {*made_of_key}
    literals: dict[str, list[Any]] = {}
    excluded: dict[str, list[Any]] = {}
    for tree in trees:
        for one in tree.find_all(exp.EQ, exp.NEQ, exp.In, exp.Like, exp.ILike):
            sides = [one.this, one.expression] if not isinstance(one, exp.In) else [one.this, *one.expressions]
            values = _literals(one)
            names = [column.name.lower() for side in sides if (column := _compared(side)) is not None]
            if len(names) == 2 and isinstance(one, exp.EQ):
                keys |= set(names)
            is_excluding = isinstance(one, exp.NEQ) or isinstance(one.parent, exp.Not)
            for name in names[:1]:
                (excluded if is_excluding else literals).setdefault(name, []).extend(values)
        for join in tree.find_all(exp.Join):
            keys |= {name.name.lower() for name in join.args.get("using") or []}
        for group in tree.find_all(exp.Group):
            keys |= {part.name.lower() for part in group.expressions if isinstance(part, exp.Column)}
        for window in tree.find_all(exp.Window):
            keys |= {
                part.name.lower() for part in window.args.get("partition_by") or [] if isinstance(part, exp.Column)
            }
    for name, values in excluded.items():
        # who a row is about has no other values than those
        if name not in keys:
            literals.setdefault(name, []).extend(values)
    is_by_key = result.kind == "incremental_by_unique_key"
    return Inputs(
        columns,
        frozenset(bounded.inputs or columns),
        frozenset(keys),
        made_of_key if is_by_key else frozenset(),
        bounded.columns,
        {name: tuple(dict.fromkeys(values)) for name, values in literals.items() if values},
        _wanted(trees),
        frozenset(
            column.name.lower()
            for tree in trees
            for call in tree.find_all(exp.Anonymous)
            if call.name.lower().startswith("kinds_")
            for column in call.find_all(exp.Column)
            if column.name.lower() not in keys
        ),
        frozenset(options.arrival),
        frozenset(options.event),
    )


def _key_columns(trees: list[exp.Query], key: set[str]) -> set[str]:
    """The columns of a key, and those of the inputs that they are made of: `id` for `id as order_id`."""
    found = set(key)
    named = [one for tree in trees for one in tree.find_all(exp.Alias) if isinstance(one.parent, exp.Select)]
    while True:
        made = [one.this for one in named if one.alias.lower() in found]
        more = {column.name.lower() for one in made for column in one.find_all(exp.Column)} - found
        if not more:
            return found
        found |= more


def _wanted(trees: list[exp.Query]) -> dict[str, tuple[Any, ...]]:
    """The values of columns for which the conditions that all rows must meet hold."""
    found: dict[str, tuple[Any, ...]] = {}
    for tree in trees:
        filters = [where.this for where in tree.find_all(exp.Where)]
        filters += [join.args["on"] for join in tree.find_all(exp.Join) if join.args.get("on") is not None]
        for condition in (part for one in filters for part in conjuncts(one)):
            is_negated = isinstance(condition, exp.Not)
            side = condition.this if is_negated or isinstance(condition, _EQUALING) else condition
            column = _compared(side)
            nothing = condition.this if isinstance(condition, exp.Is) else None
            if isinstance(nothing, exp.Column) and isinstance(condition.expression, exp.Null):
                found.setdefault(nothing.name.lower(), (None,))
            if column is not None and (isinstance(condition, _EQUALING) or side is column):
                values = _literals(condition) if isinstance(condition, _EQUALING) else [not is_negated]
                found.setdefault(column.name.lower(), tuple(values))
    return {name: values for name, values in found.items() if values}


def _literals(compared: exp.Expr) -> list[Any]:
    """The literals of a comparison."""
    sides = compared.expressions if isinstance(compared, exp.In) else [compared.this, compared.expression]
    return [_literal(side, compared) for side in sides if isinstance(side, exp.Literal)]


def _year(trees: list[exp.Query]) -> int:
    """The year of histories: after the dates from which on rows are read."""
    firsts = [_year_of(one.expression) for tree in trees for one in tree.find_all(exp.GT, exp.GTE)]
    firsts += [_year_of(one.args["low"]) for tree in trees for one in tree.find_all(exp.Between)]
    lasts = [_year_of(one.expression) for tree in trees for one in tree.find_all(exp.LT, exp.LTE)]
    first = max((year for year in firsts if year), default=_YEAR - 1) + 1
    return min([max(first, _YEAR), *(year - 1 for year in lasts if year)])


def _year_of(side: exp.Expr) -> int | None:
    found = [_DATED.match(one.name) for one in side.find_all(exp.Literal)]
    # the moment of the run, and the day before it, are none of the query's own
    years = [int(one[1]) for one in found if one is not None and not one.string.startswith(_PREPARED)]
    return years[0] if years else None


def _compared(side: exp.Expr) -> exp.Column | None:
    """The column whose value a side of a comparison is, perhaps in other letters."""
    while isinstance(side, exp.Lower | exp.Upper | exp.Trim | exp.Cast | exp.Paren):
        side = side.this
    return side if isinstance(side, exp.Column) else None


def _literal(side: exp.Literal, compared: exp.Expr) -> Any:
    """A value that a comparison with a literal may hold for."""
    if isinstance(compared, exp.Like | exp.ILike):
        return side.name.replace("%", "").replace("_", "a")
    return side.name if side.is_string else int(float(side.name))


def _conditions(
    result: Result,
    settings: Settings,
    kind_options: Mapping[str, Any],
    meanings: list[Meaning],
    bounded: Bounded,
    trees: Iterable[exp.Query],
    options: MigrateOptions,
) -> Conditions:
    notes = {note.code for note in result.notes}
    reads_all = not bounded.columns
    unit = str(kind_options.get("interval_unit") or ("hour" if "hour" in str(kind_options.get("cron")) else "day"))
    # a row may be as late as the filter or the kind looks back; a newest value waits for a source that is late
    before = settings.config.get("lookback", 1) if settings.strategy == "microbatch" else reach_of(meanings, unit)
    waits = any(bound.base == "latest" for meaning in meanings for bound in meaning.lower)
    given = (before, kind_options.get("lookback", 0), 1 if waits else 0)
    reaches = [reach for reach in given if isinstance(reach, int)]
    is_appended_once = reads_all or "AppendsWindows" in notes
    is_ordered = any(tree.find(*_ORDERED) is not None for tree in trees)
    is_by_key = result.kind == "incremental_by_unique_key"
    is_arriving = any(is_arrival(name, options.arrival, options.event) for name in bounded.columns)
    return Conditions(
        unit=unit,
        year=_year(list(trees)),
        lookback=0 if is_appended_once else max(reaches),
        nulls_in_times="FirstLoad" not in notes and settings.strategy != "microbatch" and reads_all,
        recurs="ReplacedTogether" not in notes and not bounded.is_joined and not (is_by_key and not is_ordered),
        changes=is_by_key and (is_arriving or reads_all),
        ties=not is_ordered,
        twice=not notes & {"NoWindow", "OncePerInterval"},
        refreshes=settings.config.get("full_refresh") is not False,
    )
