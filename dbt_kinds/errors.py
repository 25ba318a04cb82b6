"""All errors that the command reports with an explanation."""

from typing import ClassVar

from dbt_kinds.diagnostics import Code, Diagnostic, Severity


class KindsError(Exception):
    """An error that the user can act on; the command prints its message and exits with 2."""


class DbtFailedError(KindsError):
    """A dbt invocation failed with an error of its own."""

    def __init__(self, message: str, statement: str = "", model: str = "") -> None:
        """`statement` is the last SQL that dbt sent, `model` the one that an operation was looking at."""
        super().__init__(message)
        self.statement = statement
        self.model = model


class UnwritableFileError(KindsError):
    """A file cannot be written where the command was told to."""


class CompileError(KindsError):
    """A finding that stops what it is about: a model, or with a configuration that cannot be read the whole command."""

    def __init__(self, code: Code, message: str, file: str = "", line: int = 0) -> None:
        """`message` says what was found and what to write instead; `file` is relative to the project's root."""
        self.diagnostic = Diagnostic.of(code, message, file, line)
        super().__init__(f"{self.diagnostic.place}: {message}" if file else message)

    @property
    def code(self) -> Code:
        """What was found."""
        return self.diagnostic.code

    @property
    def message(self) -> str:
        """The message without its place."""
        return self.diagnostic.message

    @property
    def line(self) -> int:
        """Where it was found."""
        return self.diagnostic.place.line


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


class MigrateFinding(KindsError):
    """A finding of `dbt-kinds migrate` about a model: the class name is the code of the message."""

    level: ClassVar[Severity] = "person"

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


class Left(MigrateFinding):
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
    """A unique key is set, but the adapter's default strategy, append, ignores it."""


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


class MigrationNote(MigrateFinding):
    """A remark about a migrated model: the class name is the code."""

    level = "note"


class NoStart(MigrationNote):
    """No start is known; set the option start, adopt the table, or pass a window."""


class LookbackFromVariable(MigrationNote):
    """A lookback was taken from the default of a variable."""


class KeptAsTest(MigrationNote):
    """The former merge key should be tested for uniqueness."""


class NoWindow(MigrationNote):
    """The query is run as it stands, as before, once an interval is over."""


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


class MergedByDefault(MigrationNote):
    """Without a profile, a unique key without a strategy is taken for dbt-databricks' merge."""


class AppendedOnce(MigrationNote):
    """Rows that were read again were appended again, and are now there once."""


class ReadWhole(MigrationNote):
    """Rows that are put together were read in part at the bound of a run, and are now read together."""


class EmptiedRange(MigrationNote):
    """An interval of which the query has no rows any more is emptied, where its partition stayed."""


class PrunedInput(MigrationNote):
    """A joined input is read from the beginning of the window on, as runs read it from their bound on."""


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


class UnknownModelError(KindsError):
    """A selection names a model that the project does not have."""


class VerifyError(KindsError):
    """The old and the new version of a model cannot be compared."""
