"""The common representation of any tool's project: models of kinds, with everything a dbt project says about them.

Readers produce it, the writer consumes it, and neither knows the other. SQL is text with placeholders: names such as
`kinds_placeholder_3` for anything that is not SQL (a reference, a time variable), so that SQL parsers and generators
never see Jinja.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from dbt_kinds.diagnostics import Diagnostic, Place

if TYPE_CHECKING:
    from sqlglot import exp


class Kind(str, Enum):
    """How a model's table is built; the value is dbt's `materialized`."""

    VIEW = "view"
    EPHEMERAL = "ephemeral"
    MATERIALIZED_VIEW = "materialized_view"
    PYTHON_TABLE = "table"
    FULL = "full"
    INCREMENTAL_BY_TIME_RANGE = "incremental_by_time_range"
    INCREMENTAL_BY_UNIQUE_KEY = "incremental_by_unique_key"
    INCREMENTAL_BY_PARTITION = "incremental_by_partition"
    INCREMENTAL_UNMANAGED = "incremental_unmanaged"
    SCD_TYPE_2_BY_TIME = "scd_type_2_by_time"
    SCD_TYPE_2_BY_COLUMN = "scd_type_2_by_column"
    CUMULATIVE_AGGREGATE = "cumulative_aggregate"
    APPEND = "append"
    TRACKED = "tracked"
    EVENTS = "events"

    @property
    def is_incremental(self) -> bool:
        """Whether a run has a window, and so a start and an end."""
        return self.value.startswith(("incremental", "scd", "cumulative"))

    @property
    def has_audits(self) -> bool:
        """Whether a batch can be audited before it is published."""
        return self.is_incremental or self in (Kind.FULL, Kind.APPEND, Kind.TRACKED)


@dataclass(frozen=True)
class ModelReference:
    """A model or seed of the project, by its name in the source (`TableName.key`)."""

    key: str


@dataclass(frozen=True)
class SourceReference:
    """A table that the project does not build: the names of the source in dbt and of the table."""

    source: str
    table: str


@dataclass(frozen=True)
class Captured:
    """The changes of a table since the last run."""

    of: ModelReference | SourceReference


@dataclass(frozen=True)
class This:
    """The model's own table; in a test, the tested table."""


@dataclass(frozen=True)
class TimeVariable:
    """A bound of the window, by the name of its macro, such as `start_ds`."""

    name: str


@dataclass(frozen=True)
class Variable:
    """A variable of the project whose value dbt fills in."""

    name: str
    is_text: bool
    default: Any = None


@dataclass(frozen=True)
class Parameter:
    """A parameter of a generic test."""

    name: str


@dataclass(frozen=True)
class Jinja:
    """Jinja from the source itself, or anything not covered above."""

    text: str


@dataclass(frozen=True)
class SparkSql:
    """SQL that is already Spark's, whatever the surrounding dialect; it may contain placeholders."""

    text: str


Placeholder = (
    SparkSql | ModelReference | SourceReference | Captured | This | TimeVariable | Variable | Parameter | Jinja
)


@dataclass
class SqlText:
    """SQL for Spark, with placeholders in place of anything that is not SQL.

    Attributes:
        text: the SQL; a placeholder appears by its name, which is an SQL identifier.
        placeholders: the meaning of every placeholder.
        tree: the SQL as parsed originally; not updated when the text changes.
        is_jinja: the text already is Jinja and must not be escaped; placeholders are still replaced.
    """

    text: str
    placeholders: Mapping[str, Placeholder] = field(default_factory=dict)
    tree: exp.Expr | None = None
    is_jinja: bool = False


@dataclass
class PythonBody:
    """The full text of a dbt Python model, and what it reads.

    Attributes:
        placeholders: the names in the text that represent calls of dbt.ref and dbt.source.
        variables: values that the model reads from its configuration when it runs, as Jinja.
    """

    text: str
    placeholders: Mapping[str, Placeholder] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def references(self) -> list[Placeholder]:
        """The tables that the model reads."""
        return list(self.placeholders.values())


@dataclass
class DataTest:
    """A generic test on a model or one of its columns; as an audit, on the batch that a run is about to publish.

    Attributes:
        name: the test as YAML names it: `not_null`, `dbt_kinds.forall`, or a test of the project.
        arguments: its arguments besides model and column; strings may contain its `placeholders`.
        config: the keys below `config:`, such as severity, where, enabled; for an audit also over, store_failures.
        label: a custom name.
    """

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    column: str | None = None
    config: dict[str, Any] = field(default_factory=dict)
    label: str | None = None
    description: str | None = None
    placeholders: Mapping[str, Placeholder] = field(default_factory=dict)


@dataclass
class Column:
    """A column as documented in YAML, with a Spark type. `options` are the kinds' own settings for it, written below
    meta.
    """

    name: str
    data_type: str | None = None
    description: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class UnitTestRows:
    """Rows that a unit test gives or expects: a list of mappings, or SQL."""

    rows: list[dict[str, Any]] | None = None
    sql: SqlText | None = None


@dataclass
class UnitTest:
    """A unit test of one model."""

    name: str
    given: list[tuple[Placeholder, UnitTestRows]]
    expect: UnitTestRows
    description: str | None = None
    variables: dict[str, Any] = field(default_factory=dict)


@dataclass
class Node:
    """The common part of models and seeds.

    Attributes:
        name: as spelled in the source.
        key: the normalised name without the project's own catalog, as used in references.
        kind_name: the name of the kind in the source.
        node: the name in dbt; schema and alias identify the table.
        place: the beginning of its block.
        settings: dbt's own configuration, without meta.
        options: options of the kind, written below meta; SQL with placeholders is SqlText.
        origin: settings of the source without effect here, written below `meta.origin`.
    """

    name: str
    key: str
    kind_name: str
    place: Place
    node: str
    schema: str | None
    alias: str
    settings: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    origin: dict[str, Any] = field(default_factory=dict)
    description: str | None = None
    columns: list[Column] = field(default_factory=list)
    tests: list[DataTest] = field(default_factory=list)
    notes: list[Diagnostic] = field(default_factory=list)


@dataclass
class Model(Node):
    """A model of a kind.

    Attributes:
        audits: the tests that must pass before a batch is published, in the order of `meta.audits`.
        banner: the lines of the comment above the model in the source.
    """

    kind: Kind = Kind.VIEW
    query: SqlText | PythonBody = field(default_factory=lambda: SqlText(""))
    pre_hooks: list[SqlText] = field(default_factory=list)
    post_hooks: list[SqlText] = field(default_factory=list)
    depends_on: list[Placeholder] = field(default_factory=list)
    audits: list[DataTest] = field(default_factory=list)
    unit_tests: list[UnitTest] = field(default_factory=list)
    semantic_models: list[dict[str, Any]] = field(default_factory=list)
    banner: list[str] = field(default_factory=list)


@dataclass
class Seed(Node):
    """A parsed CSV file: the header and every row as strings, with None for NULL."""

    header: list[str] = field(default_factory=list)
    rows: list[list[str | None]] = field(default_factory=list)


@dataclass
class SourceTable:
    """A table that the project reads but does not build.

    Attributes:
        name: its name in dbt, by default the table's.
        catalog: the catalog of the schema, if it is not the project's own.
        settings: dbt's own configuration, without meta.
        options: the kinds' own settings for the table, written below meta.
    """

    source: str
    schema: str
    table: str
    place: Place
    name: str = ""
    catalog: str | None = None
    is_declared: bool = False
    description: str | None = None
    columns: list[Column] = field(default_factory=list)
    tests: list[DataTest] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    origin: dict[str, Any] = field(default_factory=dict)
    notes: list[Diagnostic] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Names it after its table, unless another name is given."""
        self.name = self.name or self.table


@dataclass
class TestDefinition:
    """A test written in SQL: generic if it has parameters or is used by name, otherwise singular.

    Attributes:
        parameters: names and defaults of a generic test; None means no default. A default is SQL.
        banner: the lines of the comment above the test in the source.
    """

    # otherwise pytest would collect a class with this name
    __test__ = False

    name: str
    query: SqlText
    place: Place
    is_generic: bool
    parameters: dict[str, str | None] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)
    description: str | None = None
    banner: list[str] = field(default_factory=list)


@dataclass
class ProjectFile:
    """A file that is written unchanged, such as a macro; the path is relative to the dbt project."""

    path: str
    text: str
    place: Place


@dataclass
class SkippedModel:
    """A model that is not written because it was refused or is disabled.

    Attributes:
        columns: the declared columns of its table, for models that read it.
    """

    name: str
    kind_name: str
    place: Place
    status: str
    notes: list[Diagnostic] = field(default_factory=list)
    columns: list[Column] = field(default_factory=list)


@dataclass
class Project:
    """A project of another tool, ready to be written as a dbt project.

    Attributes:
        config_file: the source of project-wide settings.
        defaults: dbt configuration of all models (`file_format`), with `meta` among it.
        metrics: dbt's metrics in YAML's form, each with the file it comes from.
        is_all_or_nothing: whether nothing is written if anything is refused.
    """

    name: str
    config_file: str
    models: list[Model] = field(default_factory=list)
    seeds: list[Seed] = field(default_factory=list)
    sources: list[SourceTable] = field(default_factory=list)
    tests: list[TestDefinition] = field(default_factory=list)
    files: list[ProjectFile] = field(default_factory=list)
    left_out: list[SkippedModel] = field(default_factory=list)
    defaults: dict[str, Any] = field(default_factory=dict)
    variables: dict[str, Any] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)
    on_run_start: list[SqlText] = field(default_factory=list)
    on_run_end: list[SqlText] = field(default_factory=list)
    metrics: list[tuple[Place, dict[str, Any]]] = field(default_factory=list)
    notes: list[Diagnostic] = field(default_factory=list)
    is_all_or_nothing: bool = False

    def read_by(self, test: DataTest) -> list[Placeholder]:
        """The tables that a test reads besides the tested one: those in its arguments, and those in its query."""
        queries = [definition.query.placeholders for definition in self.tests if definition.name == test.name]
        placeholders = [placeholder for found in (test.placeholders, *queries) for placeholder in found.values()]
        return [
            placeholder
            for placeholder in dict.fromkeys(placeholders)
            if isinstance(placeholder, ModelReference | SourceReference)
        ]

    @property
    def has_refusals(self) -> bool:
        """Whether any part of it cannot be written."""
        notes = [*self.notes, *(note for left in self.left_out for note in left.notes)]
        return any(note.severity == "refused" for note in notes)
