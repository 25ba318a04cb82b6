"""Every failure the command knows how to explain."""


class KindsError(Exception):
    """Something went wrong that a message can help with; the command prints it and exits with 2."""


class LocalSparkMissingError(KindsError):
    """The packages of the extra `local` are not installed."""


class DemoDataMissingError(KindsError):
    """The packages of the extra `demo` are not installed."""


class DbtFailedError(KindsError):
    """A dbt invocation ended with an error of its own."""


class PackageMissingError(KindsError):
    """The project does not have the dbt package, or one that lacks what is asked of it."""


class UnwritableFileError(KindsError):
    """A file cannot be written where the command was told to."""


class DemoFailedError(KindsError):
    """The demonstration did not come out as it should."""


class UnreadableQueryError(KindsError):
    """A model's SQL cannot be parsed in its dialect."""


class UnknownOverrideError(KindsError):
    """A model lifts a safety check that does not exist."""


class UnreadableConfigurationError(KindsError):
    """A YAML block or file of a project to read is no mapping, or no YAML."""

    def __init__(self, message: str, path: str, line: int) -> None:
        """Keeps where it stands beside the message."""
        super().__init__(message)
        self.path, self.line = path, line


class UnreadableProjectError(KindsError):
    """A folder holds no project of the tool it should be of."""
