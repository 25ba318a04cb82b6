"""What a project of any tool comes down to: models of kinds, with everything a dbt project says about them.

Readers produce it, the writer consumes it, and neither knows the other. SQL is text with marks: names such as
`kinds_mark_3` that stand for what is not SQL (a reference, a time variable), so that parsers and generators of SQL
never meet Jinja.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from dbt_kinds.errors import CompileError, Level

if TYPE_CHECKING:
    from sqlglot import exp


class Kind(str, Enum):
    """How a model's table is made; the value is dbt's `materialized`."""

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
        """Whether a run has a window, and with it a start and an end."""
        return self.value.startswith(("incremental", "scd", "cumulative"))

    @property
    def has_audits(self) -> bool:
        """Whether what a run is about to publish can be audited before it is seen."""
        return self.is_incremental or self in (Kind.FULL, Kind.APPEND, Kind.TRACKED)


@dataclass(frozen=True, order=True)
class Place:
    """Where in the source something stands: the file as the project's root sees it, lines counted from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        """The place as compilers print it."""
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Note:
    """One line of the report."""

    code: str
    level: Level
    place: Place
    message: str


def note_of(error: CompileError) -> Note:
    """What an error says, as a line of the report."""
    return Note(error.code, error.level, Place(error.file, error.line), error.message)


@dataclass(frozen=True)
class ModelReference:
    """A model or seed of the project, by its name in the source (`TableName.key`)."""

    key: str


@dataclass(frozen=True)
class SourceReference:
    """A table that the project does not build: the source's name in dbt and the table's."""

    source: str
    table: str


@dataclass(frozen=True)
class Captured:
    """What changed in a table since the last run."""

    of: ModelReference | SourceReference


@dataclass(frozen=True)
class This:
    """The model's own table; in a test, the table that is tested."""


@dataclass(frozen=True)
class TimeVariable:
    """A bound of the window, by the name of its macro: `start_ds`."""

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
    """Jinja that the source wrote itself, or that nothing above says."""

    text: str


@dataclass(frozen=True)
class SparkSql:
    """SQL that is Spark's already, whatever the dialect around it; marks may stand in it."""

    text: str


Mark = SparkSql | ModelReference | SourceReference | Captured | This | TimeVariable | Variable | Parameter | Jinja


@dataclass
class SqlText:
    """SQL for Spark, with marks where something is not SQL.

    Attributes:
        text: the SQL; a mark stands in it by its name, which is an identifier of SQL.
        marks: what every name stands for.
        tree: the parsed SQL when it was read; not kept in step by whoever changes the text.
        is_jinja: the text is Jinja already and must not be escaped; marks are replaced all the same.
    """

    text: str
    marks: Mapping[str, Mark] = field(default_factory=dict)
    tree: exp.Expr | None = None
    is_jinja: bool = False


@dataclass
class PythonBody:
    """The whole text of a dbt Python model, and what it reads.

    Attributes:
        marks: the names in the text that stand for calls of dbt.ref and dbt.source.
        variables: what the model finds in its configuration when it runs, as Jinja.
    """

    text: str
    marks: Mapping[str, Mark] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def references(self) -> list[Mark]:
        """What the model reads."""
        return list(self.marks.values())


@dataclass
class DataTest:
    """A generic test on a model, or on one of its columns; as an audit, on what a run is about to publish.

    Attributes:
        name: the test as YAML names it: `not_null`, `dbt_kinds.forall`, or a test of the project.
        arguments: its arguments besides model and column; texts may hold marks of `marks`.
        config: what goes below `config:`, such as severity, where, enabled; of an audit also over, store_failures.
        label: a name of its own.
    """

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    column: str | None = None
    config: dict[str, Any] = field(default_factory=dict)
    label: str | None = None
    description: str | None = None
    marks: Mapping[str, Mark] = field(default_factory=dict)


@dataclass
class Column:
    """A column as YAML documents it; types are Spark's. `options` are what our kinds know of it, written below meta."""

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
    given: list[tuple[Mark, UnitTestRows]]
    expect: UnitTestRows
    description: str | None = None
    variables: dict[str, Any] = field(default_factory=dict)


@dataclass
class Node:
    """What models and seeds have in common.

    Attributes:
        name: as the source spells it.
        key: the same, normalised, without the project's own catalog: what references say.
        kind_name: the kind as the source calls it.
        node: the name in dbt; schema and alias say which table it is.
        place: where its block begins.
        settings: configuration that dbt itself knows, without meta.
        options: options of the kind, written below meta; SQL with marks among them is SqlText.
        origin: what the source says and nothing here acts on, written below `meta.origin`.
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
    notes: list[Note] = field(default_factory=list)


@dataclass
class Model(Node):
    """A model of a kind.

    Attributes:
        audits: the tests that hold before a batch is published, in the order of `meta.audits`.
        banner: the lines of what the source says above the model, for its readers.
    """

    kind: Kind = Kind.VIEW
    query: SqlText | PythonBody = field(default_factory=lambda: SqlText(""))
    pre_hooks: list[SqlText] = field(default_factory=list)
    post_hooks: list[SqlText] = field(default_factory=list)
    depends_on: list[Mark] = field(default_factory=list)
    audits: list[DataTest] = field(default_factory=list)
    unit_tests: list[UnitTest] = field(default_factory=list)
    semantic_models: list[dict[str, Any]] = field(default_factory=list)
    banner: list[str] = field(default_factory=list)


@dataclass
class Seed(Node):
    """A CSV file, read: the header and every row as text, NULL as None."""

    header: list[str] = field(default_factory=list)
    rows: list[list[str | None]] = field(default_factory=list)


@dataclass
class SourceTable:
    """A table that the project reads and does not build.

    Attributes:
        catalog: where the schema is, when that is not the project's own.
        settings: configuration that dbt itself knows, without meta.
        options: what our kinds know of the table, written below meta.
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
    notes: list[Note] = field(default_factory=list)


@dataclass
class TestDefinition:
    """A test written in SQL: generic when it has parameters or is used by name, singular otherwise.

    Attributes:
        parameters: names and defaults of a generic test; None is no default. A default is SQL.
    """

    # pytest would collect a class of this name
    __test__ = False

    name: str
    query: SqlText
    place: Place
    is_generic: bool
    parameters: dict[str, str | None] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)
    description: str | None = None


@dataclass
class ProjectFile:
    """A file that is written as it stands, such as a macro; the path is relative to the dbt project."""

    path: str
    text: str
    place: Place


@dataclass
class LeftOut:
    """A model that is not written: refused, or disabled.

    Attributes:
        columns: what it declares of its table, for those that read it.
    """

    name: str
    kind_name: str
    place: Place
    status: str
    notes: list[Note] = field(default_factory=list)
    columns: list[Column] = field(default_factory=list)


@dataclass
class Project:
    """A project of another tool, ready to be written as a dbt project.

    Attributes:
        config_file: where settings of the whole project come from.
        defaults: dbt configuration of all models (`file_format`), with `meta` among it.
        metrics: dbt's metrics in YAML's form, each with the file it comes from.
        is_all_or_nothing: whether nothing is written when something is refused.
    """

    name: str
    config_file: str
    models: list[Model] = field(default_factory=list)
    seeds: list[Seed] = field(default_factory=list)
    sources: list[SourceTable] = field(default_factory=list)
    tests: list[TestDefinition] = field(default_factory=list)
    files: list[ProjectFile] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    defaults: dict[str, Any] = field(default_factory=dict)
    variables: dict[str, Any] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)
    on_run_start: list[SqlText] = field(default_factory=list)
    on_run_end: list[SqlText] = field(default_factory=list)
    metrics: list[tuple[Place, dict[str, Any]]] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    is_all_or_nothing: bool = False

    def read_by(self, test: DataTest) -> list[Mark]:
        """The tables that a test reads beside the one that it tests: what it is given, and what its query names."""
        queries = [definition.query.marks for definition in self.tests if definition.name == test.name]
        marks = [mark for found in (test.marks, *queries) for mark in found.values()]
        return [mark for mark in dict.fromkeys(marks) if isinstance(mark, ModelReference | SourceReference)]

    @property
    def has_refusals(self) -> bool:
        """Whether something of it cannot be written."""
        notes = [*self.notes, *(note for left in self.left_out for note in left.notes)]
        return any(note.level == "refused" for note in notes)
