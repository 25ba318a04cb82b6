"""A model's configuration of its loading; computed settings are refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left
from dbt_kinds.kinds import Kind
from dbt_kinds.migrate.conversion import MigrateOptions
from dbt_kinds.migrate.hooks import check_hooks
from dbt_kinds.migrate.kept_deletes import HOOK, kept_deletes
from dbt_kinds.migrate.own_deletes import own_deletes
from dbt_kinds.readers.dbt.calls import COMPUTED
from dbt_kinds.readers.dbt.config_call import line_of_argument
from dbt_kinds.readers.dbt.project import DbtProject, ModelFile
from dbt_kinds.readers.dbt.tags import line_of

KINDS = frozenset(
    {kind.value for kind in Kind if kind.is_incremental} | {"full", "append", "tracked", "events", "scd_type_2"}
)
_STRATEGIES = frozenset({None, "append", "merge", "delete+insert", "insert_overwrite", "microbatch"})
_DECIDING = (
    "materialized",
    "incremental_strategy",
    "unique_key",
    "partition_by",
    "event_time",
)
# what an adapter's merge does beside updating and inserting
_MERGES = {
    "databricks": (
        "matched_condition",
        "not_matched_condition",
        "not_matched_by_source_action",
        "not_matched_by_source_condition",
        "skip_matched_step",
        "skip_not_matched_step",
        "source_alias",
        "target_alias",
        "merge_with_schema_evolution",
    ),
    "athena": (
        "update_condition",
        "insert_condition",
        "delete_condition",
        "merge_update_columns_rules",
        "merge_update_columns_default_rule",
    ),
}
_MERGED_COLUMNS = ("merge_update_columns", "merge_exclude_columns")
SPARK_ADAPTERS = frozenset({"spark", "databricks", "glue", "fabricspark"})
# which append, whatever the key is, if a model names no strategy
_APPENDING_ADAPTERS = frozenset({"spark", "fabricspark", "trino"})
# which replace partitions, whatever the key is, if a model names no strategy
_OVERWRITING_ADAPTERS = frozenset({"athena", "glue"})
_STRATEGY_DOES = {
    "replace_where": "replaces the rows that incremental_predicates name; where they name a time, write "
    "incremental_by_time_range with it as the time_column, and filter the query between start_*() and end_*()",
    "insert_by_period": "loads period by period; write incremental_by_time_range with timestamp_field as its "
    "time_column, and the filter between start_*() and end_*()",
}
# the file formats that kinds write
_WRITTEN_FORMATS = frozenset({"iceberg", "delta", "parquet", "orc"})
_COLUMN = re.compile(r"\w+")
_TIME_TRANSFORM = re.compile(r"(?:days?|hours?|months?|years?|date|date_hour)\((\w+)\)", re.IGNORECASE)


@dataclass(frozen=True)
class Settings:
    """The configured loading of a model.

    Attributes:
        deletes: the hooks that delete rows of its table, with their texts.
        ignored_key: a unique_key that is set, and that the strategy does not look at.
        kept_deletes: the texts of a post-hook that deletes rows after a load, as it did after a run.
    """

    strategy: str | None
    unique_key: tuple[str, ...]
    partition_by: tuple[str, ...]
    config: Mapping[str, Any]
    line: int
    deletes: tuple[tuple[str, str], ...] = ()
    ignored_key: tuple[str, ...] = ()
    kept_deletes: tuple[str, ...] = ()

    @property
    def replaces_all(self) -> bool:
        """Whether each run replaces the whole table."""
        return self.strategy == "insert_overwrite" and not self.partition_by

    @property
    def narrowing(self) -> tuple[str, ...]:
        """The settings that narrow which rows of the table a key replaces, or which of their columns."""
        names = ("incremental_predicates", "predicates", *(() if self.strategy == "delete+insert" else _MERGED_COLUMNS))
        return tuple(name for name in names if self.config.get(name))

    @property
    def ignored_columns(self) -> tuple[str, ...]:
        """The settings of a merge that delete+insert does not look at."""
        names = _MERGED_COLUMNS if self.strategy == "delete+insert" else ()
        return tuple(name for name in names if self.config.get(name))

    @property
    def replaces_any_range(self) -> bool:
        """Whether a part of a partition can be replaced: in a table of Iceberg or Delta, of which dbt replaced rows."""
        named = (self.config.get(name) for name in ("file_format", "table_format", "table_type"))
        file_format = str(next(filter(None, named), "")).lower()
        return self.strategy != "insert_overwrite" and file_format in ("iceberg", "delta")

    @property
    def date_partition(self) -> str | None:
        """The column by whose dates dbt-bigquery partitions the table, in lower case: BigQuery takes no other type."""
        given = self.config.get("partition_by")
        is_date = isinstance(given, Mapping) and str(given.get("data_type") or "date").lower() == "date"
        return self.partition_by[0].lower() if is_date and len(self.partition_by) == 1 else None

    @property
    def partition_unit(self) -> str | None:
        """How long a partition of dbt-bigquery's is, if the table is partitioned by a time."""
        given = self.config.get("partition_by")
        if not isinstance(given, Mapping) or len(self.partition_by) != 1:
            return None
        unit = str(given.get("granularity") or "day").lower()
        is_of_time = str(given.get("data_type") or "date").lower() in ("date", "timestamp", "datetime")
        return unit if is_of_time and unit in ("hour", "day", "month", "year") else None

    @property
    def partition_columns(self) -> frozenset[str]:
        """The columns of the table's partitioning, in lower case; ts for `days(ts)`."""
        found = set()
        for written in self.partition_by:
            transformed = _TIME_TRANSFORM.fullmatch(written.strip())
            found.add((transformed[1] if transformed else written).strip('`" ').lower())
        return frozenset(found)


def is_kind(model: ModelFile) -> bool:
    """Whether a model already is of a kind; its file takes precedence over a manifest, which may be older."""
    own = model.own_config.get("materialized", model.config.get("materialized"))
    return own in KINDS


def read_settings(model: ModelFile, project: DbtProject, options: MigrateOptions) -> Settings:
    """The settings of an incremental model.

    Raises:
        Left: they cannot be read, or are not dbt's own.
    """
    config, adapter = model.config, options.adapter
    line = line_of_argument(model.text, model.calls[0], "materialized") if model.calls else 1
    if config.get("enabled") is False or model.path in project.disabled:
        of_target = "" if config.get("enabled") is False else f" for {adapter}"
        raise Left(MigrateCode.Disabled, f"the model is disabled{of_target}; enable it first", line=line)
    if model.is_python:
        raise Left(
            MigrateCode.PythonModel,
            "the model is written in Python; write its query in SQL, or keep it as it is",
            line=line,
        )
    for call in model.calls:
        for argument in (*call.arguments, *call.beside):
            if argument.name is None:
                raise Left(
                    MigrateCode.ComputedConfig,
                    f"config() is given `{argument.text.strip()[:60]}`, which may hold any setting; write its "
                    "settings out",
                    line=line_of(model.text, argument.start),
                )
    for name in (*_DECIDING, *(("partitioned_by",) if adapter == "athena" else ())):
        if config.get(name) is COMPUTED or _holds_computed(config.get(name)):
            at = line_of_argument(model.text, model.calls[0], name) if model.calls else 1
            is_own = any(call.argument(name) is not None for call in model.calls)
            where = "" if is_own else " where the project sets it for a folder"
            into = "out" if is_own else "into the model's config()"
            raise Left(MigrateCode.ComputedConfig, f"{name} is computed{where}; write its value {into}", line=at)
    materialized = config.get("materialized")
    if materialized in (None, "table", "view", "ephemeral", "materialized_view"):
        raise Left(
            MigrateCode.NotIncremental,
            f"the model is materialized as {materialized or 'view'}, where is_incremental() is always false; remove it",
            line=line,
        )
    if materialized != "incremental":
        raise Left(
            MigrateCode.CustomStrategy, f"the materialization {materialized} is one of the project's own", line=line
        )
    strategy = config.get("incremental_strategy")
    strategy = str(strategy).lower().replace("delete_insert", "delete+insert") if strategy is not None else None
    if strategy not in _STRATEGIES:
        does = _STRATEGY_DOES.get(
            str(strategy), "is none that dbt has on every warehouse; write what it does as a kind"
        )
        raise Left(MigrateCode.CustomStrategy, f"the strategy {strategy} {does}", line=line)
    for merging, names in _MERGES.items() if strategy in (None, "merge") else ():
        merged = [name for name in names if config.get(name)]
        if merged:
            raise Left(
                MigrateCode.CustomStrategy,
                f"{', '.join(merged)} {'is a setting' if len(merged) == 1 else 'are settings'} of dbt-{merging}'"
                f"{'' if merging.endswith('s') else 's'} merge, which a kind does not have; say what it does with "
                "when_matched, merge_filter or insert_only by hand",
                line=line,
            )
    if config.get("sql_header"):
        raise Left(
            MigrateCode.SqlHeaderState,
            f"the SQL header `{' '.join(str(config['sql_header']).split())[:60]}` may decide what the query means; "
            "write what it sets into the query, or take it out",
            line=line,
        )
    file_format = config.get("file_format")
    is_written = not isinstance(file_format, str) or file_format.lower() in _WRITTEN_FORMATS
    if adapter in (None, *SPARK_ADAPTERS) and not is_written:
        raise Left(
            MigrateCode.FormatNotWritten,
            f"no kind writes {file_format}; rebuild the table as Iceberg or Delta",
            line=line,
        )
    kept = kept_deletes(model, project, options.dialect)
    deletes = {name: text for name, text in own_deletes(model).items() if not (kept and name == HOOK)}
    check_hooks(model, project, line, own={*deletes, *((HOOK,) if kept else ())})
    key = _key(config.get("unique_key"))
    partition_by = _partition(config.get("partitioned_by" if adapter == "athena" else "partition_by"))
    given, strategy = strategy, _strategy_of_adapter(strategy, partition_by, config, adapter, line)
    if key and given is None and adapter in _APPENDING_ADAPTERS | _OVERWRITING_ADAPTERS:
        does = "replaces partitions" if strategy == "insert_overwrite" else "appends"
        raise Left(
            MigrateCode.KeyNotUsed,
            f"dbt-{adapter} {does} where no incremental_strategy is set, and ignores unique_key; write which of "
            "the two is meant",
            line=line,
        )
    key, ignored = ((), key) if strategy == "append" else (key, ())
    if strategy == "insert_overwrite" and not partition_by and adapter != "spark" and config.get("liquid_clustered_by"):
        clustered = ", ".join(_texts(config["liquid_clustered_by"]))
        raise Left(
            MigrateCode.UnboundPartition,
            f"dbt-databricks replaces the rows of the values of {clustered} that the query returns, or the whole "
            "table, by the version of the cluster; write partition_by for the one, or take liquid_clustered_by out "
            "for the other",
            line=line,
        )
    return Settings(strategy, key, partition_by, config, line, tuple(deletes.items()), ignored, kept)


def _strategy_of_adapter(
    strategy: str | None, partition_by: tuple[str, ...], config: Mapping[str, Any], adapter: str | None, line: int
) -> str | None:
    """What an adapter makes of a strategy, or of none.

    Raises:
        Left (CustomStrategy): dbt-athena does not run it.
    """
    if strategy is None and adapter in _OVERWRITING_ADAPTERS:
        strategy = "insert_overwrite"
    if strategy == "insert_overwrite" and adapter == "athena":
        if str(config.get("table_type") or "").lower() == "iceberg":
            raise Left(
                MigrateCode.CustomStrategy,
                "dbt-athena appends to a table of Iceberg, or merges into it; write append or merge as "
                "incremental_strategy",
                line=line,
            )
        # as dbt-athena does with a table that has no partitions
        return strategy if partition_by else "append"
    return strategy


def check_range(settings: Settings, column: str, options: MigrateOptions) -> None:
    """Checks that ranges of an existing Parquet or ORC table can be replaced: it must be partitioned by its time
    column.

    Raises:
        Left (NotPartitionedByTime): it is not.
    """
    file_format = settings.config.get("file_format")
    is_file = isinstance(file_format, str) and file_format.lower() in ("parquet", "orc", "csv", "json", "text", "avro")
    if options.adapter in SPARK_ADAPTERS and is_file and column.lower() not in settings.partition_columns:
        raise Left(
            MigrateCode.NotPartitionedByTime,
            f"a range of a {file_format} table can be replaced where it is partitioned by {column}; rebuild it "
            "so, or as Iceberg",
            line=settings.line,
        )


def _holds_computed(value: Any) -> bool:
    items = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return any(item is COMPUTED for item in items)


def _key(value: Any) -> tuple[str, ...]:
    """The columns of a key; several in one text, such as `(day, id)`, are those columns."""
    texts = _texts(value)
    if len(texts) == 1:
        listed = [name.strip() for name in texts[0].strip().removeprefix("(").removesuffix(")").split(",")]
        if all(map(_COLUMN.fullmatch, listed)):
            return tuple(listed)
    return texts


def _texts(value: Any) -> tuple[str, ...]:
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        return (value,)
    return tuple(str(item) for item in value) if isinstance(value, list | tuple) else (str(value),)


def _partition(value: Any) -> tuple[str, ...]:
    """Columns or expressions; BigQuery writes one as a mapping with `field`."""
    if isinstance(value, Mapping):
        return (str(value["field"]),) if value.get("field") else ()
    return tuple(
        str(item["field"]) if isinstance(item, Mapping) and "field" in item else str(item)
        for item in ([value] if isinstance(value, str) else value or [])
    )
