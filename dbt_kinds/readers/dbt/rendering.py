"""Renders a model's Jinja without a warehouse: placeholder names represent tables and unknown macros, so that the SQL
can be parsed.

The environment is jinja2's sandbox; nothing of a project is run except its templates.
"""

# ruff: noqa: D102, D105, D107 (the operators of an unknown value have one meaning)
from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache
from types import CodeType
from typing import Any

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.sandbox import SandboxedEnvironment

from dbt_kinds.errors import UnrenderableError
from dbt_kinds.readers.dbt.blocks import Block, nesting, walk

THIS = "kinds_this"
NAME = re.compile(r"kinds_(?:this|part|ref|var|query|code)(?:_\d+)?\b")
_ANY_NAME = re.compile(r"kinds_(?:this\b|(?:part|ref|var|query|code|block)_\d+\b)", re.IGNORECASE)
# sqlglot would read the number of a name in such a text as the length
_NAMED_LENGTH = re.compile(r"(?i)\binterval\s*'\s*([-+]?)\s*(kinds_[a-z]+_\d+)\s*([a-z]+)\s*'")
_MOST_LOOPS = 2000
# how a time is written, and whether that is a day
_IS_DAY = {"%Y-%m-%d": True, "%Y-%m-%d 00:00:00": True, "%Y-%m-%d %H:%M:%S": False, "%Y-%m-%dT%H:%M:%S": False}
_OF_DAY = frozenset({"hour", "minute", "second", "microsecond"})
# the default of a variable that has none
REQUIRED = object()
# attributes that jinja2 looks up on every callable
_ASKED_BY_JINJA = frozenset({"unsafe_callable", "alters_data", "jinja_pass_arg"})


def with_plain_lengths(sql: str) -> str:
    """The SQL with `interval 'kinds_var_1 days'` written as `interval 'kinds_var_1' days`."""
    return _NAMED_LENGTH.sub(r"interval '\1\2' \3", sql)


class _Return(Exception):  # noqa: N818
    def __init__(self, value: Any) -> None:
        self.value = value


@dataclass
class Names:
    """The meaning of the placeholder names in a rendered text, and the requests that could not be answered.

    Attributes:
        asked: the variables that decided a condition.
        counted: those that said how often a loop runs.
    """

    relations: dict[str, tuple[str, ...]] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    queries: dict[str, str] = field(default_factory=dict)
    codes: dict[str, str] = field(default_factory=dict)
    moments: dict[str, tuple[timedelta, bool]] = field(default_factory=dict)
    defaults: dict[str, Any] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)
    counted: set[str] = field(default_factory=set)
    forced: dict[str, bool] = field(default_factory=dict)
    undecided: bool = False
    answer: bool = False
    made: int = 0

    def root(self, name: str) -> str:
        """The name in the template that a placeholder of an unknown value comes from."""
        while name in self.codes:
            name = self.codes[name]
        return name

    def readable(self, text: str) -> str:
        """A text with what the placeholder names in it stand for."""
        text = text.replace("kinds_key(", "generate_surrogate_key(").replace("KINDS_KEY(", "generate_surrogate_key(")
        return _ANY_NAME.sub(lambda found: self._meaning(found[0].lower()), text)

    def _meaning(self, name: str) -> str:
        if name.startswith("kinds_block"):
            return "the filter"
        if name in self.relations:
            return self.relations[name][-1]
        if name in self.variables:
            return f"{{{{ var('{self.variables[name]}') }}}}"
        if name in self.queries:
            return "{{ run_query(…) }}"
        root = self.root(name)
        return "{{ this }}" if root.startswith(THIS) else f"{{{{ {'…' if root.startswith('kinds_') else root} }}}}"

    def make(self, prefix: str) -> str:
        """A new name."""
        self.made += 1
        return f"kinds_{prefix}_{self.made}"


class Unknown:
    """An unknown value: it prints as a name, and its attributes and items are unknown too."""

    def __init__(self, names: Names, text: str) -> None:
        self._names = names
        self._text = text

    def _other(self) -> Unknown:
        return Unknown(self._names, self._code())

    def _code(self) -> str:
        prefix = "part" if self._text.startswith((THIS, "kinds_part")) else "code"
        name = self._names.make(prefix)
        self._names.codes[name] = self._text
        return name

    def __str__(self) -> str:
        return self._text

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self._other()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in _ASKED_BY_JINJA:
            raise AttributeError(name)
        return self._other()

    def __getitem__(self, name: Any) -> Any:
        return self._other()

    def __iter__(self) -> Iterator[Any]:
        raise UnrenderableError("a loop runs over what only the warehouse knows")

    def __len__(self) -> int:
        raise UnrenderableError("the length of what only the warehouse knows is asked")

    def __bool__(self) -> bool:
        self._names.undecided = True
        return self._names.answer

    def __eq__(self, other: object) -> bool:
        self._names.undecided = True
        return self._names.answer

    def __hash__(self) -> int:
        return hash(self._text)

    def _calculated(self, other: Any) -> Any:
        return self._other()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __mod__ = __rmod__ = __truediv__ = _calculated

    def _compared(self, other: Any) -> bool:
        self._names.undecided = True
        return self._names.answer

    __lt__ = __le__ = __gt__ = __ge__ = __contains__ = _compared


class Moment(Unknown):
    """A time that a template computes from that of a run or from a variable; other values made of it are unknown."""

    def __init__(self, names: Names, root: str, back: timedelta = timedelta(), *, is_day: bool = False) -> None:
        """`root` is what it is computed from: a name, or the placeholder of a variable."""
        super().__init__(names, names.make("code"))
        names.codes[self._text] = root
        names.moments[self._text] = (back, is_day)
        self._root, self._back, self._is_day = root, back, is_day

    def _moved(self, by: Any) -> Any:
        if not isinstance(by, timedelta):
            return self._other()
        return Moment(self._names, self._root, self._back + by, is_day=self._is_day)

    def __sub__(self, other: Any) -> Any:
        return self._moved(other)

    def __add__(self, other: Any) -> Any:
        return self._moved(-other if isinstance(other, timedelta) else other)

    def _at_day(self) -> Moment:
        return Moment(self._names, self._root, self._back, is_day=True)

    def date(self) -> Moment:
        return self._at_day()

    def isoformat(self) -> Moment:
        return self

    def strftime(self, form: Any) -> Unknown:
        is_day = _IS_DAY.get(str(form))
        return self._other() if is_day is None else self._at_day() if is_day else self

    def replace(self, **parts: Any) -> Unknown:
        is_midnight = {"hour", "minute"} <= set(parts) <= _OF_DAY and not any(parts.values())
        return self._at_day() if is_midnight else self._other()


class Queried(Unknown):
    """The result of a query; its parts belong to the same query."""

    def __init__(self, names: Names, query: str) -> None:
        super().__init__(names, names.make("query"))
        names.queries[self._text] = query
        self.query = query

    def _other(self) -> Unknown:
        return Queried(self._names, self.query)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in _ASKED_BY_JINJA:
            raise AttributeError(name)
        return self._other()


class Variable(Unknown):
    """A project variable: it prints as a name, and conditions see its value if it has one."""

    def __init__(self, names: Names, name: str, value: Any, *, is_given: bool = True) -> None:
        """`is_given` is false for one that each run has to give."""
        super().__init__(names, names.make("var"))
        names.variables[self._text] = name
        names.defaults[self._text] = value
        self.value = value
        self._is_given = is_given

    @property
    def _is_known(self) -> bool:
        return isinstance(self.value, str | int | float | bool | list) or (self.value is None and self._is_given)

    def __getattr__(self, name: str) -> Any:
        if name in ("strftime", "isoformat", "date"):
            return getattr(Moment(self._names, self._text), name)
        return super().__getattr__(name)

    def is_none(self) -> bool:
        """The answer of `is none`."""
        return self._answered(self.value is None if self._is_known else super().__eq__(None))

    def _answered(self, answer: bool) -> bool:
        """The answer of a condition; it is noted that it depends on this variable."""
        name = self._names.variables[self._text]
        self._names.asked.add(name)
        return self._names.forced.get(name, answer)

    def __bool__(self) -> bool:
        return self._answered(bool(self.value) if self._is_known else super().__bool__())

    def __eq__(self, other: object) -> bool:
        return self._answered(bool(self.value == other) if self._is_known else super().__eq__(other))

    def _compared(self, other: Any) -> bool:
        return self._answered(super()._compared(other))

    __lt__ = __le__ = __gt__ = __ge__ = __contains__ = _compared

    def __ne__(self, other: object) -> bool:
        return self._answered(bool(self.value != other) if self._is_known else super().__eq__(other))

    def __hash__(self) -> int:
        return hash(self._text)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value) if isinstance(self.value, list) else super().__iter__()

    def __int__(self) -> int:
        try:
            return int(self.value)
        except (TypeError, ValueError) as error:
            raise UnrenderableError("a variable without a default is taken for a number") from error

    def __index__(self) -> int:
        """How often a loop over `range(var('n'))` runs; it is noted that it depends on this variable."""
        name = self._names.variables[self._text]
        try:
            count = int(self.value)
        except (TypeError, ValueError) as error:
            raise UnrenderableError(
                f"a loop runs as often as the variable {name} says, which has no number in dbt_project.yml"
            ) from error
        self._names.counted.add(name)
        return count

    def __sub__(self, other: Any) -> Any:
        return self.value - other if isinstance(self.value, int) and isinstance(other, int) else self._other()

    def __add__(self, other: Any) -> Any:
        return self.value + other if isinstance(self.value, int) and isinstance(other, int) else self._other()

    def __mul__(self, other: Any) -> Any:
        return self.value * other if isinstance(self.value, int) and isinstance(other, int) else self._other()

    def __rmul__(self, other: Any) -> Any:
        return self * other

    def __neg__(self) -> Any:
        return -self.value if isinstance(self.value, int) else self._other()


class _DbtBlocks(Extension):
    """`{% snapshot x %}` prints its contents."""

    tags = {"snapshot"}  # noqa: RUF012

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        while parser.stream.current.type != "block_end":
            next(parser.stream)
        return parser.parse_statements(("name:endsnapshot",), drop_needle=True)


class Renderer:
    """Renders the templates of one project; `incremental` is the result of is_incremental()."""

    def __init__(
        self,
        macros: Mapping[str, str],
        variables: Mapping[str, Any],
        adapter: str,
        project: str,
        names: Names,
        *,
        target: str | None = None,
        config: Mapping[str, Any] | None = None,
    ) -> None:
        """`macros` maps macro names to their files; new names are added to `names`; `target` is `target.type`, if that
        is known; `config` has the settings of the model.
        """
        self.names = names
        self._config = config or {}
        self.incremental = True
        # why the variables of the template are not known, if so
        self.problem = ""
        self._macros = macros
        self._variables = variables
        self._adapter = adapter
        self._statements: dict[str, str] = {}
        self._modules: dict[str, Callable[..., Any]] = {}
        self.called: list[str] = []
        unknown = type("Missing", (_Missing,), {"names": names})
        self._environment = _environment(unknown)
        self._environment.globals.update(self._given(project))
        if target is not None:
            self._environment.globals["target"] = _Namespace(names, {"type": target}, "target")

    def render(self, text: str, **context: Any) -> tuple[str, dict[str, Any]]:
        """The rendered text, and its top-level variables.

        Raises:
            UnrenderableError: it uses something unknown here, or is not a template.
        """
        try:
            module = self._template(text).make_module(context)
            said = {name: value for name, value in vars(module).items() if not name.startswith("_")}
            return str(module), said
        except UnrenderableError:
            raise
        except _Return as returned:
            return str(returned.value), {}
        except RecursionError as error:
            raise UnrenderableError("it calls itself without an end") from error
        except Exception as error:
            raise UnrenderableError(f"{type(error).__name__}: {error}") from error

    def _template(self, text: str) -> jinja2.Template:
        environment = self._environment
        return jinja2.Template.from_code(environment, _code(text), environment.make_globals(None))

    def _given(self, project: str) -> dict[str, Any]:
        names = self.names
        package = _Namespace(names, {name: self._macro(name) for name in self._macros})
        given: dict[str, Any] = {name: self._macro(name) for name in self._macros}
        given |= {
            "ref": self._ref,
            "source": self._source,
            "this": Unknown(names, THIS),
            "var": self._variable,
            "env_var": lambda name, default=None: Variable(names, str(name), default, is_given=default is not None),
            "config": Config(names, self._config),
            "is_incremental": lambda: self.incremental,
            "should_full_refresh": lambda: False,
            "execute": True,
            "run_query": lambda query: Queried(names, str(query)),
            "statement": self._statement,
            "load_result": lambda name: Queried(names, self._statements.get(name, "")),
            "return": self._return,
            "log": lambda *given, **named: "",
            "print": lambda *given, **named: "",
            "range": lambda *given: range(*given) if len(range(*given)) < _MOST_LOOPS else _too_long(),
            "dict": dict,
            "set": set,
            "zip": zip,
            "namespace": jinja2.utils.Namespace,
            "current_timestamp": lambda: "current_timestamp",
            "tojson": lambda value, *given: str(value),
            "run_started_at": Moment(names, "run_started_at"),
            "modules": _Namespace(names, {"datetime": _Namespace(names, self._datetime(), "modules")}, "modules"),
            "dbt": _Namespace(names, _COMMON),
            "dbt_utils": _Namespace(names, {**_COMMON, **self._utilities()}),
            "adapter": _Namespace(names, {"dispatch": self._dispatch}),
            project: package,
        }
        return given

    def _utilities(self) -> dict[str, Any]:
        return {
            "get_single_value": lambda query, *given, **named: Queried(self.names, str(query)),
            "group_by": lambda n: "group by " + ", ".join(str(number + 1) for number in range(int(n))),
            "surrogate_key": _surrogate_key,
            "generate_surrogate_key": _surrogate_key,
            "star": lambda *given, **named: "*",
        }

    def _datetime(self) -> dict[str, Any]:
        """The parts of Python's datetime by which templates compute times."""
        names = self.names

        def now(*given: Any) -> Unknown:
            return Moment(names, "modules") if not given else Moment(names, "modules")._other()

        def read(written: Any, *given: Any) -> Unknown:
            is_variable = isinstance(written, Variable)
            root = str(written) if is_variable else "modules"
            is_day = [_IS_DAY.get(str(form)) for form in given] == [True]
            found = Moment(names, root, is_day=is_day)
            return found if is_variable else found._other()

        def length(*given: Any, **parts: Any) -> Any:
            is_known = all(isinstance(part, int | float) for part in (*given, *parts.values()))
            return timedelta(*given, **parts) if is_known else Moment(names, "modules")._other()

        times = {"now": now, "utcnow": now, "today": now, "strptime": read, "fromisoformat": read}
        days = {"today": lambda: Moment(names, "modules", is_day=True), "fromisoformat": read}
        return {
            "datetime": _Namespace(names, times, "modules"),
            "date": _Namespace(names, days, "modules"),
            "timedelta": length,
        }

    def _macro(self, name: str) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            self.called.append(name)
            try:
                return self._compiled(name)(*given, **named)
            except _Return as returned:
                return returned.value

        return call

    def _compiled(self, name: str) -> Callable[..., Any]:
        if name not in self._modules:
            source = macro_text(self._macros[name], name)
            module = self._template(source).make_module({})
            self._modules[name] = getattr(module, name)
        return self._modules[name]

    def _dispatch(self, name: str, *given: Any, **named: Any) -> Any:
        short = str(name).rsplit(".", 1)[-1]
        for prefix in (self._adapter, "default"):
            if f"{prefix}__{short}" in self._macros:
                return self._macro(f"{prefix}__{short}")
        return Unknown(self.names, self.names.make("code"))

    def _ref(self, *given: Any, **named: Any) -> Unknown:
        name = self.names.make("ref")
        self.names.relations[name] = ("ref", *map(str, given))
        return Unknown(self.names, name)

    def _source(self, *given: Any) -> Unknown:
        name = self.names.make("ref")
        self.names.relations[name] = ("source", *map(str, given))
        return Unknown(self.names, name)

    def _variable(self, name: str, default: Any = REQUIRED) -> Variable:
        is_given = str(name) in self._variables or default is not REQUIRED
        return Variable(
            self.names,
            str(name),
            self._variables.get(str(name), None if default is REQUIRED else default),
            is_given=is_given,
        )

    def _statement(self, name: str = "", caller: Any = None, **named: Any) -> str:
        self._statements[str(name)] = str(caller()) if caller is not None else ""
        return ""

    def _return(self, value: Any = None) -> Any:
        raise _Return(value)


class Config:
    """config(): prints nothing, and has the settings whose values stand in the project; others are unknown."""

    def __init__(self, names: Names, known: Mapping[str, Any]) -> None:
        self._names = names
        self._known = known

    def __call__(self, *given: Any, **named: Any) -> str:
        return ""

    def get(self, name: Any, *given: Any, **named: Any) -> Any:
        value = self._known.get(str(name))
        is_plain = isinstance(value, str | int | float) or (isinstance(value, list) and all(map(_is_text, value)))
        return value if is_plain else Unknown(self._names, self._names.make("code"))

    require = get


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


class _Namespace(Unknown):
    """A package: its known members, and unknown macros otherwise."""

    def __init__(self, names: Names, known: Mapping[str, Any], root: str = "") -> None:
        """`root` is its name, if it matters what an unknown member comes from."""
        super().__init__(names, names.make("code"))
        if root:
            names.codes[self._text] = root
        self._known = known

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in _ASKED_BY_JINJA:
            raise AttributeError(name)
        return self._known[name] if name in self._known else self._other()


class _Missing(jinja2.Undefined):
    """An undefined name, mostly another package's macro."""

    names: Names

    def _unknown(self) -> Unknown:
        name = self.names.make("code")
        self.names.codes[name] = str(self._undefined_name)
        return Unknown(self.names, name)

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self._unknown()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in _ASKED_BY_JINJA:
            raise AttributeError(name)
        return self._unknown()

    def __getitem__(self, name: Any) -> Any:
        return self._unknown()

    def __str__(self) -> str:
        return str(self._unknown())

    def __iter__(self) -> Iterator[Any]:
        raise UnrenderableError("a loop runs over a name that is not known")

    def __bool__(self) -> bool:
        self.names.undecided = True
        return self.names.answer

    def __eq__(self, other: object) -> bool:
        self.names.undecided = True
        return self.names.answer

    def __hash__(self) -> int:
        return 0

    def _calculated(self, other: Any) -> Any:
        return self._unknown()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _calculated


def _environment(undefined: type[jinja2.Undefined]) -> SandboxedEnvironment:
    environment = SandboxedEnvironment(
        undefined=undefined, extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols", _DbtBlocks]
    )
    environment.tests["none"] = _is_none
    environment.globals.clear()
    return environment


@lru_cache(maxsize=4096)
def _code(text: str) -> CodeType:
    """The code of a template, which is the same for each renderer: compiling takes most of the time of rendering."""
    return _environment(jinja2.Undefined).compile(text)


def names_in(text: str) -> set[str]:
    """The names that a template reads or sets.

    Raises:
        UnrenderableError: it is no template.
    """
    try:
        return {found.name for found in _environment(jinja2.Undefined).parse(text).find_all(nodes.Name)}
    except jinja2.TemplateError as error:
        raise UnrenderableError(f"{type(error).__name__}: {error}") from error


@lru_cache(maxsize=4096)
def macro_text(text: str, name: str) -> str:
    """The text of one macro from a file that may also contain other macros, tests and materializations."""
    for node in walk(nesting(text)):
        if isinstance(node, Block) and node.word == "macro" and node.branches[0].tag.rest.split("(")[0].strip() == name:
            return text[node.start : node.end]
    raise UnrenderableError(f"the macro {name} cannot be read")


def _is_none(value: Any) -> bool:
    return value.is_none() if isinstance(value, Variable) else value is None


def _too_long() -> Any:
    raise UnrenderableError("a loop is too long")


def _dateadd(datepart: Any, interval: Any, from_date_or_timestamp: Any) -> str:
    return f"({from_date_or_timestamp} + interval '{interval}' {datepart})"


def _date_trunc(datepart: Any, date: Any) -> str:
    return f"date_trunc('{datepart}', {date})"


def _surrogate_key(columns: Any, *given: Any) -> str:
    if not isinstance(columns, list):
        columns = [columns, *given]
    return f"kinds_key({', '.join(str(column) for column in columns)})"


_COMMON: dict[str, Any] = {
    "dateadd": _dateadd,
    "date_trunc": _date_trunc,
    "current_timestamp": lambda: "current_timestamp",
    "safe_cast": lambda field, type: f"cast({field} as {type})",
    "cast": lambda field, type: f"cast({field} as {type})",
    "type_timestamp": lambda: "timestamp",
    "type_string": lambda: "varchar",
    "type_int": lambda: "int",
    "type_bigint": lambda: "bigint",
    "type_float": lambda: "double",
    "type_numeric": lambda: "numeric",
    "type_boolean": lambda: "boolean",
}
