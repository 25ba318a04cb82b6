"""The codes of what commands find, a table for each command: the manual's page and SARIF's rules are written from them.

A code keeps its name from release to release.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from enum import unique
from typing import NamedTuple

from dbt_kinds import errors
from dbt_kinds.diagnostics import Code, Severity


@unique
class CompileCode(Code):
    """What `dbt-kinds compile` finds in projects of SQLMesh and Vulcan, and in what it writes."""

    AliasUnclear = (
        "person",
        "A name may be a column, or an alias where Spark does not accept one; it was left as written.",
    )
    AuditArgument = "refused", "An audit lacks an argument or gets one that it does not have."
    BadConfig = "wrong_use", "The project's configuration cannot be read."
    BadOut = "wrong_use", "The output cannot be written to the requested place."
    BadPropertyValue = "refused", "A property has a value of the wrong type or outside its range."
    CatalogDropped = "person", "A model's catalog was removed from its name, since dbt-spark writes to one catalog."
    CircularReference = "refused", "Models read one another in a circle."
    ClusterNeedsBuckets = "person", "Clustering was left out, since Spark requires a number of buckets."
    ColumnsNotApplied = "person", "Declared column types could not be applied to the query."
    ColumnsUnknown = "refused", "A macro or `*` must be expanded, and the columns of its table are unknown."
    ConfigNotFound = "wrong_use", "The project to compile has no configuration file."
    ConfigurationIgnored = "note", "A configuration has no effect on its model."
    CreationOnly = "person", "A statement that runs only at creation was dropped."
    CteTestDropped = "person", "A unit test of a CTE was dropped; dbt tests whole models."
    CustomMaterialization = "refused", "The kind is a materialization written in Python for the source tool."
    DecimalBounded = "note", "A decimal with more digits than Spark supports became one with 38."
    Downgraded = (
        "person",
        "A model that may not run on slices or on changes is built anew by every run, as was allowed.",
    )
    DuplicateProperty = "refused", "A property occurs twice in one block, or in both of its spellings."
    EditedByHand = "person", "A generated file was edited and is left alone."
    EndWithoutStart = "refused", "A model has an end and no start."
    ExclusiveEnd = "note", "A comparison with the inclusive end of the window leaves out its last instant."
    FileTypesGuessed = "person", "Spark reads a file, and infers its names and types in its own way."
    FormatChosen = (
        "person",
        "A table format was chosen that the source does not name, because the model's partitions require it.",
    )
    FunctionDiffers = (
        "note",
        "A function returns different values in Spark than in the source dialect, in the cases named.",
    )
    FunctionNotCompared = "note", "Nobody has compared a function with its translation."
    FunctionUnknown = "person", "The query calls a function that Spark does not have; it is assumed to be user-defined."
    GatewayIgnored = "note", "Gateways and connections are left to profiles.yml."
    HistoryCheck = "person", "A check that compares with past results was dropped."
    JinjaDialect = (
        "refused",
        "Jinja that must be rendered here, since its dialect is not Spark's or its names are SQLMesh's own, needs "
        "values known only at run time.",
    )
    JinjaTimeVariable = "person", "A time variable is unquoted in a Jinja query."
    JoinUnsupported = "person", "A join has no counterpart in dbt's semantic models."
    MeasureUnsupported = "person", "A measure has no counterpart in dbt's semantic models."
    MetricBlock = "person", "A METRIC block was not converted."
    MissingDialect = "refused", "Neither the model nor the project says which SQL dialect this is."
    MissingKindProperty = "refused", "A kind lacks a required property."
    MissingName = (
        "refused",
        "A MODEL or AUDIT block has no name that a table can have, and the project does not infer names from paths.",
    )
    NameChanged = "person", "A name was changed to one that dbt-spark can write unquoted."
    NameClash = "refused", "Two objects would get the same name in the dbt project."
    NoManagedTables = "refused", "The adapter has no managed tables."
    NoMaterializedViews = "refused", "The adapter has no materialized views."
    NoPythonModels = "refused", "The adapter cannot run Python models of this kind."
    NoTimeFilter = "person", "A query by time range does not filter what it reads by time."
    PropertyDropped = "note", "A setting without meaning in dbt was dropped."
    PythonMacro = "refused", "A query calls a Python macro of the project, which is only run on request."
    PythonMacroFailed = (
        "refused",
        "A Python macro that was run raised an error or used something that is not available.",
    )
    PythonModelUnsupported = "refused", "A Python model does something that dbt's Python models cannot."
    ReadsItself = "note", "A model reads its own table."
    ReadsRefused = "note", "A model reads the table of a refused model, which was declared as a source."
    RelativeStart = "person", "A start that moves every day was left out."
    RuntimeCondition = "refused", "A macro's condition depends on values that exist only while the source tool runs."
    SeedColumns = "refused", "A seed declares columns that its CSV file does not have."
    SeedMissing = "refused", "A seed's CSV file does not exist."
    SessionProperties = "person", "Session properties belong in the profile."
    SignalDropped = (
        "person",
        "A signal was dropped: loading no longer waits for it. The option ready_until may serve the same purpose.",
    )
    SourceNotFound = "wrong_use", "The folder to compile does not exist."
    SqlParseError = "refused", "A query, statement or block cannot be read in its dialect."
    TakenOver = "note", "A generated file was taken over by a person and is left alone."
    TimeColumnMissing = "refused", "The time column is not among the columns that the query returns."
    TimeCutOff = "note", "A column that the query returns as a timestamp is declared as a date, and is cast to it."
    TimeVariableNotAllowed = "refused", "A model without a window uses its start or end."
    TypeUnknown = "person", "The meaning of an operator depends on an unknown type; it was left as written."
    UndeclaredSource = "note", "A table that no external file declares became a source."
    UndefinedMacroVariable = "refused", "A macro variable is defined nowhere."
    UnknownAudit = "refused", "An audit is neither built in nor defined in the project."
    UnknownKind = "refused", "The source tool does not have this kind."
    UnknownKindProperty = "refused", "A kind sets a property that it does not support."
    UnknownModelProperty = "refused", "A MODEL block sets a property that does not exist."
    UnqualifiedTable = "person", "A table without a schema does not belong to the project and was left as written."
    UnreadableStatement = "refused", "A statement beside the query cannot be parsed, and its dialect is not Spark's."
    UnsupportedMacro = "refused", "A macro has no counterpart in dbt."
    UnsupportedPartition = "refused", "The table format does not support partitioning by this expression."
    Untranslatable = "refused", "A construct of the source dialect has no counterpart in Spark 3.5."
    VariableFrozen = "note", "A variable was replaced by its current value."
    VirtualUpdate = "note", "A statement of the virtual layer runs after the model instead."
    WholeTableTest = "note", "A test sees the whole table, not only the range that was loaded."


@unique
class CheckCode(Code):
    """What `dbt-kinds check` and `explain` find, and `compile` in projects of smelt. `override` is the safety override
    that suppresses a finding; a downgrade covers a `refusal`, and no `error`.
    """

    override: str | None

    def __init__(self, severity: Severity, meaning: str, override: str | None = None) -> None:
        """Takes a member apart."""
        super().__init__(severity, meaning)
        self.override = override

    BackendsMismatch = "error", "Models that read one another run on different backends."
    CircularReference = "error", "Models read one another in a circle."
    CumulativeForbidsIncremental = "error", "A cumulative aggregate has an incremental block."
    CumulativeForbidsNondeterministic = "error", "A cumulative aggregate calls what changes by itself."
    CumulativeForbidsTimeseries = "error", "A cumulative aggregate has a timeseries block."
    CumulativeForbidsWindowFunctions = "error", "A cumulative aggregate has a window function."
    CumulativeGroupByContainsPartitionColumn = (
        "error",
        "A cumulative aggregate groups by the partition column of its source.",
    )
    CumulativeMultipleDrivingSources = "error", "A cumulative aggregate reads several sources by time."
    CumulativeNoDrivingSource = "error", "A cumulative aggregate reads no source by time."
    CumulativeRequiresGroupBy = "error", "A cumulative aggregate has no plain GROUP BY."
    CumulativeUnknownAggregator = "error", "A cumulative aggregate has a column that cannot be combined."
    DuplicateFunctionDefinition = "error", "Two functions have one name."
    FunctionCallCycle = "error", "Functions call one another in a circle."
    MalformedTimeseries = "error", "A timeseries block lacks a key, or has a value that there is not."
    MissingArgument = "error", "A call of a function lacks an argument."
    NameClash = "error", "Two models or seeds have one name."
    TimeColumnMissing = "error", "A model that runs on slices of time names no time column."
    TimeseriesRequiredForIncremental = "error", "An incremental model has no timeseries block."
    UndefinedModelRef = "error", "A query reads a model that is not there."
    UndefinedSource = "error", "A query reads a source that is not there."
    UnknownArgument = "error", "A call of a function has an argument that it does not take."
    UnknownFunction = "error", "A query calls a function that the project does not define."
    UnknownKey = "error", "A configuration has a key that there is not."
    UnknownMaterialization = "error", "A model has a materialization that there is not."
    UnknownModel = "error", "A file of configuration is about a model that is not there."
    UnreadableConfiguration = "error", "A block or file of YAML cannot be read."
    UnreadableFunction = "error", "The definition of a function cannot be read."
    UnreadableQuery = "error", "A query cannot be parsed."
    UnreadableSchedule = "error", "A cron, an interval unit or a beginning of weeks is refused by the package."
    distinct = "refusal", "DISTINCT, or a set operation, compares rows of several intervals.", "allow_distinct"
    event_time_not_referenced = "error", "The column of the event time is used nowhere."
    granularity_too_fine = "error", "The granularity is finer than what the partition column holds."
    having = "refusal", "HAVING looks at groups that may reach across intervals.", "allow_having"
    limit = "refusal", "LIMIT or OFFSET takes other rows of an interval than of the whole.", "allow_limit"
    narrow_read = "warning", "A condition of the model's own reads less of a source than its interval needs."
    nondeterministic = "refusal", "A call gives something else the next time.", "allow_nondeterministic"
    not_derivable = "refusal", "How far a source is read beyond the interval cannot be derived."
    partition_not_grouped = "refusal", "The query aggregates, and the partition column is no key of its groups."
    partition_not_projected = "error", "The partition column is no column of the output."
    subqueries = "refusal", "A subquery reads more than look-up tables.", "allow_subqueries"
    unique_key_not_projected = "error", "A column of the unique key is no column of the output."
    unknown_interval_unit = "error", "An INTERVAL has no unit, or one that Spark does not have."
    window_functions = "refusal", "A window function may look across intervals.", "allow_window_functions"


SAFETY_OVERRIDES = sorted(code.override for code in CheckCode if code.override is not None)


@unique
class OndatraCode(Code):
    """What `dbt-kinds check --from ondatrasql` finds, and `compile` in such projects, beside codes of `compile`."""

    ColumnNotInOutput = "error", "A directive names a column that the query does not return."
    CursorMissing = "error", "A cursor has a first value, and names no column."
    CycleDetected = "error", "Models read one another in a circle."
    DirectiveAfterSql = "error", "A directive stands behind the first line of SQL."
    DirectiveNotAllowed = "error", "The kind does not take a directive."
    DirectiveRepeated = "warning", "A directive stands twice, and the last one holds."
    DuplicateTarget = "error", "Two files build one table."
    ExternalReference = "info", "A table that no model builds became a source."
    GroupKeyNotAllowed = "error", "Only a tracked model has a group key."
    InvalidCheck = "error", "A check has other arguments than it takes."
    InvalidColumn = "error", "A column's declaration cannot be read."
    InvalidCursor = "error", "A cursor is no plain name of a column."
    InvalidExpose = "error", "A table is to be served, and no column named."
    InvalidGroupKey = "error", "A group key is no list of columns."
    InvalidKind = "error", "A kind does not exist."
    InvalidPartitionedBy = "error", "A partition is no column, or no transform that there is."
    InvalidSortedBy = "error", "What to sort by is no list of columns."
    InvalidTarget = "error", "The path of a file gives no name that a table can have."
    InvalidUniqueKey = "error", "A unique key is no list of columns."
    MaskedKey = "error", "A column of the key is masked."
    MissingDirective = "error", "The kind needs a directive that the model lacks."
    NoStatement = "error", "A file has no query."
    NotCarried = "warning", "Something of the project has no counterpart, and is left out."
    ReadInFull = "info", "A model reads its sources whole at each run."
    SeveralStatements = "error", "A file has more than one statement."
    SinkNeedsPython = "warning", "A sink's function has to be written in Python."
    SinkNotAllowed = "error", "A sink is no call of a function, or its kind sends nothing."
    UnknownCheck = "error", "There is no such check."
    UnknownDirective = "warning", "There is no such directive, and it is ignored."
    UnsupportedSql = "error", "Something in a query cannot be read, or has no counterpart in Spark."
    aggregates = "error", "A query over what changed aggregates, and totals of changes are no totals."
    cursor_unused = "warning", "A model has a cursor, and its query does not ask for its last value."
    distinct = "error", "A query over what changed drops repeated rows, and knows those of this run only."
    driving_twice = "error", "A query reads the table whose changes it gets a second time."
    limit = "error", "A query over what changed takes other rows at each run."
    no_driving_table = "error", "A branch of a query does not begin with a table whose changes could be read."
    outer_join = "error", "A join of a query over what changed keeps rows of a look-up, which come again at each run."
    set_operation = "error", "A query over what changed compares rows, and knows those of this run only."
    window_functions = "error", "A window function over what changed lacks the rows of earlier runs."


class MigrateCode(NamedTuple):
    """What `dbt-kinds migrate` finds: the name of an exception, with what it says."""

    name: str
    severity: Severity
    meaning: str


def _of_migrate() -> list[MigrateCode]:
    bases = (errors.MigrateFinding, errors.Left, errors.MigrationNote)
    return [
        MigrateCode(kind.__name__, kind.level, " ".join((inspect.getdoc(kind) or "").split()))
        for kind in vars(errors).values()
        if inspect.isclass(kind) and issubclass(kind, errors.MigrateFinding) and kind not in bases
    ]


TABLES: Mapping[str, Sequence[Code | MigrateCode]] = {
    "compile": list(CompileCode),
    "migrate": _of_migrate(),
    "check": list(CheckCode),
    "ondatrasql": list(OndatraCode),
}
