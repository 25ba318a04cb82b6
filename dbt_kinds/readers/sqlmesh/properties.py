"""The properties of a MODEL block and what each becomes in dbt."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from typing import Any

from sqlglot import TokenType, exp
from sqlglot.errors import SqlglotError

from dbt_kinds.codes import CompileCode
from dbt_kinds.intervals.units import NAMED_UNITS
from dbt_kinds.kinds import Column, Kind, Model
from dbt_kinds.readers.names import slug
from dbt_kinds.readers.sqlmesh.block import Block, Value, split_tokens
from dbt_kinds.readers.sqlmesh.instants import MovingInstant, NoInstant, exclusive_end, instant
from dbt_kinds.readers.sqlmesh.kind_values import check_is_known, one_of, read_cron, spark_type, type_of
from dbt_kinds.readers.sqlmesh.macros.scope import Scope
from dbt_kinds.translation.decimals import unbounded_decimal, unbounded_message

# these have no effect in dbt and do not change the table
_DROPPED = (
    "gateway",
    "project",
    "stamp",
    "formatting",
    "optimize_query",
    "ignored_rules",
    "virtual_environment_mode",
    "grants_target_layer",
    "retention",
    "profiles",
    "terms",
    "virtual_properties",
    "default_catalog",
)
# these may contain a time variable, or are checked for one later
_WITH_PLACEHOLDERS = ("kind", "audits", "assertions", "signals")
# read elsewhere, in this order
_ELSEWHERE = (
    "name",
    "kind",
    "dialect",
    "enabled",
    "blueprints",
    "audits",
    "assertions",
    "depends_on",
    "pre_statements",
    "post_statements",
    "on_virtual_update",
)
_SPELLINGS = (("audits", "assertions"), ("grain", "grains"), ("physical_properties", "table_properties"))
_TRANSFORMS = {
    "day": "days",
    "days": "days",
    "month": "months",
    "months": "months",
    "hour": "hours",
    "hours": "hours",
    "year": "years",
    "years": "years",
    "bucket": "bucket",
    "truncate": "truncate",
    # ClickHouse's
    "todate": "days",
    "toyyyymmdd": "days",
    "tostartofday": "days",
    "toyyyymm": "months",
    "tostartofmonth": "months",
    "tostartofhour": "hours",
    "toyear": "years",
}
_BY_UNIT = {"DAY": "days", "MONTH": "months", "HOUR": "hours", "YEAR": "years"}


def read_properties_of(model: Model, block: Block, scope: Scope, defaults: dict[str, Any], adapter: str) -> None:
    """Reads every remaining property of a block.

    Raises:
        CompileError: there is no such property (UnknownModelProperty).
        CompileError: a value is not what the property takes (BadPropertyValue).
    """
    dropped: list[Value] = []
    for one, other in _SPELLINGS:
        if one in block.properties and other in block.properties:
            message = f"{one} and {other} say the same; keep one of them"
            raise block.properties[other].error(CompileCode.DuplicateProperty, message)
    for key, value in list(block.properties.items()):
        if key not in _WITH_PLACEHOLDERS:
            check_is_known(value)
        if key in _DROPPED:
            dropped.append(value)
        elif key in _READERS:
            _READERS[key](model, value, scope)
        elif key == "partitioned_by":
            continue
        elif key == "clustered_by":
            _clustered_by(model, value, scope, adapter)
        elif key not in _ELSEWHERE:
            near = difflib.get_close_matches(
                key, (*_READERS, *_ELSEWHERE, *_DROPPED, "partitioned_by", "clustered_by"), 1
            )
            hint = f"did you mean {near[0]}?" if near else "remove it"
            raise value.error(CompileCode.UnknownModelProperty, f"a model has no property {key}: {hint}")
    if dropped:
        names = ", ".join(value.name for value in dropped)
        scope.note(CompileCode.PropertyDropped, f"{names} dropped: dbt has no counterpart", dropped[0].place.line)
    _format(model, block, defaults)
    if "partitioned_by" in block.properties:
        _partitioned_by(model, block.properties["partitioned_by"], scope, defaults, adapter)
    if "end" in model.options and "start" not in model.options and "start" not in defaults:
        value = block.properties["end"]
        raise value.error(
            CompileCode.EndWithoutStart, f"{model.name} has an end and no start; add start, or remove end"
        )


def as_spark_types(value: Value, scope: Scope) -> list[Column]:
    """Parses `(name TYPE [COMMENT 'text'], …)` into columns with Spark types.

    Raises:
        CompileError: it is not a list of columns (BadPropertyValue).
    """
    tokens = value.tokens
    if len(tokens) < 3 or tokens[0].text != "(" or tokens[-1].text != ")":
        raise value.bad("a list of columns and types, as in (id INT, name TEXT)")
    columns = []
    for item in split_tokens(tokens[1:-1], types=True):
        if not item:
            continue
        part = value.part(item)
        comment = None
        if len(item) > 3 and item[-2].text.upper() == "COMMENT" and item[-1].token_type == TokenType.STRING:
            comment = item[-1].text
            item = item[:-2]
        if len(item) < 2:
            raise part.error(CompileCode.BadPropertyValue, f"columns: '{part.text}' has no type; write 'name TYPE'")
        kind = value.part(item[1:], item[0].text)
        unbounded = unbounded_decimal(type_of(kind.text, kind), kind.dialect)
        if unbounded is not None:
            scope.note(CompileCode.DecimalBounded, unbounded_message(unbounded, kind.dialect), kind.place.line)
        columns.append(Column(item[0].text, _readable_type(kind), comment))
    return columns


def _readable_type(kind: Value) -> str:
    """A type under its name in Spark.

    Raises:
        CompileError: Spark has no equivalent (Untranslatable).
    """
    written = spark_type(kind.text, kind)
    try:
        exp.DataType.build(written, dialect="spark")
    except (SqlglotError, ValueError) as error:
        raise kind.error(
            CompileCode.Untranslatable, f"columns: the type {kind.text} has no counterpart in Spark"
        ) from error
    return written


def _instant(model: Model, value: Value, scope: Scope) -> None:
    try:
        model.options[value.name] = (exclusive_end if value.name == "end" else instant)(value.as_text())
    except MovingInstant as moving:
        message = f"{value.name} '{moving}' moves every day and was left out; write a date such as 2024-01-01"
        scope.note(CompileCode.RelativeStart, message, value.place.line)
    except NoInstant as problem:
        raise value.bad("a date such as '2024-01-01', or a date and time") from problem


def _cron(model: Model, value: Value, scope: Scope) -> None:
    del scope
    model.options["cron"] = read_cron(value)


def _word_option(model: Model, value: Value, scope: Scope) -> None:
    del scope
    model.options[value.name] = value.as_text()


def _interval_unit(model: Model, value: Value, scope: Scope) -> None:
    del scope
    model.options["interval_unit"] = one_of(value, NAMED_UNITS)


def _boolean_option(model: Model, value: Value, scope: Scope) -> None:
    del scope
    model.options[value.name] = value.as_boolean()


def _owner(model: Model, value: Value, scope: Scope) -> None:
    del scope
    model.settings["group"] = slug(value.as_text())
    model.origin["owner"] = value.as_text()


def _tags(model: Model, value: Value, scope: Scope) -> None:
    del scope
    model.settings["tags"] = [item.as_text() for item in value.as_list()]


def _description(model: Model, value: Value, scope: Scope) -> None:
    del scope
    model.description = value.as_text()


def _columns(model: Model, value: Value, scope: Scope) -> None:
    model.columns = as_spark_types(value, scope)


def _column_descriptions(model: Model, value: Value, scope: Scope) -> None:
    del scope
    by_name = {column.name.lower(): column for column in model.columns}
    for name, text in value.as_pairs():
        column = by_name.get(name.lower())
        if column is None:
            column = Column(name)
            model.columns.append(column)
        column.description = text.as_text()


def _origin(model: Model, value: Value, scope: Scope) -> None:
    del scope
    model.origin[value.name] = [item.text for item in value.as_list()]


def _physical_properties(model: Model, value: Value, scope: Scope) -> None:
    for name, item in value.as_pairs():
        if name.lower() == "creatable_type":
            scope.note(
                CompileCode.PropertyDropped, "creatable_type dropped: dbt creates tables its own way", item.place.line
            )
        elif name.lower() == "location":
            message = "physical property location was left out; write location_root, the folder above it, in the model"
            scope.note(CompileCode.PropertyDropped, message, item.place.line, for_person=True)
        else:
            model.settings.setdefault("tblproperties", {})[name] = item.as_literal()


def _session_properties(model: Model, value: Value, scope: Scope) -> None:
    names = ", ".join(name for name, _ in value.as_pairs())
    message = f"session_properties {names} were left out; set them as server_side_parameters in profiles.yml"
    scope.note(CompileCode.SessionProperties, message, value.place.line)


def _signals(model: Model, value: Value, scope: Scope) -> None:
    names = ", ".join(call.name for call in value.as_calls())
    message = (
        f"signal {names} was dropped: loading no longer waits for it; write in meta what it waited for: "
        "ready_until, a query that yields up to when sources are complete, or on_missing_upstream: wait, for parents"
    )
    scope.note(CompileCode.SignalDropped, message, value.place.line)


def _physical_version(model: Model, value: Value, scope: Scope) -> None:
    del model
    message = f"physical_version {value.text} was left out: dbt has one table a model; see which one that is"
    scope.note(CompileCode.PropertyDropped, message, value.place.line, for_person=True)


def _grants(model: Model, value: Value, scope: Scope) -> None:
    del scope
    model.settings["grants"] = {
        name.lower(): [item.as_text() for item in who.as_list()] for name, who in value.as_pairs()
    }


def _format_word(model: Model, value: Value, scope: Scope) -> None:
    del scope
    model.settings[f"_{value.name}"] = value.as_word()


def _format(model: Model, block: Block, defaults: dict[str, Any]) -> None:
    """`file_format`: the table format, else the storage format; if both are given, the latter is a table property."""
    del block
    table, storage = model.settings.pop("_table_format", None), model.settings.pop("_storage_format", None)
    if table or storage:
        model.settings["file_format"] = table or storage
    if storage and (table or defaults.get("table_format")):
        model.settings["file_format"] = table or defaults["table_format"]
        model.settings.setdefault("tblproperties", {})["write.format.default"] = storage


def _partitioned_by(model: Model, value: Value, scope: Scope, defaults: dict[str, Any], adapter: str) -> None:
    file_format = str(model.settings.get("file_format") or defaults.get("file_format") or "").lower()
    has_table = model.kind not in (Kind.VIEW, Kind.EPHEMERAL)
    names = []
    for item in value.as_list():
        name, is_column = _partition(item)
        if not is_column and not file_format and has_table and adapter == "spark":
            # the source names no format, so any that can is suitable
            file_format = model.settings["file_format"] = "iceberg"
            message = (
                f"{model.name} is partitioned by {item.text}, which only Iceberg can, so file_format iceberg was "
                "written; see that the target has it, or partition by a column that the query computes"
            )
            scope.note(CompileCode.FormatChosen, message, item.place.line)
        if not is_column and file_format != "iceberg" and has_table:
            message = (
                f"{model.name} is partitioned by {item.text}, which only Iceberg can; set table_format iceberg, or "
                "partition by a column that the query computes"
            )
            raise item.error(CompileCode.UnsupportedPartition, message)
        names.append(name)
    if names and has_table:
        model.settings["partition_by"] = names


def _partition(item: Value) -> tuple[str, bool]:
    """A partition field in dbt's form, and whether it is a column."""
    tree = item.as_expression()
    if isinstance(tree, exp.Column) and tree.name.upper().startswith("_PARTITION"):
        message = f"partitioned_by {item.text} is the time of loading, which no table of Spark has; name a column"
        raise item.error(CompileCode.UnsupportedPartition, message)
    if isinstance(tree, exp.Column) and len(tree.parts) == 1:
        return tree.name, True
    text = item.tokens[0].text.lower() if item.tokens else ""
    if text in _TRANSFORMS and len(item.tokens) > 3 and item.tokens[1].text == "(":
        inside = ", ".join(item.part(part).text for part in split_tokens(item.tokens[2:-1]))
        if re.fullmatch(r"(\d+, )?[A-Za-z_`\"][\w`\"]*", inside):
            return f"{_TRANSFORMS[text]}({inside})", False
    if isinstance(tree, exp.DatetimeTrunc | exp.DateTrunc | exp.TimestampTrunc) and isinstance(tree.this, exp.Column):
        unit = tree.args.get("unit")
        transform = _BY_UNIT.get(unit.name.upper() if unit is not None else "")
        if transform:
            return f"{transform}({tree.this.name})", False
    if isinstance(tree, exp.Extract) and tree.name.upper() == "YEAR" and isinstance(tree.expression, exp.Column):
        return f"years({tree.expression.name})", False
    is_date = isinstance(tree, exp.TsOrDsToDate | exp.Date) or _casts_to_date(tree)
    if is_date and isinstance(tree.this, exp.Column):
        return f"days({tree.this.name})", False
    message = f"partitioned_by {item.text} has no counterpart; write a column, or days(), months(), years() of one"
    raise item.error(CompileCode.UnsupportedPartition, message)


def _casts_to_date(tree: exp.Expr) -> bool:
    return isinstance(tree, exp.Cast) and tree.to.is_type(exp.DType.DATE)


def _clustered_by(model: Model, value: Value, scope: Scope, adapter: str) -> None:
    columns = [item.text for item in value.as_list()]
    if adapter == "databricks":
        model.settings["liquid_clustered_by"] = columns
        return
    message = f"clustered_by {', '.join(columns)} was left out: dbt-spark's wants buckets; add both by hand"
    scope.note(CompileCode.ClusterNeedsBuckets, message, value.place.line)


_READERS: dict[str, Callable[[Model, Value, Scope], None]] = {
    "start": _instant,
    "end": _instant,
    "cron": _cron,
    "cron_tz": _word_option,
    "interval_unit": _interval_unit,
    "allow_partials": _boolean_option,
    "owner": _owner,
    "tags": _tags,
    "description": _description,
    "columns": _columns,
    "column_descriptions": _column_descriptions,
    "grain": _origin,
    "grains": _origin,
    "references": _origin,
    "physical_properties": _physical_properties,
    "table_properties": _physical_properties,
    "session_properties": _session_properties,
    "signals": _signals,
    "physical_version": _physical_version,
    "grants": _grants,
    "table_format": _format_word,
    "storage_format": _format_word,
}
