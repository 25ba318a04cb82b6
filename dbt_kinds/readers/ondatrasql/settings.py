"""`config/**/*.sql`: macros, which are expanded where they are called, and variables. Other statements are ignored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlglot import Token, TokenType, exp

from dbt_kinds.codes import OndatraCode
from dbt_kinds.diagnostics import Diagnostic, Place
from dbt_kinds.readers.brackets import closing, split_at_commas
from dbt_kinds.readers.ondatrasql.statements import Statement, place_of, split_statements
from dbt_kinds.translation.dialects import ParseFailure, parse_expression, parse_statement
from dbt_kinds.translation.not_in_spark import NotInSpark

# maximum depth of macros that call each other
_DEPTH = 20
# prefixes of checks, which are converted to tests here
_CHECK_PREFIXES = ("ondatra_constraint_", "ondatra_audit_", "ondatra_warning_")


@dataclass(frozen=True)
class Macro:
    """A macro: parameters with their defaults, and an expression or, for a table macro, a query."""

    name: str
    parameters: tuple[str, ...]
    defaults: Mapping[str, exp.Expr]
    body: exp.Expr
    is_table: bool


@dataclass
class Settings:
    """Macros by lower-case name, and variables with literal values."""

    macros: dict[str, Macro] = field(default_factory=dict)
    variables: dict[str, Any] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)


def read_settings(files: Mapping[str, str]) -> Settings:
    """Reads the files of `config/`, in path order."""
    settings = Settings()
    for path, text in sorted(files.items()):
        try:
            statements = split_statements(text)
        except ParseFailure as failure:
            line, column = place_of(text, failure.offset)
            settings.findings.append(
                Diagnostic(OndatraCode.UnsupportedSql, "warning", Place(path, line, column), failure.message)
            )
            continue
        for statement in statements:
            line, column = place_of(text, statement.start)
            said = _read(statement, settings)
            if said is not None:
                settings.findings.append(Diagnostic(OndatraCode.NotCarried, "info", Place(path, line, column), said))
    return settings


def _read(statement: Statement, settings: Settings) -> str | None:
    """Adds a statement; returns why it could not be added."""
    words = [token.text.upper() for token in statement.tokens[:6]]
    shown = " ".join(token.text for token in statement.tokens[:3])
    if words[:1] == ["CREATE"] and {"MACRO", "FUNCTION"} & set(words):
        macro = _macro(statement)
        if isinstance(macro, str):
            return macro
        settings.macros[macro.name] = macro
        return None
    if words[:2] == ["SET", "VARIABLE"]:
        return _read_variable(statement, settings)
    return f"'{shown} …' is not carried over: profiles.yml and the warehouse decide it"


def _read_variable(statement: Statement, settings: Settings) -> str | None:
    tree = parse_statement(statement.text, "duckdb")
    item = tree.expressions[0].this if isinstance(tree, exp.Set) and tree.expressions else None
    if not isinstance(item, exp.EQ):
        return "a variable that is set in another way is not carried over"
    name, value = item.this.name, item.expression.unnest()
    is_negative = isinstance(value, exp.Neg)
    literal = value.this if is_negative else value
    if isinstance(literal, exp.Boolean):
        settings.variables[name.lower()] = bool(literal.this)
    elif isinstance(literal, exp.Literal) and literal.is_string:
        settings.variables[name.lower()] = literal.name
    elif isinstance(literal, exp.Literal):
        number: int | float = int(literal.name) if literal.is_int else float(literal.name)
        settings.variables[name.lower()] = -number if is_negative else number
    else:
        return f"the variable {name} is computed and is not carried over; write its value, or a var of dbt"
    return None


def _macro(statement: Statement) -> Macro | str:
    """`CREATE … MACRO name(parameters) AS [TABLE] body`; returns a string saying why it cannot be expanded."""
    tokens = statement.tokens
    begin = next(at for at, token in enumerate(tokens) if token.text.upper() in ("MACRO", "FUNCTION")) + 1
    if [token.text.upper() for token in tokens[begin : begin + 3]] == ["IF", "NOT", "EXISTS"]:
        begin += 3
    opening = next((at for at in range(begin, len(tokens)) if tokens[at].token_type is TokenType.L_PAREN), None)
    end = closing(tokens, opening) if opening is not None else None
    if opening is None or end is None or end + 2 >= len(tokens) or tokens[end + 1].text.upper() != "AS":
        return "this macro cannot be read; write create macro name(a, b) as expression"
    name = tokens[opening - 1].text.lower()
    if name.startswith(_CHECK_PREFIXES):
        return f"{name} is a check of the project's own; write a generic test of that name below tests/"
    is_table = tokens[end + 2].text.upper() == "TABLE"
    first = tokens[end + (3 if is_table else 2)].start
    body = statement.text[first - statement.start :]
    if any(token.text.upper() in ("MACRO",) for token in tokens[end + 1 :]):
        return f"{name} has several bodies; write one macro for each"
    try:
        parameters, defaults = _parameters(statement, tokens[opening + 1 : end])
        tree = parse_statement(body, "duckdb") if is_table else parse_expression(body, "duckdb")
    except ParseFailure as failure:
        return f"the macro {name} cannot be read: {failure.message}"
    for node in tree.walk():
        # these positions are of another file
        node.meta.pop("start", None)
    return Macro(name, parameters, defaults, tree, is_table)


def _parameters(statement: Statement, tokens: tuple[Token, ...]) -> tuple[tuple[str, ...], dict[str, exp.Expr]]:
    names, defaults = [], {}
    for part in split_at_commas(tokens):
        if part:
            names.append(part[0].text.lower())
            if len(part) > 2:
                written = statement.text[part[2].start - statement.start : part[-1].end + 1 - statement.start]
                defaults[names[-1]] = parse_expression(written, "duckdb")
    return tuple(names), defaults


def write_macros_out(tree: exp.Expr, macros: Mapping[str, Macro], depth: int = 0) -> exp.Expr:
    """The tree with macro calls replaced by the macros' bodies.

    Raises:
        NotInSpark: a call does not fit its macro, or macros call each other endlessly.
    """
    for call in list(tree.find_all(exp.Anonymous)):
        macro = macros.get(call.name.lower())
        if macro is None:
            continue
        if depth > _DEPTH:
            raise NotInSpark(f"the macro {macro.name} calls itself; write it without", call)
        body = write_macros_out(_filled(macro, call), macros, depth + 1)
        holder = call.parent if isinstance(call.parent, exp.Table) and call.arg_key == "this" else None
        if macro.is_table != (holder is not None):
            raise NotInSpark(f"the macro {macro.name} is a table's or a value's, and is called as the other", call)
        if holder is not None:
            alias = holder.args.get("alias") or exp.TableAlias(this=exp.to_identifier(macro.name))
            table = exp.Subquery(this=body, alias=alias, joins=holder.args.get("joins"))
            holder.replace(table)
            continue
        made = _operand(body)
        if call is tree:
            return made
        parent = call.parent
        if isinstance(parent, exp.Select) and call.arg_key == "expressions":
            # the column is named after the macro
            made = exp.alias_(made, macro.name)
        call.replace(made)
    return tree


def _filled(macro: Macro, call: exp.Anonymous) -> exp.Expr:
    values = dict(macro.defaults)
    for position, argument in enumerate(call.expressions):
        if isinstance(argument, exp.PropertyEQ | exp.Kwarg):
            values[argument.this.name.lower()] = argument.expression
        elif position < len(macro.parameters):
            values[macro.parameters[position]] = argument
        else:
            raise NotInSpark(f"the macro {macro.name} takes {len(macro.parameters)} arguments", call)
    missing = [name for name in macro.parameters if name not in values]
    if missing or set(values) - set(macro.parameters):
        wanted = f"{macro.name}({', '.join(macro.parameters)})"
        raise NotInSpark(f"a call of the macro {macro.name} does not fit; it is {wanted}", call)
    body = macro.body.copy()
    if isinstance(body, exp.Column) and not body.table and body.name.lower() in values:
        return values[body.name.lower()].copy()
    for column in list(body.find_all(exp.Column)):
        if not column.table and column.name.lower() in values:
            column.replace(_operand(values[column.name.lower()].copy()))
    return body


def _operand(value: exp.Expr) -> exp.Expr:
    """The value in parentheses, unless it means the same next to any operator without them."""
    # to sqlglot, AND, OR and some other operators are functions, too
    is_call = isinstance(value, exp.Func) and not isinstance(value, exp.Binary)
    return value if is_call or isinstance(value, exp.Literal | exp.Column | exp.Paren) else exp.paren(value)
