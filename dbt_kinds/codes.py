"""The codes of what commands find, a table for each command: the manual's page and SARIF's rules are written from them.

A code keeps its name from release to release.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import unique

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


@unique
class MigrateCode(Code):
    """What `dbt-kinds migrate` finds: why a model is left, or what is told about a conversion."""

    AggregatesOverRuns = "person", "Rows are aggregated across intervals, so they depend on when runs took place."
    AmbiguousTimeColumn = (
        "person",
        "A filter has a date column and an arrival column, and their names are not conclusive.",
    )
    AppendedOnce = "note", "Rows that were read again were appended again, and are now there once."
    AppendsWindows = "note", "Rows are appended window by window."
    ArrivalWithoutKey = "person", "Rows are re-read by arrival time, and no key shows which of them already exist."
    BoundOfAnotherColumn = "person", "A filter compares a column with the maximum of another column of the table."
    ColumnsNotKept = "note", "Columns that dbt writes into snapshots are not kept."
    ComputedConfig = "person", "A setting that decides the kind is computed, so that its value is not in the text."
    ConcurrencyDropped = "note", "Batches are processed one after the other."
    ConfigElsewhere = (
        "person",
        "A setting that must be removed is in YAML, and the file's own config() cannot override it.",
    )
    ConfigWritten = "note", "What a macro or a variable gave to config() was written out."
    CustomStrategy = "person", "The incremental strategy or the materialization is one of the project's own."
    DaysBeside = "note", "Rows are read by days beside the time that makes the window, from a day before it."
    Differs = "person", "Played over random sources and runs, the old model and its kind end with different tables."
    Disabled = "person", "The model is disabled."
    ElseBranchDiffers = "person", "The first load has logic of its own, other than no filter or a fixed start."
    EmptiedRange = "note", "An interval of which the query has no rows any more is emptied, where its partition stayed."
    FileTable = (
        "note",
        "A Parquet or ORC table must be partitioned by its time column before a range of it can be replaced.",
    )
    FilterNotOnPartition = "person", "A table's partitions are replaced by rows that were filtered on another column."
    FiltersDisagree = "person", "The filters of a model are on different columns, or some of its inputs have none."
    FirstLoad = "note", "A first load reads what is in its window, where dbt's read everything."
    FolderDefault = "note", "A folder's default makes models incremental, and was left unchanged."
    FormatNotWritten = "person", "A table is of a file format that no kind writes."
    FullReads = "person", "A model finds its new rows by their absence, and reads its whole source to do so."
    HookKept = "note", "A hook that deletes rows after each run does so after each load."
    HookRemoved = "note", "A hook that deleted what is loaded again was removed."
    InsertOnly = "note", "Rows were only ever inserted, never updated."
    KeptAsTest = "note", "The former merge key should be tested for uniqueness."
    KeyIgnored = "note", "A unique_key that the strategy did not look at is taken out."
    KeyIsChecked = "note", "Rows that repeat a key, or have none, are refused, where dbt kept them."
    KeyNotUsed = "person", "A unique key is set, but the adapter's default strategy, append, ignores it."
    LateRows = "note", "A newest value became windows, which read late rows again for a limited time."
    LoadedSooner = "note", "A day that a run read some days later is loaded when it is over, and again until then."
    LookbackFromVariable = "note", "A lookback was taken from the default of a variable."
    MacroFilter = "person", "The filter comes from a macro that cannot be resolved to one condition."
    MacroWritten = "note", "The text of a macro takes the place of its call."
    MergedByDefault = "note", "Without a profile, a unique key without a strategy is taken for dbt-databricks' merge."
    MicrobatchIncomplete = "person", "A microbatch model lacks event_time, begin or batch_size."
    MissedRuns = "note", "What no run came for in time stayed missing, and is now loaded by the next run."
    NewestOfWindow = (
        "note",
        "Which row of a key is kept depends on the rows of one window, as it did on those of one run.",
    )
    NoStart = "note", "No start is known; set the option start, adopt the table, or pass a window."
    NoWindow = "note", "The query is run as it stands, as before, once an interval is over."
    NotIncremental = "person", "The model calls is_incremental() but is not an incremental model."
    NotPartitionedByTime = (
        "person",
        "A file table is not partitioned by its time column, so that no range of it can be replaced.",
    )
    OncePerInterval = "note", "A run loads an interval when it is complete, and a second run in it does nothing."
    OpenVersionsNull = (
        "note",
        "The current versions of a history have no end, where the snapshot had a date in the future.",
    )
    OuterJoinedInput = "person", "A filtered input is the optional side of a join, or of a subquery."
    OwnStateTable = "person", "A state table or the model's own statements decide what is loaded."
    OwnStrategy = "note", "A macro of the project writes in place of dbt's own strategy, and is not read."
    PredicatesKept = (
        "note",
        "Predicates that restrict the merge also restrict what a range that is loaded again can change.",
    )
    PredicatesNotUsed = "note", "Settings that restricted the merge have no use any more, or had none."
    PrunedInput = (
        "note",
        "A joined input is read from the beginning of the window on, as runs read it from their bound on.",
    )
    PythonModel = "person", "The model is written in Python."
    ReadUntilNow = "note", "A source that holds the newest state of a row only is read until now."
    ReadWhole = "note", "Rows that are put together were read in part at the bound of a run, and are now read together."
    ReadsThisElsewhere = "person", "The model reads its own table for more than the bound of its filter."
    RecentStart = "note", "A first load read what lay a fixed time before it, and begins at the option start now."
    ReplacedTogether = "note", "All rows of a key are replaced together, so that they have to be in one window."
    ReplacesWholeTable = "note", "Every run replaces the whole table, as before."
    RunQueryLogic = "person", "A query that runs before the model decides more than one bound."
    SecondUseOfIsIncremental = "person", "is_incremental() switches more than a filter."
    SlidingStart = "note", "A condition that stays shows only what lies a fixed time before now."
    SnapshotNewRecord = "person", "A snapshot writes rows for deleted keys, which versions by period do not have."
    SnapshotUnreadable = "person", "A snapshot's configuration is incomplete or computed."
    SqlHeaderState = "person", "The model sets a SQL header, which may hold state."
    TimeColumnUnclear = "person", "The filtered column does not reach the output, or does so in more than one way."
    TimesOfZone = "note", "Days are those of a time zone, whose midnight is when the model is due."
    TypeFromName = "note", "Only a column's name says whether it is a date or a timestamp."
    UnboundPartition = "person", "Variables bound a column by which the table is not partitioned."
    UnknownColumnType = "person", "Nothing shows whether a time column is a date, a timestamp or a string."
    UnreadableBlock = "person", "A condition is not a known way of selecting a range of time."
    UnreadableModel = "person", "A model's SQL cannot be parsed, so nothing is known about its rows."
    UpdatedAtNotCompared = "note", "The column that dates versions is not one of those whose changes make versions."
    VariableUsedElsewhere = "person", "A variable that bounds the load is also used for something else."
    WholeInput = "note", "An input is read whole, because dbt did not filter it, or nothing shows that it did."
    WindowForVariables = "note", "The window takes the place of variables, which have no effect afterwards."
    WindowOverRuns = "person", "A window function looks across intervals, so the rows depend on when runs took place."


TABLES: Mapping[str, Sequence[Code]] = {
    "compile": list(CompileCode),
    "migrate": list(MigrateCode),
    "check": list(CheckCode),
    "ondatrasql": list(OndatraCode),
}
