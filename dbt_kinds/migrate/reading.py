"""Reads a model for migration: its is_incremental() blocks as filters, and its SQL with a mark for each filter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left, NoFilter, UnrenderableError
from dbt_kinds.migrate.conversion import MigrateOptions
from dbt_kinds.migrate.dialects import statement_of
from dbt_kinds.migrate.filters import Filter, incremental_blocks, read_filter
from dbt_kinds.migrate.first_loads import is_first_load, take_first_load
from dbt_kinds.migrate.outside import condition_at
from dbt_kinds.migrate.own_deletes import own_deletes
from dbt_kinds.migrate.parents import Parents
from dbt_kinds.migrate.substitution import Template, masked
from dbt_kinds.readers.dbt.blocks import Block, Branch, nesting, walk
from dbt_kinds.readers.dbt.project import DbtProject, ModelFile
from dbt_kinds.readers.dbt.rendering import Names, Renderer, with_plain_lengths
from dbt_kinds.readers.dbt.tags import Tag, line_of, tags, without_comments

_CALLED = re.compile(r"(?<![.\w'\"])([A-Za-z_]\w*)\s*\(")
_DISPATCHED = re.compile(r"\bdispatch\(\s*(?:macro_name\s*=\s*)?['\"](\w+)")
_QUERY_WORD = re.compile(r"(?i)\b(?:select|run_query|statement|load_result)\b")
_NAMED_SET = re.compile(r"\bset\s+([A-Za-z_]\w*)")
_PLAIN_SET = re.compile(r"set\s+(\w+)\s*=\s*(?:none|None|''|\"\"|'\d{4}-\d\d-\d\d[^']*'|\"\d{4}-\d\d-\d\d[^\"]*\")")
_QUERIED_LIST = re.compile(r"set\s+(\w+)\s*=[^%]*run_query\([^%]*(?:values\(\)|\.rows)(?!\s*\[)")
_MADE_TABLE = re.compile(r"(?i)\bcreate\s+(?:or\s+replace\s+)?(?:\w+\s+)?table\s+(?:if\s+not\s+exists\s+)?([\w.]+)")
_NAMED_STATEMENT = re.compile(r"call\s+statement\(\s*['\"](\w+)['\"]")
_CONFIG = re.compile(r"(?:do\s+)?config\s*\(")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_CLASS = re.compile(r"<class '[\w.]*?(\w+)'>")
# comments begin outside of texts and names
_TEXT_OR_COMMENT = re.compile(r"(?s)'[^']*'|\"[^\"]*\"|\{#.*?#\}|--[^\n]*|/\*.*?\*/")
_WORD_THIS = re.compile(r"\bthis\b(?!\s*=)")
# these packages contain no incremental loading
_HARMLESS = frozenset(
    {
        "dbt_utils",
        "dbt",
        "dbt_date",
        "dbt_expectations",
        "codegen",
        "audit_helper",
        "adapter",
        "api",
        "modules",
        "run_started_at",
        "exceptions",
        "target",
        "loop",
        "builtins",
        "graph",
        "flags",
        "dbt_privacy",
        "dbt_profiler",
        "metrics",
        "dbt_kinds",
        "snowflake_utils",
        "dbt_constraints",
    }
)
_BUILT_IN = frozenset(
    {
        "ref",
        "source",
        "var",
        "env_var",
        "config",
        "is_incremental",
        "log",
        "run_query",
        "statement",
        "load_result",
        "return",
        "range",
        "dict",
        "set",
        "zip",
        "namespace",
        "tojson",
        "fromjson",
        "current_timestamp",
        "should_full_refresh",
        "caller",
        "print",
        "type_bigint",
        "type_boolean",
        "type_float",
        "type_int",
        "type_numeric",
        "type_string",
        "type_timestamp",
        "get_columns_in_relation",
        "dbt_version",
        "doc",
        "super",
        "cycler",
        "lipsum",
        "joiner",
    }
)


@dataclass
class Reading:
    """The parsed model.

    Attributes:
        empty: its blocks that hold nothing but comments.
        trees: its SQL, once for each answer to conditions that only a run can decide.
        replaced: the variables that chose other filters.
    """

    model: ModelFile
    renderer: Renderer
    filters: list[Filter]
    setups: list[Block | Tag]
    parents: Parents
    empty: list[Block] = field(default_factory=list)
    trees: list[exp.Query] = field(default_factory=list)
    outside: list[Filter] = field(default_factory=list)
    problem: Left | None = None
    patterns: list[str] = field(default_factory=list)
    replaced: set[str] = field(default_factory=set)

    @cached_property
    def context(self) -> dict[str, Any]:
        """The top-level variables of the template."""
        try:
            return self.renderer.render(self.model.text)[1]
        except UnrenderableError as error:
            self.renderer.problem = str(error)
            return {}

    @property
    def names(self) -> Names:
        """The meaning of names in the SQL."""
        return self.renderer.names


def is_called(text: str) -> bool:
    """Whether a tag of the text calls is_incremental()."""
    return any("is_incremental" in tag.code for tag in tags(text) if tag.kind != "comment")


def read_model(
    model: ModelFile, project: DbtProject, options: MigrateOptions, parents: Parents, names: Names
) -> Reading:
    """Reads a model.

    Args:
        names: takes the meanings of the names in its SQL.

    Raises:
        Left: a block is not a filter, or macros or variables decide more than can be analysed.
    """
    text = model.text
    if not without_comments(text).strip():
        raise Left(MigrateCode.UnreadableModel, "the model is empty", line=1)
    tree = nesting(text)
    adapter = options.adapter or options.dialect
    renderer = Renderer(project.macros, project.variables, adapter, project.name, names, config=model.config)
    blocks = incremental_blocks(tree)
    empty = [block for block in blocks if _is_empty(text, block)]
    setups = _setups(text, [node for node in tree if node not in empty])
    reading = Reading(model, renderer, [], setups, parents, empty)
    in_setup = [block for block in blocks if any(_within(block, setup) for setup in setups)]
    filtering = [block for block in blocks if block not in in_setup and block not in empty]
    _check_other_uses(model, blocks)
    filtering += _macro_blocks(text, project, setups)
    template = Template(text, options.dialect, renderer, reading.context if filtering else {})
    first_loads = [block for block in filtering if is_first_load(block)]
    for block in (block for block in filtering if block not in first_loads):
        if block.word == "macro":
            block = _around_bound(template, block)
            if any(block.start == found.block.start for found in reading.filters):
                # the other bound of the same condition
                continue
            found = _read_macro(template, block, project)
        else:
            try:
                found = read_filter(template, block)
            except NoFilter as error:
                _check_no_list(text, block)
                raise error
        found.index = len(reading.filters)
        reading.filters.append(found)
    for block in first_loads:
        take_first_load(template, block, reading.filters)
    _check_this(text, reading)
    _check_setups(text, reading)
    return reading


def read_trees(reading: Reading, outside: list[Filter], options: MigrateOptions) -> None:
    """Parses the query, with a mark for each filter.

    Args:
        outside: the conditions outside of blocks that bound what is read.
    """
    for found in outside:
        found.index = len(reading.filters) + len(reading.outside)
        reading.outside.append(found)
    _read_trees(reading.model.text, reading, options)


def _check_no_list(text: str, block: Block) -> None:
    """Tells of a list of what to load that a query of its own finds, such as days with new rows.

    Raises:
        Left (RunQueryLogic): the block uses one.
    """
    lists = {name for tag in tags(text) if tag.kind == "statement" for name in _QUERIED_LIST.findall(tag.code)}
    for tag in tags(text):
        used = lists & set(re.findall(r"\w+", tag.code))
        if used and block.start <= tag.start < block.end and tag.kind != "comment":
            if _WORD_THIS.search(text[block.start : block.end]):
                raise Left(
                    MigrateCode.RunQueryLogic,
                    f"{', '.join(sorted(used))} lists which rows of its own table the model reads back, as a query "
                    "finds them before it runs; a kind reads back none: make them of the inputs, with lookback: auto",
                    line=line_of(text, tag.start),
                )
            raise Left(
                MigrateCode.RunQueryLogic,
                f"{', '.join(sorted(used))} lists what a query finds before the model runs, such as days with "
                "new rows; a kind finds them: write the filter between start_*() and end_*(), with lookback: auto",
                line=line_of(text, tag.start),
            )


def _setups(text: str, tree: list[Block | Tag]) -> list[Block | Tag]:
    """The statements that query the table before the main query, and those that give their variables a first value."""
    found = [node for node in tree if _is_setup(text, node)]
    asked = {name for node in found for name in _NAMED_SET.findall(text[node.start : node.end])}
    firsts = [
        node
        for node in tree
        if isinstance(node, Tag) and (plain := _PLAIN_SET.fullmatch(node.code)) is not None and plain[1] in asked
    ]
    return [node for node in tree if node in found or node in firsts]


def _is_setup(text: str, node: Block | Tag) -> bool:
    """Whether it is a statement, or an `if` of statements, that queries the table before the main query; it prints
    nothing.
    """
    if not _only_sets(text, node):
        return False
    piece = text[node.start : node.end]
    return bool(_WORD_THIS.search(piece)) or "is_incremental" in piece


def _is_empty(text: str, block: Block) -> bool:
    """Whether the branches of a block hold nothing but comments, which may print something."""
    return all(
        all(isinstance(child, Tag) and child.kind == "expression" for child in branch.children)
        and not without_comments(text[branch.start : branch.end]).strip()
        for branch in block.branches
    )


def _only_sets(text: str, node: Block | Tag) -> bool:
    if isinstance(node, Tag):
        return node.kind == "statement" and node.word in ("set", "do")
    if node.word == "set" or (node.word == "call" and "statement" in node.branches[0].tag.rest):
        return True
    if node.word != "if":
        return False
    for branch in node.branches:
        at = branch.start
        for child in branch.children:
            if text[at : child.start].strip() or not _only_sets(text, child):
                return False
            at = child.end
        if without_comments(text[at : branch.end]).strip():
            return False
    return True


def _within(inner: Block | Tag, outer: Block | Tag) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _check_other_uses(model: ModelFile, blocks: list[Block]) -> None:
    text = model.text
    known = {branch.tag.start for block in blocks for branch in block.branches}
    for tag in tags(text):
        code = tag.code
        for hook in own_deletes(model).values():
            code = code.replace(hook, "")
        if tag.kind != "comment" and "is_incremental" in code and tag.start not in known:
            raise NoFilter(
                MigrateCode.SecondUseOfIsIncremental,
                f"`{code[:80]}` uses is_incremental() outside the condition of an if block",
                line=line_of(text, tag.start),
            )


def _macro_blocks(text: str, project: DbtProject, setups: list[Block | Tag]) -> Iterator[Block]:
    """Calls of project macros that call is_incremental() themselves: each is a block without tags of its own."""
    for tag in tags(text):
        # what a hook calls is no part of the query
        if tag.kind == "comment" or _CONFIG.match(tag.code):
            continue
        for name in called_in(_QUOTED.sub("''", tag.code), project):
            does = _asks(name, project, set())
            if not does:
                continue
            inside = [
                node
                for node in walk(nesting(text))
                if isinstance(node, Block) and node.word == "if" and _within(tag, node)
            ]
            is_filter = tag.kind == "expression" and not any(_within(tag, setup) for setup in setups)
            if not is_filter:
                raise Left(
                    MigrateCode.MacroFilter,
                    f"the macro {name} {does} before the query is written, which may then be another one in each run; "
                    "write out what it returns, or take it out",
                    line=line_of(text, tag.start),
                )
            if any("is_incremental" in branch.tag.rest for node in inside for branch in node.branches):
                continue
            yield Block("macro", [Branch(tag._replace(end=tag.start), tag.start, tag.end)], tag._replace(start=tag.end))
            break


def _around_bound(template: Template, block: Block) -> Block:
    """The condition around a call that prints a bound alone: `day between {{ first_day() }} and {{ last_day() }}`."""
    tag, text, dialect = block.branches[0].tag, template.text, template.dialect
    try:
        said = sqlglot.parse_one(template.rendered(text[block.start : block.end]), read=dialect)
        tokens = sqlglot.tokenize(masked(text), read=dialect)
    except (SqlglotError, UnrenderableError, RecursionError):
        return block
    if isinstance(said, exp.Predicate | exp.Connector | exp.Not | exp.Boolean | exp.Paren | exp.Query):
        return block
    place = condition_at(tokens, block.start)
    if place is None:
        return block
    start, end = tokens[place[1]].start, tokens[place[2]].end + 1
    return Block("macro", [Branch(tag._replace(start=start, end=start), start, end)], tag._replace(start=end, end=end))


def _read_macro(template: Template, block: Block, project: DbtProject) -> Filter:
    """A call of a macro that calls is_incremental() itself, rendered as both runs see it: they differ by the filter."""
    text, renderer = template.text, template.renderer
    line = line_of(text, block.start)
    call = text[block.start : block.end]
    name = next((name for name in called_in(_QUOTED.sub("''", call), project) if _asks(name, project, set())), "")
    does = _asks(name, project, set())
    problem = Left(
        MigrateCode.MacroFilter,
        f"the macro {name} {does}, and writes something else than one condition on the rows; write out what it does, "
        "or take it out",
        line=line,
    )
    try:
        found = read_filter(template, block)
        renderer.incremental = False
        if template.rendered(call).strip():
            first = read_filter(template, block)
            if (first.keyword, first.ends_with_and) != (found.keyword, found.ends_with_and):
                raise problem
            found.keep_common(first)
    except (NoFilter, UnrenderableError) as error:
        raise problem from error
    finally:
        renderer.incremental = True
    if not found.comparisons or any(isinstance(part.expression, exp.Query) for part in found.comparisons):
        raise problem
    return found


def asks(code: str, project: DbtProject) -> bool:
    """Whether a tag calls a macro of the project that uses is_incremental() or its own table."""
    return any(_asks(name, project, set()) != "" for name in called_in(_QUOTED.sub("''", code), project))


def called_in(code: str, project: DbtProject) -> list[str]:
    """The names that a piece of a template calls; a macro of the project may have its name before it."""
    return _CALLED.findall(re.sub(rf"(?<![.\w]){re.escape(project.name)}\.", "", code))


def macros_reached(names: Iterable[str], project: DbtProject) -> Iterator[tuple[str, str]]:
    """The macros of the project that names stand for, and those that they call or dispatch to, each with its text."""
    waiting, seen = list(names), set()
    while waiting:
        name = waiting.pop()
        if name in seen or name not in project.macros:
            continue
        seen.add(name)
        body = macro_body(project.macros[name], name)
        yield name, body
        waiting += called_in(body, project)
        dispatched = tuple(f"__{found}" for found in _DISPATCHED.findall(body))
        waiting += [other for other in project.macros if dispatched and other.endswith(dispatched)]


def _asks(name: str, project: DbtProject, seen: set[str]) -> str:
    """What a project macro does, directly or through another one, if it uses is_incremental() or the model's own table;
    '' for others.
    """
    if name in seen or name not in project.macros or name in _BUILT_IN:
        return ""
    seen.add(name)
    body = macro_body(project.macros[name], name)
    if _names_this(body):
        return "reads the model's own table"
    if "is_incremental" in body:
        return "asks is_incremental()"
    return next(filter(None, (_asks(other, project, seen) for other in called_in(body, project))), "")


@lru_cache(maxsize=4096)
def _names_this(text: str) -> bool:
    """Whether a tag of a text names the model's own table."""
    return any(_WORD_THIS.search(_QUOTED.sub("''", tag.code)) for tag in tags(text) if tag.kind != "comment")


@lru_cache(maxsize=4096)
def macro_body(text: str, name: str) -> str:
    """The text of a macro in the text of its file."""
    found = re.search(rf"(?s)\{{%[-+]?\s*macro\s+{name}\b.*?\{{%[-+]?\s*endmacro", text)
    return found[0] if found else ""


def unknown_calls(text: str, project: DbtProject) -> Iterator[tuple[str, int]]:
    """Macros that a text calls and that neither the project nor a well-known package has, with their lines."""
    for tag in tags(text):
        if tag.kind == "comment" or tag.code.startswith(("config", "set ")):
            continue
        code = _QUOTED.sub("''", tag.code)
        for found in re.finditer(r"([A-Za-z_][\w.]*)\s*\(", code):
            name = found[1].split(".")[0]
            is_method = found.start() > 0 and code[found.start() - 1] == "."
            is_filter = code[: found.start()].rstrip().endswith("|")
            if (
                is_method
                or is_filter
                or name in _BUILT_IN
                or name in _HARMLESS
                or name in project.macros
                or name == project.name
            ):
                continue
            if tag.word == "macro" or ("." not in found[1] and re.search(rf"macro\s+{name}\b", text)):
                continue
            yield found[1], line_of(text, tag.start)


def _check_this(text: str, reading: Reading) -> None:
    """Checks that the model's own table is only read in filters and their setup."""
    comments = [found.span() for found in _TEXT_OR_COMMENT.finditer(text) if found[0][0] not in "'\""]
    for tag in tags(text):
        if tag.kind == "comment" or not _WORD_THIS.search(_QUOTED.sub("''", tag.code)):
            continue
        if _CONFIG.match(tag.code) or any(_within(tag, setup) for setup in reading.setups):
            continue
        if any(start <= tag.start and tag.end <= end for start, end in comments):
            continue
        if any(found.body[0] <= tag.start < found.body[1] for found in reading.filters):
            continue
        raise Left(
            MigrateCode.ReadsThisElsewhere,
            "the model reads its own table outside a filter",
            line=line_of(text, tag.start),
        )


def _check_setups(text: str, reading: Reading) -> None:
    """Checks that variables set up for a filter's bound are used for nothing else."""
    defined: set[str] = set()
    for setup in reading.setups:
        piece = text[setup.start : setup.end]
        made = _MADE_TABLE.search(piece)
        if made is not None:
            raise Left(
                MigrateCode.RunQueryLogic,
                f"the template makes the table {made[1]} before the query, of other rows in incremental runs; write "
                "its query as a CTE of the model",
                line=line_of(text, setup.start + made.start()),
            )
        defined |= set(_NAMED_SET.findall(piece)) | set(_NAMED_STATEMENT.findall(piece))
    if not reading.setups:
        return
    line = line_of(text, reading.setups[0].start)
    used_by_filters: set[str] = set()
    for tag in tags(text):
        if tag.kind == "comment" or any(_within(tag, setup) for setup in reading.setups):
            continue
        used = defined & set(re.findall(r"\w+", tag.code))
        if not used:
            continue
        if not any(found.body[0] <= tag.start < found.body[1] for found in reading.filters):
            pieces = [text[setup.start : setup.end] for setup in reading.setups]
            is_query = any(_QUERY_WORD.search(piece) for piece in pieces if used & set(_NAMED_SET.findall(piece)))
            what = "is set before the query and used outside a filter"
            if tag.kind == "expression" and not is_query:
                what = "is set before the query, by whether a run is incremental; write what it holds where it is used"
            raise Left(
                MigrateCode.RunQueryLogic,
                f"{', '.join(sorted(used))} {what}",
                line=line_of(text, tag.start),
            )
        used_by_filters |= used
    if not used_by_filters:
        raise NoFilter(
            MigrateCode.SecondUseOfIsIncremental, "something is set for incremental runs that no filter uses", line=line
        )
    if len(used_by_filters) > 1:
        raise Left(
            MigrateCode.RunQueryLogic,
            f"{', '.join(sorted(used_by_filters))} are several bounds; write one filter by hand",
            line=line,
        )
    reading.patterns.append("run_query")


def _read_trees(text: str, reading: Reading, options: MigrateOptions) -> None:
    marked = text
    pieces = [(found.block.start, found.block.end, found.marked) for found in (*reading.filters, *reading.outside)]
    pieces += [(other.start, other.end, " true ") for found in reading.outside for other in found.comparisons[1:]]
    for start, end, instead in sorted(pieces, reverse=True):
        marked = marked[:start] + instead + marked[end:]
    names = reading.names
    names.undecided = False
    for answer in (False, True):
        names.answer = answer
        sql = ""
        try:
            sql = with_plain_lengths(reading.renderer.render(marked)[0])
            tree = statement_of(sql, options.dialect)
        except (UnrenderableError, SqlglotError, RecursionError) as error:
            reading.problem = _unreadable(error, sql, text, options.dialect)
            reading.trees = []
            break
        while isinstance(tree, exp.Subquery) and tree.parent is None and not tree.args.get("with_"):
            tree = tree.this
            tree.parent = None
        if not isinstance(tree, exp.Query):
            reading.problem = Left(MigrateCode.UnreadableModel, "the model is no query; a macro may write it", line=1)
            reading.trees = []
            break
        reading.trees.append(tree)
        if not names.undecided:
            break
    names.answer = False


def _unreadable(error: Exception, sql: str, text: str, dialect: str) -> Left:
    """What a parser says of the SQL that a template renders, at the line of the template."""
    if not isinstance(error, ParseError) or not error.errors:
        reason = " ".join(str(error).split())[:160]
        return Left(MigrateCode.UnreadableModel, f"the model cannot be read as SQL of {dialect}: {reason}", line=1)
    first = error.errors[0]
    said = _CLASS.sub(lambda found: found[1], str(first.get("description")))
    before, found, after = (
        " ".join(str(first.get(part) or "").split()) for part in ("start_context", "highlight", "end_context")
    )
    if len(before) > 40:
        before = before[-40:].partition(" ")[2]
    near = f"{before} {found} {after[:40].rpartition(' ')[0] if len(after) > 40 else after}".strip()
    line = _line_in_template(sql, int(first.get("line") or 1), found, text)
    return Left(
        MigrateCode.UnreadableModel, f"the model cannot be read as SQL of {dialect}, near `{near}`: {said}", line=line
    )


def _line_in_template(sql: str, line: int, word: str, text: str) -> int:
    """The line of a template that became a line of its SQL: the nearest one that is the same, or has the word."""
    rendered, lines = sql.splitlines(), text.splitlines()
    wanted = rendered[line - 1].strip() if line <= len(rendered) else ""
    same = [at for at, one in enumerate(lines, 1) if wanted and one.strip() == wanted]
    alike = [at for at, one in enumerate(lines, 1) if word and word in one]
    return min(same or alike or [1], key=lambda at: abs(at - line))


def check_every_branch(tree: exp.Expr, covered: set[int], line: int) -> None:
    """Checks that if one part of a union is filtered, all are.

    Raises:
        Left (FiltersDisagree): one is not.
    """
    for union in tree.find_all(exp.SetOperation):
        if isinstance(union.parent, exp.SetOperation):
            continue
        leaves = list(leaves_of(union))
        if any(id(leaf) in covered for leaf in leaves) and not all(id(leaf) in covered for leaf in leaves):
            raise Left(
                MigrateCode.FiltersDisagree,
                "of the parts of a union some are filtered and some are read whole; filter each by the same bound",
                line=line,
            )


def leaves_of(query: exp.Expr) -> Iterator[exp.Expr]:
    """The selects that a query unites; itself if it is one."""
    if isinstance(query, exp.SetOperation):
        yield from leaves_of(query.this)
        yield from leaves_of(query.expression)
    elif isinstance(query, exp.Subquery):
        yield from leaves_of(query.this)
    else:
        yield query
