"""Converts a Python model that is more than a query to a dbt Python model for Databricks, which calls its function."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dbt_kinds.codes import CompileCode
from dbt_kinds.diagnostics import Place
from dbt_kinds.kinds import Placeholder, PythonBody
from dbt_kinds.readers.sqlmesh.block import Block
from dbt_kinds.readers.sqlmesh.context import ProjectContext
from dbt_kinds.readers.sqlmesh.macros.scope import Scope
from dbt_kinds.readers.sqlmesh.python_models.declaration import Declaration, is_model_decorator, last_name
from dbt_kinds.readers.sqlmesh.tables import name_of_text
from dbt_kinds.translation.dialects import is_spark

_CONTEXT = ("fetchdf", "fetch_pyspark_df", "table", "resolve_table", "spark", "var")
_SOURCE_TOOLS = frozenset({"sqlmesh", "vulcan"})
_TIMES = ("start", "end", "execution_time", "latest")

_CLASS = '''
class KindsContext:
    """What the function above asks its context for."""

    def __init__(self, session, relations, variables):
        self.spark = session
        self.relations = relations
        self.variables = variables

    def fetchdf(self, query, **kwargs):
        return self.spark.sql(query).toPandas()

    def fetch_pyspark_df(self, query, **kwargs):
        return self.spark.sql(query)

    def resolve_table(self, name):
        view = "kinds_" + "".join(letter if letter.isalnum() else "_" for letter in name)
        self.relations[name].createOrReplaceTempView(view)
        return view

    table = resolve_table

    def var(self, name, default=None):
        return self.variables.get(name.lower(), default)


def kinds_time(text, default):
    from datetime import datetime, timezone

    moment = datetime.fromisoformat(str(text).replace("Z", "+00:00")) if text else default
    return moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
'''
_MODEL = """
def model(dbt, session):
    from datetime import datetime, timedelta, timezone

    given = dbt.config.get("meta") or {{}}
    execution_time = kinds_time(given.get("kinds_execution_time"), datetime.now(timezone.utc))
    start = kinds_time(given.get("kinds_start"), datetime(1970, 1, 1, tzinfo=timezone.utc))
    end = kinds_time(given.get("kinds_end"), execution_time) - timedelta(microseconds=1)
    relations = {{{relations}}}
    context = KindsContext(session, relations, given.get("kinds_variables") or {{}})
    return {call}
"""


def dbt_python_body(
    declaration: Declaration, text: str, block: Block, context: ProjectContext, scope: Scope
) -> PythonBody:
    """The complete dbt Python model.

    Raises:
        CompileError: it uses a part of its context that does not exist on Databricks (PythonModelUnsupported).
    """
    function = declaration.function
    tree = ast.parse(text)
    parameters = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    if not parameters:
        raise scope.error(CompileCode.PythonModelUnsupported, f"{function.name} takes no context", function.lineno)
    names = list(_names_read(function, parameters[0], scope))
    if "depends_on" in block.properties:
        names += [item.as_text() for item in block.properties["depends_on"].as_list()]
    placeholders: dict[str, Placeholder] = {}
    relations: dict[str, str] = {}
    for name in dict.fromkeys(names):
        placeholder = _placeholder(name, context, scope, function.lineno)
        placeholders[scope.placeholders.name_of(placeholder)] = placeholder
        relations[name] = scope.placeholders.name_of(placeholder)
    is_generator = _yields_once(function, scope)
    call = _call(function, parameters[0], is_generator)
    if "columns" in block.properties:
        message = (
            f"the declared types of {scope.model_name} are not applied to what its function returns; check its table"
        )
        scope.note(CompileCode.ColumnsNotApplied, message, block.properties["columns"].place.line)
    pairs = [f"{name!r}: {placeholder}" for name, placeholder in relations.items()]
    inside = "\n        " + ",\n        ".join(pairs) + ",\n    " if pairs else ""
    whole = _kept(text, tree, declaration) + "\n\n" + _CLASS + "\n" + _MODEL.format(relations=inside, call=call)
    body = PythonBody(whole.strip("\n") + "\n", placeholders, _variables(context))
    _check_is_python(body, scope, function.lineno)
    return body


def _variables(context: ProjectContext) -> dict[str, str]:
    """The variables passed through meta, since dbt's Python models have no other access to variables."""
    found = {name: f'{{{{ var("{name}", "") }}}}' for name in ("kinds_start", "kinds_end", "kinds_execution_time")}
    found.update({f"kinds_variables.{name.lower()}": f'{{{{ var("{name}") }}}}' for name in context.config.variables})
    return found


def _names_read(function: ast.FunctionDef, context_name: str, scope: Scope) -> Iterator[str]:
    """The tables that the function requests from its context."""
    inside = {id(node.value) for node in ast.walk(function) if isinstance(node, ast.Attribute)}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id == context_name and id(node) not in inside:
            message = (
                f"{scope.model_name} hands its context on, which cannot be followed; write what it does in the function"
            )
            raise scope.error(CompileCode.PythonModelUnsupported, message, node.lineno)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == context_name:
            if node.attr not in _CONTEXT:
                message = f"{scope.model_name} uses {context_name}.{node.attr}, which a dbt Python model has not"
                raise scope.error(CompileCode.PythonModelUnsupported, message, node.lineno)
            if node.attr in ("fetchdf", "fetch_pyspark_df") and not is_spark(scope.dialect):
                message = f"{scope.model_name} runs SQL of {scope.dialect} itself; write it for Databricks"
                raise scope.error(CompileCode.PythonModelUnsupported, message, node.lineno)
        if isinstance(node, ast.Call) and _asks_for_table(node.func, context_name):
            first = node.args[0] if node.args else node.keywords[0].value if node.keywords else None
            if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
                message = f"{scope.model_name} computes a table's name; dbt wants it written out"
                raise scope.error(CompileCode.PythonModelUnsupported, message, node.lineno)
            yield first.value


def _asks_for_table(function: ast.expr, context_name: str) -> bool:
    if not isinstance(function, ast.Attribute) or function.attr not in ("table", "resolve_table"):
        return False
    return last_name(function.value) == context_name


def _placeholder(text: str, context: ProjectContext, scope: Scope, line: int) -> Placeholder:
    name = name_of_text(text, scope.dialect)
    found = context.tables.find(name)
    if found is None:
        context.tables.add_source(name, Place(scope.file, line), is_declared=False)
        scope.note(
            CompileCode.UndeclaredSource, f"{name.text} is no model and is not declared; it became a source", line
        )
        found = context.tables.find(name)
    if found is None:
        raise scope.error(CompileCode.PythonModelUnsupported, f"{text!r} is no table's name", line)
    return found


def _yields_once(function: ast.FunctionDef, scope: Scope) -> bool:
    """Whether the function is a generator, which may only yield as its last statement."""
    found = [node for node in _own_nodes(function) if isinstance(node, ast.Yield | ast.YieldFrom)]
    if not found:
        return False
    last = function.body[-1]
    if len(found) == 1 and isinstance(last, ast.Expr) and last.value is found[0] and isinstance(last.value, ast.Yield):
        return True
    message = f"{scope.model_name} goes on after it has yielded rows; return one frame instead"
    raise scope.error(CompileCode.PythonModelUnsupported, message, found[0].lineno)


def _own_nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes of a function, excluding nested functions."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))


def _call(function: ast.FunctionDef, context_name: str, is_generator: bool) -> str:
    wanted = [argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)]
    given = [f"{context_name}=context"]
    for name in _TIMES:
        if name in wanted or function.args.kwarg is not None:
            given.append(f"{name}={'execution_time' if name == 'latest' else name}")
    call = f"{function.name}({', '.join(given)})"
    return f"next({call})" if is_generator else call


def _kept(text: str, tree: ast.Module, declaration: Declaration) -> str:
    """The file without the source tool's imports, decorators and annotations, and without other models."""
    lines = text.encode().split(b"\n")
    cuts: list[tuple[int, int, int, int]] = []
    for node in tree.body:
        end = (node.end_lineno or node.lineno, node.end_col_offset or 0)
        if _imports_source_tool(node):
            cuts.append((node.lineno, node.col_offset, *end))
        elif isinstance(node, ast.FunctionDef):
            decorators = [item for item in node.decorator_list if is_model_decorator(item)]
            if decorators and node.lineno != declaration.function.lineno:
                cuts.append((min(item.lineno for item in node.decorator_list), 0, *end))
                continue
            for item in decorators:
                cuts.append((item.lineno, 0, item.end_lineno or item.lineno, item.end_col_offset or 0))
            if decorators:
                cuts.extend(_annotations(node))
    for line, column, end_line, end_column in sorted(cuts, reverse=True):
        kept = lines[line - 1][:column] + lines[end_line - 1][end_column:]
        lines[line - 1 : end_line] = [kept] if kept.strip() else []
    return b"\n".join(lines).decode().strip("\n")


def _imports_source_tool(node: ast.stmt) -> bool:
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").split(".")[0] in _SOURCE_TOOLS
    return isinstance(node, ast.Import) and any(item.name.split(".")[0] in _SOURCE_TOOLS for item in node.names)


def _annotations(function: ast.FunctionDef) -> Iterator[tuple[int, int, int, int]]:
    """Annotations of parameters, which refer to classes of the source tool."""
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    for argument in every:
        note = argument.annotation if argument is not None else None
        if argument is not None and note is not None:
            begin = argument.col_offset + len(argument.arg.encode())
            yield argument.lineno, begin, note.end_lineno or note.lineno, note.end_col_offset or 0


def _check_is_python(body: PythonBody, scope: Scope, line: int) -> None:
    """Checks that the generated text is valid Python.

    Raises:
        CompileError: it is not (PythonModelUnsupported).
    """
    try:
        ast.parse(body.text)
    except (SyntaxError, ValueError) as error:
        message = f"{scope.model_name} cannot be taken out of its file: {error}"
        raise scope.error(CompileCode.PythonModelUnsupported, message, line) from error
