"""Kinds of models: the properties of each, and their equivalents in dbt."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from dbt_kinds.codes import CompileCode
from dbt_kinds.kinds import Kind
from dbt_kinds.readers.sqlmesh.block import Value, read_properties
from dbt_kinds.readers.sqlmesh.kind_values import (
    check_is_known,
    compared_columns,
    merge_filter,
    one_of,
    read_cron,
    spark_type,
    time_column,
    unique_key,
    when_matched,
)
from dbt_kinds.readers.sqlmesh.macros.scope import Scope

_CHANGES = ("on_destructive_change", "on_additive_change")
_INCREMENTAL = ("forward_only", "disable_restatement", "auto_restatement_cron", "auto_restatement_intervals", *_CHANGES)
_BATCHES = ("batch_size", "batch_concurrency", "lookback")
_SCD_2 = (
    "unique_key",
    "valid_from_name",
    "valid_to_name",
    "invalidate_hard_deletes",
    "time_data_type",
    "updated_at_name",
    "batch_size",
    "batch_concurrency",
    *_INCREMENTAL,
)

# the properties of each kind, required ones first
_PROPERTIES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "VIEW": ((), ("materialized",)),
    "FULL": ((), ()),
    "INCREMENTAL_BY_TIME_RANGE": (("time_column",), ("partition_by_time_column", *_BATCHES, *_INCREMENTAL)),
    "INCREMENTAL_BY_UNIQUE_KEY": (("unique_key",), ("when_matched", "merge_filter", *_BATCHES, *_INCREMENTAL)),
    "INCREMENTAL_BY_PARTITION": ((), _INCREMENTAL),
    "INCREMENTAL_UNMANAGED": ((), ("insert_overwrite", *_INCREMENTAL)),
    "SCD_TYPE_2_BY_TIME": (("unique_key",), (*_SCD_2, "updated_at_as_valid_from")),
    "SCD_TYPE_2_BY_COLUMN": (("unique_key", "columns"), (*_SCD_2, "execution_time_as_valid_from")),
    "EMBEDDED": ((), ()),
    "SEED": (("path",), ("csv_settings", "batch_size")),
    "EXTERNAL": ((), ()),
    "MANAGED": ((), ("disable_restatement",)),
    "CUSTOM": ((), ()),
}
_ALIASES = {"SCD_TYPE_2": "SCD_TYPE_2_BY_TIME"}
_KINDS = {
    "VIEW": Kind.VIEW,
    "FULL": Kind.FULL,
    "INCREMENTAL_BY_TIME_RANGE": Kind.INCREMENTAL_BY_TIME_RANGE,
    "INCREMENTAL_BY_UNIQUE_KEY": Kind.INCREMENTAL_BY_UNIQUE_KEY,
    "INCREMENTAL_BY_PARTITION": Kind.INCREMENTAL_BY_PARTITION,
    "INCREMENTAL_UNMANAGED": Kind.INCREMENTAL_UNMANAGED,
    "SCD_TYPE_2_BY_TIME": Kind.SCD_TYPE_2_BY_TIME,
    "SCD_TYPE_2_BY_COLUMN": Kind.SCD_TYPE_2_BY_COLUMN,
    "EMBEDDED": Kind.EPHEMERAL,
}
_BOOLEANS = (
    "disable_restatement",
    "partition_by_time_column",
    "invalidate_hard_deletes",
    "updated_at_as_valid_from",
    "execution_time_as_valid_from",
)
_INTEGERS = ("batch_size", "lookback", "auto_restatement_intervals")
_NAMES = ("valid_from_name", "valid_to_name", "updated_at_name")
# values that depend on the window of each batch
_OF_EACH_BATCH = ("when_matched", "merge_filter")


@dataclass
class ModelKind:
    """A kind as declared by a model.

    Attributes:
        name: SQLMesh's name, aliases resolved; the kind of dbt is None for seeds.
        options: of the kind, as written below meta.
        insert_overwrite: an unmanaged model that replaces partitions, and so needs them.
        path, csv_settings: of a seed.
    """

    name: str
    kind: Kind | None
    options: dict[str, Any] = field(default_factory=dict)
    insert_overwrite: bool = False
    path: Value | None = None
    csv_settings: Value | None = None


def kind_name(value: Value) -> str:
    """The name of a kind, aliases resolved.

    Raises:
        CompileError: it is not a kind (UnknownKind).
    """
    written = value.tokens[0].text.upper() if value.tokens else ""
    name = _ALIASES.get(written, written)
    if name not in _PROPERTIES:
        near = difflib.get_close_matches(name, _PROPERTIES, 1)
        hint = f"did you mean {near[0]}?" if near else f"write one of {', '.join(_PROPERTIES)}"
        raise value.error(CompileCode.UnknownKind, f"kind {written or 'without a name'} is unknown: {hint}")
    return name


def read_kind(value: Value, scope: Scope, adapter: str, time_column_format: str, defaults: dict[str, Any]) -> ModelKind:
    """The kind of a model with its options.

    Raises:
        CompileError: the declaration is invalid (UnknownKind, UnknownKindProperty, MissingKindProperty,
            BadPropertyValue).
        CompileError: the adapter does not support it (CustomMaterialization, NoManagedTables, NoMaterializedViews).
    """
    name = kind_name(value)
    properties: dict[str, Value] = {}
    if len(value.tokens) > 1:
        if value.tokens[1].text != "(" or value.tokens[-1].text != ")":
            raise value.bad("the kind's name, and its properties in brackets")
        properties = read_properties(value.part(value.tokens[2:-1]))
    if name == "CUSTOM":
        materialization = properties.get("materialization")
        text = materialization.text if materialization is not None else "a class of its own"
        message = f"kind CUSTOM ({text}) is Python that runs inside SQLMesh; write a dbt materialization for it"
        raise value.error(CompileCode.CustomMaterialization, message)
    _check_names(name, properties, value)
    if name == "EXTERNAL":
        raise value.error(
            CompileCode.UnknownKind, "kind EXTERNAL belongs into external_models.yaml, not into a MODEL block"
        )
    if name == "MANAGED":
        return _managed(value, adapter)
    if name == "SEED":
        return ModelKind(name, None, path=properties["path"], csv_settings=properties.get("csv_settings"))
    model_kind = ModelKind(name, _KINDS[name])
    if name == "VIEW" and "materialized" in properties and properties["materialized"].as_boolean():
        if adapter != "databricks":
            message = "a materialized view needs --adapter databricks; here write FULL, or an incremental kind"
            raise properties["materialized"].error(CompileCode.NoMaterializedViews, message)
        model_kind.kind = Kind.MATERIALIZED_VIEW
    for key, property_value in properties.items():
        if key not in _OF_EACH_BATCH:
            check_is_known(property_value)
        _read_property(model_kind, key, property_value, scope, time_column_format)
    _finish(model_kind, properties, value, time_column_format, defaults)
    if "auto_restatement_intervals" in model_kind.options and "auto_restatement_cron" not in model_kind.options:
        del model_kind.options["auto_restatement_intervals"]
        message = "auto_restatement_intervals dropped: without auto_restatement_cron nothing is restated"
        scope.note(CompileCode.PropertyDropped, message, properties["auto_restatement_intervals"].place.line)
    return model_kind


def _managed(value: Value, adapter: str) -> ModelKind:
    if adapter != "databricks":
        message = "kind MANAGED needs --adapter databricks; dbt-spark has no materialized views, so write FULL here"
        raise value.error(CompileCode.NoManagedTables, message)
    return ModelKind("MANAGED", Kind.MATERIALIZED_VIEW)


def _check_names(name: str, properties: dict[str, Value], value: Value) -> None:
    required, optional = _PROPERTIES[name]
    for key, property_value in properties.items():
        if key in required or key in optional:
            continue
        near = difflib.get_close_matches(key, (*required, *optional), 1)
        has = ", ".join(dict.fromkeys((*required, *optional)))
        hint = f"did you mean {near[0]}?" if near else f"it has {has}" if has else "it has none"
        raise property_value.error(CompileCode.UnknownKindProperty, f"kind {name} has no property {key}: {hint}")
    for key in required:
        if key not in properties:
            raise value.error(
                CompileCode.MissingKindProperty, f"kind {name} lacks {key}; add '{key} …' to its properties"
            )


def _read_property(model_kind: ModelKind, key: str, value: Value, scope: Scope, time_column_format: str) -> None:
    options = model_kind.options
    if key in _INTEGERS:
        options[key] = value.as_positive_integer()
    elif key in _BOOLEANS:
        options[key] = value.as_boolean()
    elif key in _CHANGES:
        options[key] = one_of(value, ("error", "warn", "allow", "ignore"))
    elif key in _NAMES:
        options[key] = value.as_column()
    elif key in _READERS:
        options[key] = _READERS[key](value, scope)
    elif key == "time_column":
        options[key] = time_column(value, time_column_format)
    elif key == "batch_concurrency":
        count = value.as_positive_integer()
        if model_kind.name == "INCREMENTAL_BY_UNIQUE_KEY" and count != 1:
            raise value.bad("1: batches of this kind follow one another")
        if model_kind.name == "INCREMENTAL_BY_TIME_RANGE":
            options[key] = count
        else:
            scope.note(
                CompileCode.PropertyDropped,
                "batch_concurrency dropped: batches run one after the other",
                value.place.line,
            )
    elif key == "insert_overwrite":
        model_kind.insert_overwrite = value.as_boolean()
    elif key == "forward_only":
        is_forward = value.as_boolean()
        if model_kind.name == "INCREMENTAL_BY_PARTITION":
            message = "INCREMENTAL_BY_PARTITION is forward-only in any case and has no property forward_only; remove it"
            raise value.error(CompileCode.UnknownKindProperty, message)
        if not is_forward and model_kind.name in ("INCREMENTAL_BY_TIME_RANGE", "INCREMENTAL_BY_UNIQUE_KEY"):
            options["on_query_change"] = "rebuild"


def _finish(
    model_kind: ModelKind, properties: dict[str, Value], value: Value, time_column_format: str, defaults: dict[str, Any]
) -> None:
    options = model_kind.options
    if (
        model_kind.name in ("INCREMENTAL_BY_TIME_RANGE", "INCREMENTAL_BY_UNIQUE_KEY")
        and "forward_only" not in properties
    ):
        # in SQLMesh a changed query rebuilds its table unless the model is forward-only
        options["on_query_change"] = "rebuild"
    if model_kind.insert_overwrite:
        model_kind.kind = Kind.INCREMENTAL_BY_PARTITION
        options.setdefault("disable_restatement", True)
    for key in _CHANGES:
        if options.get(key) is not None and options[key] == defaults.get(key):
            del options[key]
    if model_kind.name != "INCREMENTAL_BY_TIME_RANGE":
        for key in ("auto_restatement_cron", "auto_restatement_intervals"):
            if key in options:
                del options[key]
                message = f"kind {model_kind.name} has no {key} here; schedule dbt run --full-refresh for it instead"
                raise properties[key].error(CompileCode.UnknownKindProperty, message)


_READERS: dict[str, Callable[[Value, Scope], Any]] = {
    "unique_key": lambda value, scope: unique_key(value),
    "columns": lambda value, scope: compared_columns(value),
    "time_data_type": lambda value, scope: spark_type(value.text, value),
    "auto_restatement_cron": lambda value, scope: read_cron(value),
    "merge_filter": merge_filter,
    "when_matched": when_matched,
}
