"""All errors that the command reports with an explanation."""

from typing import ClassVar, Literal

Level = Literal["refused", "person", "note", "wrong_use"]


class KindsError(Exception):
    """An error that the user can act on; the command prints its message and exits with 2."""


class LocalSparkMissingError(KindsError):
    """The packages of the extra `local` are not installed."""


class InitError(KindsError):
    """`dbt-kinds init` cannot set a project up: the folder is no dbt project, or its profile is not for Spark."""


class DuckDbMissingError(KindsError):
    """The packages of the extra `prove` are not installed."""


class DemoDataMissingError(KindsError):
    """The packages of the extra `demo` are not installed."""


class DbtMissingError(KindsError):
    """dbt-core is not installed beside this package."""


class DbtFailedError(KindsError):
    """A dbt invocation failed with an error of its own."""

    def __init__(self, message: str, statement: str = "", model: str = "") -> None:
        """`statement` is the last SQL that dbt sent, `model` the one that an operation was looking at."""
        super().__init__(message)
        self.statement = statement
        self.model = model


class PackageMissingError(KindsError):
    """The project lacks the dbt package, or has a version without what was requested."""


class BackfillError(KindsError):
    """A backfill cannot begin: the model or its window is refused."""


class CollectorError(KindsError):
    """The collector cannot be started with these options, or its packages are not installed."""


class SinkError(KindsError):
    """Changes cannot be handed to the function of a sink."""


class UnwritableFileError(KindsError):
    """A file cannot be written where the command was told to."""


class DemoFailedError(KindsError):
    """A run of the demonstration had an unexpected result."""


class CompileError(KindsError):
    """A finding of `dbt-kinds compile` about a project: the class name is the code of the message.

    Raised if a model cannot be converted, otherwise recorded.
    """

    level: ClassVar[Level] = "refused"

    def __init__(self, message: str, file: str = "", line: int = 0) -> None:
        """`message` says what was found and what to write instead; `file` is relative to the project's root."""
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line

    @property
    def code(self) -> str:
        """The name of the class, as shown in reports."""
        return type(self).__name__

    def __str__(self) -> str:
        """The message after its place, as compilers print it."""
        return f"{self.file}:{self.line}: {self.message}" if self.file else self.message


class NeedsPerson(CompileError):
    """A model was converted, but something about it needs review by a person."""

    level = "person"


class Noted(CompileError):
    """A model was converted; this is worth knowing."""

    level = "note"


class WrongUse(CompileError):
    """Nothing was read or written: the command was called incorrectly, or the project has no readable configuration."""

    level = "wrong_use"


class EditedByHand(NeedsPerson):
    """A generated file was edited and is left alone."""


class SqlParseError(CompileError):
    """A query, statement or block cannot be read in its dialect."""


class MissingName(CompileError):
    """A MODEL or AUDIT block has no name that a table can have, and the project does not infer names from paths."""


class MissingDialect(CompileError):
    """Neither the model nor the project says which SQL dialect this is."""


class UnknownKind(CompileError):
    """The source tool does not have this kind."""


class UnknownModelProperty(CompileError):
    """A MODEL block sets a property that does not exist."""


class UnknownKindProperty(CompileError):
    """A kind sets a property that it does not support."""


class MissingKindProperty(CompileError):
    """A kind lacks a required property."""


class BadPropertyValue(CompileError):
    """A property has a value of the wrong type or outside its range."""


class DuplicateProperty(CompileError):
    """A property occurs twice in one block, or in both of its spellings."""


class EndWithoutStart(CompileError):
    """A model has an end and no start."""


class TimeColumnMissing(CompileError):
    """The time column is not among the columns that the query returns."""


class UnsupportedPartition(CompileError):
    """The table format does not support partitioning by this expression."""


class NameClash(CompileError):
    """Two objects would get the same name in the dbt project."""


class NoManagedTables(CompileError):
    """The adapter has no managed tables."""


class NoMaterializedViews(CompileError):
    """The adapter has no materialized views."""


class CustomMaterialization(CompileError):
    """The kind is a materialization written in Python for the source tool."""


class TimeVariableNotAllowed(CompileError):
    """A model without a window uses its start or end."""


class UndefinedMacroVariable(CompileError):
    """A macro variable is defined nowhere."""


class RuntimeCondition(CompileError):
    """A macro's condition depends on values that exist only while the source tool runs."""


class UnsupportedMacro(CompileError):
    """A macro has no counterpart in dbt."""


class ColumnsUnknown(CompileError):
    """A macro or `*` must be expanded, and the columns of its table are unknown."""


class PythonMacro(CompileError):
    """A query calls a Python macro of the project, which is only run on request."""


class PythonMacroFailed(CompileError):
    """A Python macro that was run raised an error or used something that is not available."""


class NoPythonModels(CompileError):
    """The adapter cannot run Python models of this kind."""


class PythonModelUnsupported(CompileError):
    """A Python model does something that dbt's Python models cannot."""


class JinjaDialect(CompileError):
    """Jinja that must be rendered here, since its dialect is not Spark's or its names are SQLMesh's own, needs values
    known only at run time.
    """


class UnreadableStatement(CompileError):
    """A statement beside the query cannot be parsed, and its dialect is not Spark's."""


class Untranslatable(CompileError):
    """A construct of the source dialect has no counterpart in Spark 3.5."""


class UnknownAudit(CompileError):
    """An audit is neither built in nor defined in the project."""


class AuditArgument(CompileError):
    """An audit lacks an argument or gets one that it does not have."""


class SeedMissing(CompileError):
    """A seed's CSV file does not exist."""


class SeedColumns(CompileError):
    """A seed declares columns that its CSV file does not have."""


class CircularReference(CompileError):
    """Models read one another in a circle."""


class CatalogDropped(NeedsPerson):
    """A model's catalog was removed from its name, since dbt-spark writes to one catalog."""


class NameChanged(NeedsPerson):
    """A name was changed to one that dbt-spark can write unquoted."""


class RelativeStart(NeedsPerson):
    """A start that moves every day was left out."""


class ColumnsNotApplied(NeedsPerson):
    """Declared column types could not be applied to the query."""


class ClusterNeedsBuckets(NeedsPerson):
    """Clustering was left out, since Spark requires a number of buckets."""


class FileTypesGuessed(NeedsPerson):
    """Spark reads a file, and infers its names and types in its own way."""


class FormatChosen(NeedsPerson):
    """A table format was chosen that the source does not name, because the model's partitions require it."""


class SessionProperties(NeedsPerson):
    """Session properties belong in the profile."""


class SignalDropped(NeedsPerson):
    """A signal was dropped: loading no longer waits for it. The option ready_until may serve the same purpose."""


class NoTimeFilter(NeedsPerson):
    """A query by time range does not filter what it reads by time."""


class UnqualifiedTable(NeedsPerson):
    """A table without a schema does not belong to the project and was left as written."""


class JinjaTimeVariable(NeedsPerson):
    """A time variable is unquoted in a Jinja query."""


class CreationOnly(NeedsPerson):
    """A statement that runs only at creation was dropped."""


class CteTestDropped(NeedsPerson):
    """A unit test of a CTE was dropped; dbt tests whole models."""


class TypeUnknown(NeedsPerson):
    """The meaning of an operator depends on an unknown type; it was left as written."""


class AliasUnclear(NeedsPerson):
    """A name may be a column, or an alias where Spark does not accept one; it was left as written."""


class FunctionUnknown(NeedsPerson):
    """The query calls a function that Spark does not have; it is assumed to be user-defined."""


class MeasureUnsupported(NeedsPerson):
    """A measure has no counterpart in dbt's semantic models."""


class JoinUnsupported(NeedsPerson):
    """A join has no counterpart in dbt's semantic models."""


class HistoryCheck(NeedsPerson):
    """A check that compares with past results was dropped."""


class MetricBlock(NeedsPerson):
    """A METRIC block was not converted."""


class GatewayIgnored(Noted):
    """Gateways and connections are left to profiles.yml."""


class PropertyDropped(Noted):
    """A setting without meaning in dbt was dropped."""


class VirtualUpdate(Noted):
    """A statement of the virtual layer runs after the model instead."""


class UndeclaredSource(Noted):
    """A table that no external file declares became a source."""


class ReadsItself(Noted):
    """A model reads its own table."""


class ExclusiveEnd(Noted):
    """A comparison with the inclusive end of the window leaves out its last instant."""


class DecimalBounded(Noted):
    """A decimal with more digits than Spark supports became one with 38."""


class TimeCutOff(Noted):
    """A column that the query returns as a timestamp is declared as a date, and is cast to it."""


class FunctionDiffers(Noted):
    """A function returns different values in Spark than in the source dialect, in the cases named."""


class FunctionNotCompared(Noted):
    """Nobody has compared a function with its translation."""


class VariableFrozen(Noted):
    """A variable was replaced by its current value."""


class ReadsRefused(Noted):
    """A model reads the table of a refused model, which was declared as a source."""


class WholeTableTest(Noted):
    """A test sees the whole table, not only the range that was loaded."""


class TakenOver(Noted):
    """A generated file was taken over by a person and is left alone."""


class SourceNotFound(WrongUse):
    """The folder to compile does not exist."""


class ConfigNotFound(WrongUse):
    """The project to compile has no configuration file."""


class BadConfig(WrongUse):
    """The project's configuration cannot be read."""


class BadOut(WrongUse):
    """The output cannot be written to the requested place."""


class MarkLeftError(KindsError):
    """A placeholder name would have been written to the output: a bug in this package."""


class UnreadableQueryError(KindsError):
    """A model's SQL cannot be parsed in its dialect."""


class UnknownOverrideError(KindsError):
    """A model overrides a safety check that does not exist."""


class UnreadableConfigurationError(KindsError):
    """A YAML block or file of a project to read is not a mapping, or not YAML."""

    def __init__(self, message: str, path: str, line: int) -> None:
        """Stores the place beside the message."""
        super().__init__(message)
        self.path, self.line = path, line


class UnreadableProjectError(KindsError):
    """A folder does not hold a project of the expected tool."""


class NotPlacedError(KindsError):
    """A model's file has no unique place where `check --fix` could write something."""


class UnreadableScheduleError(KindsError):
    """A cron, an interval unit or a beginning of weeks that the package refuses, in its words."""


class NotCompiledError(KindsError):
    """dbt's manifest lacks the compiled query of a model."""


class Left(CompileError):
    """A model that `dbt-kinds migrate` leaves unchanged: the class name is the code of the reason."""

    level = "person"


class ComputedConfig(Left):
    """A setting that decides the kind is computed, so that its value is not in the text."""


class UnreadableModel(Left):
    """A model's SQL cannot be parsed, so nothing is known about its rows."""


class UnreadableBlock(Left):
    """A condition is not a known way of selecting a range of time."""


class UnknownColumnType(Left):
    """Nothing shows whether a time column is a date, a timestamp or a string."""


class AmbiguousTimeColumn(Left):
    """A filter has a date column and an arrival column, and their names are not conclusive."""


class FiltersDisagree(Left):
    """The filters of a model are on different columns, or some of its inputs have none."""


class BoundOfAnotherColumn(Left):
    """A filter compares a column with the maximum of another column of the table."""


class TimeColumnUnclear(Left):
    """The filtered column does not reach the output, or does so in more than one way."""


class UnboundPartition(Left):
    """Variables bound a column by which the table is not partitioned."""


class FilterNotOnPartition(Left):
    """A table's partitions are replaced by rows that were filtered on another column."""


class RunQueryLogic(Left):
    """A query that runs before the model decides more than one bound."""


class MacroFilter(Left):
    """The filter comes from a macro that cannot be resolved to one condition."""


class Differs(Left):
    """Played over random sources and runs, the old model and its kind end with different tables."""


class FullReads(Left):
    """A model finds its new rows by their absence, and reads its whole source to do so."""


class ArrivalWithoutKey(Left):
    """Rows are re-read by arrival time, and no key shows which of them already exist."""


class OwnStateTable(Left):
    """A state table or the model's own statements decide what is loaded."""


class SecondUseOfIsIncremental(Left):
    """is_incremental() switches more than a filter."""


class ElseBranchDiffers(Left):
    """The first load has logic of its own, other than no filter or a fixed start."""


class ReadsThisElsewhere(Left):
    """The model reads its own table for more than the bound of its filter."""


class CustomStrategy(Left):
    """The incremental strategy or the materialization is one of the project's own."""


class PythonModel(Left):
    """The model is written in Python."""


class Disabled(Left):
    """The model is disabled."""


class SqlHeaderState(Left):
    """The model sets a SQL header, which may hold state."""


class NotIncremental(Left):
    """The model calls is_incremental() but is not an incremental model."""


class NotPartitionedByTime(Left):
    """A file table is not partitioned by its time column, so that no range of it can be replaced."""


class KeyNotUsed(Left):
    """A unique key is set, but dbt-spark's default strategy, append, ignores it."""


class WindowOverRuns(Left):
    """A window function looks across intervals, so the rows depend on when runs took place."""


class AggregatesOverRuns(Left):
    """Rows are aggregated across intervals, so they depend on when runs took place."""


class OuterJoinedInput(Left):
    """A filtered input is the optional side of a join, or of a subquery."""


class MicrobatchIncomplete(Left):
    """A microbatch model lacks event_time, begin or batch_size."""


class VariableUsedElsewhere(Left):
    """A variable that bounds the load is also used for something else."""


class ConfigElsewhere(Left):
    """A setting that must be removed is in YAML, and the file's own config() cannot override it."""


class SnapshotNewRecord(Left):
    """A snapshot writes rows for deleted keys, which versions by period do not have."""


class SnapshotUnreadable(Left):
    """A snapshot's configuration is incomplete or computed."""


class MigrationNote(CompileError):
    """A remark about a migrated model: the class name is the code."""

    level = "note"


class NoStart(MigrationNote):
    """No start is known; set the option start, adopt the table, or pass a window."""


class LookbackFromVariable(MigrationNote):
    """A lookback was taken from the default of a variable."""


class KeptAsTest(MigrationNote):
    """The former merge key should be tested for uniqueness."""


class NoWindow(MigrationNote):
    """Every run reads everything, as before."""


class InsertOnly(MigrationNote):
    """Rows were only ever inserted, never updated."""


class ReplacesWholeTable(MigrationNote):
    """Every run replaces the whole table, as before."""


class OncePerInterval(MigrationNote):
    """A run loads an interval when it is complete, and a second run in it does nothing."""


class ConcurrencyDropped(MigrationNote):
    """Batches are processed one after the other."""


class WholeInput(MigrationNote):
    """An input is read whole, because dbt did not filter it, or nothing shows that it did."""


class SlidingStart(MigrationNote):
    """A condition that stays shows only what lies a fixed time before now."""


class FolderDefault(MigrationNote):
    """A folder's default makes models incremental, and was left unchanged."""


class FileTable(MigrationNote):
    """A Parquet or ORC table must be partitioned by its time column before a range of it can be replaced."""


class PredicatesNotUsed(MigrationNote):
    """Predicates that restricted the merge have no use if a range is replaced."""


class PredicatesKept(MigrationNote):
    """Predicates that restrict the merge also restrict what a range that is loaded again can change."""


class ColumnsNotKept(MigrationNote):
    """Columns that dbt writes into snapshots are not kept."""


class OpenVersionsNull(MigrationNote):
    """The current versions of a history have no end, where the snapshot had a date in the future."""


class UpdatedAtNotCompared(MigrationNote):
    """The column that dates versions is not one of those whose changes make versions."""


class AppendsWindows(MigrationNote):
    """Rows are appended window by window."""


class ReadUntilNow(MigrationNote):
    """A source that holds the newest state of a row only is read until now."""


class LateRows(MigrationNote):
    """A newest value became windows, which read late rows again for a limited time."""


class AppendedOnce(MigrationNote):
    """Rows that were read again were appended again, and are now there once."""


class KeyIsChecked(MigrationNote):
    """Rows that repeat a key, or have none, are refused, where dbt kept them."""


class OwnStrategy(MigrationNote):
    """A macro of the project writes in place of dbt's own strategy, and is not read."""


class KeyIgnored(MigrationNote):
    """A unique_key that the strategy did not look at is taken out."""


class NewestOfWindow(MigrationNote):
    """Which row of a key is kept depends on the rows of one window, as it did on those of one run."""


class WindowForVariables(MigrationNote):
    """The window takes the place of variables, which have no effect afterwards."""


class TypeFromName(MigrationNote):
    """Only a column's name says whether it is a date or a timestamp."""


class TimesOfZone(MigrationNote):
    """Days are those of a time zone, whose midnight is when the model is due."""


class ReplacedTogether(MigrationNote):
    """All rows of a key are replaced together, so that they have to be in one window."""


class FirstLoad(MigrationNote):
    """A first load reads what is in its window, where dbt's read everything."""


class DaysBeside(MigrationNote):
    """Rows are read by days beside the time that makes the window, from a day before it."""


class ConfigWritten(MigrationNote):
    """What a macro or a variable gave to config() was written out."""


class MacroWritten(MigrationNote):
    """The text of a macro takes the place of its call."""


class LoadedSooner(MigrationNote):
    """A day that a run read some days later is loaded when it is over, and again until then."""


class MissedRuns(MigrationNote):
    """What no run came for in time stayed missing, and is now loaded by the next run."""


class HookRemoved(MigrationNote):
    """A hook that deleted what is loaded again was removed."""


class UnrenderableError(KindsError):
    """A template uses something that only a warehouse or another package knows."""


class DirtyTreeError(KindsError):
    """Files would be written into a git tree with uncommitted changes."""


class UnknownModelError(KindsError):
    """A selection names a model that the project does not have."""


class VerifyError(KindsError):
    """The old and the new version of a model cannot be compared."""
