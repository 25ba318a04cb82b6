"""All errors that the command reports with an explanation."""

from dbt_kinds.codes import MigrateCode
from dbt_kinds.diagnostics import Code, Diagnostic


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
    """A finding of `dbt-kinds migrate` about a model, with a code of `MigrateCode`."""

    def __init__(self, of: MigrateCode, message: str, file: str = "", line: int = 0) -> None:
        """`message` says what was found and what to write instead; `file` is relative to the project's root."""
        super().__init__(message)
        self.of = of
        self.message = message
        self.file = file
        self.line = line

    @property
    def code(self) -> str:
        """The name of the code, as shown in reports."""
        return self.of.name

    def __str__(self) -> str:
        """The message after its place, as compilers print it."""
        return f"{self.file}:{self.line}: {self.message}" if self.file else self.message


class Left(MigrateFinding):
    """A model that `dbt-kinds migrate` leaves unchanged; the code is the reason."""


class NoFilter(Left):
    """A block of a model is no filter of rows that can be read, or its conditions are none."""


class MigrationNote(MigrateFinding):
    """A remark about a migrated model."""


class UnrenderableError(KindsError):
    """A template uses something that only a warehouse or another package knows."""


class UnknownModelError(KindsError):
    """A selection names a model that the project does not have."""


class VerifyError(KindsError):
    """The old and the new version of a model cannot be compared."""
