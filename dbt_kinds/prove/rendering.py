"""Renders a model's template as one run of dbt sees it: with DuckDB's tables, a moment, and the run's variables."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytz

from dbt_kinds.errors import UnrenderableError
from dbt_kinds.migrate.settings import SPARK_ADAPTERS
from dbt_kinds.prove.verdict import NotTriedError
from dbt_kinds.readers.dbt.calls import COMPUTED
from dbt_kinds.readers.dbt.config_call import config_calls
from dbt_kinds.readers.dbt.project import DbtProject
from dbt_kinds.readers.dbt.rendering import REQUIRED, Config, Names, Renderer

# the model's own table, before
OLD_TABLE = "kinds_old"
_UNKNOWN = re.compile(r"kinds_(?:part|ref|var|query|code)_\d+\b")
_PREFIXES, _SUFFIXES = (
    ("start", "end", "execution"),
    ("dt", "dtntz", "date", "ds", "ts", "tstz", "epoch", "millis", "hour"),
)
# what dbt hands over of each
_MODULES = {
    "datetime": SimpleNamespace(
        **{name: getattr(datetime, name) for name in ("date", "datetime", "time", "timedelta", "tzinfo")}
    ),
    "re": re,
    "pytz": pytz,
}

_TYPES = {"STRING": "TEXT", "INTEGER": "INT"}
_BIGQUERY_TYPES = {"STRING": "STRING", "TEXT": "STRING", "FLOAT": "FLOAT64", "INTEGER": "INT64", "BOOLEAN": "BOOL"}

Ask = Callable[[str], list[tuple[Any, ...]]]


@dataclass(frozen=True)
class Invocation:
    """One run of dbt: its moment, whether is_incremental() holds, and its --vars."""

    moment: datetime.datetime
    is_incremental: bool
    variables: Mapping[str, Any] = field(default_factory=dict)


class Column:
    """A column of an answer, as agate has it."""

    def __init__(self, found: list[Any]) -> None:
        """`found` are its values."""
        self._values = found

    def values(self) -> list[Any]:
        """Its values."""
        return self._values

    def __getitem__(self, at: int) -> Any:
        """One of them."""
        return self._values[at]


class Answer(list[tuple[Any, ...]]):
    """What run_query returns: rows, also by column."""

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """Its rows."""
        return list(self)

    @property
    def columns(self) -> list[Column]:
        """Its columns."""
        return [Column(list(found)) for found in zip(*self, strict=True)] or [Column([])]


class _This:
    schema = "main"
    database = "memory"
    name = identifier = table = OLD_TABLE

    def __str__(self) -> str:
        return OLD_TABLE


class PlayedRenderer(Renderer):
    """Renders templates of one project for runs; `ask` executes SQL of the project's dialect.

    Attributes:
        inputs: the relations that were asked for, by their tables in DuckDB.
    """

    def __init__(self, project: DbtProject, adapter: str, ask: Ask) -> None:
        """`adapter` chooses dispatched macros."""
        self.inputs: dict[str, tuple[str, ...]] = {}
        self.invocation = Invocation(datetime.datetime(2024, 1, 1), is_incremental=False)
        self._ask = ask
        super().__init__(project.macros, project.variables, adapter, project.name, Names())

    def rendered(self, text: str, invocation: Invocation) -> str:
        """The SQL of a model for one run.

        Raises:
            NotTriedError: it calls something that is not known here.
        """
        self.invocation = invocation
        self.incremental = invocation.is_incremental
        self.names.undecided = False
        written = {name: value for call in config_calls(text) for name, value in call.values.items()}
        self._environment.globals["config"] = Config(self.names, written)
        try:
            sql, _ = self.render(text)
        except UnrenderableError as error:
            if isinstance(error.__cause__, NotTriedError):
                raise error.__cause__ from error
            raise NotTriedError(f"its template cannot be rendered: {' '.join(str(error).split())[:120]}") from error
        unknown = _UNKNOWN.search(sql)
        if unknown is not None:
            raise NotTriedError(f"{self.names.root(unknown[0])} is not known without its package or a warehouse")
        if self.names.undecided:
            raise NotTriedError("a condition of its template depends on what is not known here")
        return sql

    def _given(self, project: str) -> dict[str, Any]:
        given = super()._given(project)
        given |= {
            "this": _This(),
            "run_query": lambda query: Answer(self._ask(str(query))),
            "load_result": lambda name: SimpleNamespace(
                data=(found := Answer(self._ask(self._statements.get(name, "")))), table=found, response="OK"
            ),
            "run_started_at": _Moment(self),
            "modules": SimpleNamespace(**_MODULES),
            "invocation_id": "kinds",
            "api": SimpleNamespace(Column=SimpleNamespace(translate_type=self._type)),
            "target": SimpleNamespace(name="prod", schema="main", database="memory", type=self._adapter),
            "dbt_kinds": SimpleNamespace(
                **{
                    f"{prefix}_{suffix}": _named(f"kinds_{prefix}_{suffix}")
                    for prefix in _PREFIXES
                    for suffix in _SUFFIXES
                }
            ),
        }
        given |= {name: call for name, call in given["dbt"]._known.items() if name.startswith("type_")}
        known = given["dbt_utils"]._known
        known["get_single_value"] = self._single_value
        return given

    def _type(self, name: str) -> str:
        """What the adapter calls a type of dbt's."""
        labels = _BIGQUERY_TYPES if self._adapter == "bigquery" else _TYPES
        found = labels.get(str(name).upper(), str(name))
        return "STRING" if found == "TEXT" and self._adapter in SPARK_ADAPTERS else found

    def _single_value(self, query: str, default: Any = None) -> Any:
        rows = self._ask(str(query))
        return rows[0][0] if rows and rows[0][0] is not None else default

    def _ref(self, *given: Any, **named: Any) -> Any:
        return self._input("ref", *given)

    def _source(self, *given: Any) -> Any:
        return self._input("source", *given)

    def _input(self, *relation: Any) -> str:
        parts = tuple(map(str, relation))
        name = "in_" + re.sub(r"\W", "_", "_".join(parts[1:])).lower()
        self.inputs[name] = parts
        return name

    def _variable(self, name: str, default: Any = REQUIRED) -> Any:
        found = self.invocation.variables.get(name, self._variables.get(name, default))
        if found is None and default is None:
            return None
        found = None if found is REQUIRED else found
        if found is None or found is COMPUTED:
            return _NoValue(str(name))
        return found


class _NoValue:
    """A variable without a value, which may be handed to config()."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __str__(self) -> str:
        raise NotTriedError(f"the variable {self._name} has no value")

    def __bool__(self) -> bool:
        raise NotTriedError(f"the variable {self._name} has no value")


class _Moment:
    """run_started_at of the run that is being played."""

    def __init__(self, renderer: PlayedRenderer) -> None:
        self._renderer = renderer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._renderer.invocation.moment, name)

    def __str__(self) -> str:
        return str(self._renderer.invocation.moment)

    def __sub__(self, other: Any) -> Any:
        return self._renderer.invocation.moment - other

    def __add__(self, other: Any) -> Any:
        return self._renderer.invocation.moment + other


def _named(text: str) -> Callable[[], str]:
    return lambda: text
