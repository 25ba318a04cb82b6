"""First pass over model files: finds models and their names before any query is parsed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from sqlglot import TokenType

from dbt_kinds.codes import CompileCode
from dbt_kinds.diagnostics import Place
from dbt_kinds.errors import CompileError
from dbt_kinds.kinds import SkippedModel
from dbt_kinds.placeholders import left_over
from dbt_kinds.readers.sqlmesh.audits import read_audit
from dbt_kinds.readers.sqlmesh.block import Block, Value, read_block
from dbt_kinds.readers.sqlmesh.context import ModelSource, ProjectContext
from dbt_kinds.readers.sqlmesh.dialects import block_tokens, check_dialect
from dbt_kinds.readers.sqlmesh.line_comments import with_dashes
from dbt_kinds.readers.sqlmesh.macros.expand import expand
from dbt_kinds.readers.sqlmesh.macros.scope import Fragment
from dbt_kinds.readers.sqlmesh.model_kinds import kind_name
from dbt_kinds.readers.sqlmesh.statements import Statement, block_dialect, leading_comment, split_statements
from dbt_kinds.readers.sqlmesh.tables import name_of_text
from dbt_kinds.translation.scan import code_only

_NAME = re.compile(r"\bname\s+([^\s,()]+)", re.IGNORECASE)
_KIND = re.compile(r"\bkind\s+(\w+)", re.IGNORECASE)


def read_sources(text: str, file: str, context: ProjectContext) -> Iterator[ModelSource | SkippedModel]:
    """Reads the models of one file; inline audits are added to the project's.

    An unreadable file counts as one refused model.
    """
    try:
        dialect = _dialect(with_dashes(text), file, context)
        text = with_dashes(text, dialect)
        model, audits = _grouped(split_statements(text, file, dialect), file)
        for audit in audits:
            source = read_audit(audit, dialect)
            context.audits[source.name] = source
        yield from _blueprints(model, file, dialect, context)
    except CompileError as error:
        yield left_out(text, file, error)


def left_out(text: str, file: str, error: CompileError) -> SkippedModel:
    """A refused model, with its name if readable."""
    code = code_only(text)
    begin = re.search(r"\bMODEL\s*\(", code, re.IGNORECASE)
    name = _NAME.search(code, begin.end() if begin else 0)
    kind = _KIND.search(code, begin.end() if begin else 0)
    place = Place(file, code.count("\n", 0, begin.start()) + 1 if begin else 1)
    shown = name[1] if name else PurePosixPath(file).stem
    return SkippedModel(shown, kind[1].upper() if kind else "", place, "refused", [error.diagnostic])


def _dialect(text: str, file: str, context: ProjectContext) -> str:
    own = block_dialect(text)
    dialect = own if own is not None else context.config.dialect
    if dialect is None:
        message = "neither the model nor the config's model_defaults say which dialect this is; add 'dialect <name>'"
        raise CompileError(CompileCode.MissingDialect, message, file, 1)
    return check_dialect(dialect, file, 1)


def _grouped(statements: Sequence[Statement], file: str) -> tuple[list[Statement], list[list[Statement]]]:
    """The statements of the model, and those of each inline audit."""
    model: list[Statement] = []
    audits: list[list[Statement]] = []
    current = model
    for statement in statements:
        if statement.kind == "model":
            if any(earlier.kind == "model" for earlier in model):
                raise CompileError(
                    CompileCode.SqlParseError, "a second MODEL block; write one model a file", file, statement.line
                )
            model.append(statement)
            current = model
        elif statement.kind == "audit":
            audits.append([statement])
            current = audits[-1]
        elif current is not model and len(current) == 2:
            # the model continues after the audit's query
            current = model
            model.append(statement)
        else:
            current.append(statement)
    if not any(statement.kind == "model" for statement in model):
        raise CompileError(CompileCode.SqlParseError, "no MODEL block; every file of models/ begins with one", file, 1)
    return model, audits


def _blueprints(statements: list[Statement], file: str, dialect: str, context: ProjectContext) -> Iterator[ModelSource]:
    head = next(statement for statement in statements if statement.kind == "model")
    raw = read_block(head.text, file, head.first_line, dialect)
    blueprints = raw.properties.get("blueprints")
    if blueprints is None:
        yield _source(statements, head, raw, {}, file, dialect, context)
        return
    for values in _blueprint_values(blueprints, file, dialect, context):
        yield _source(statements, head, raw, values, file, dialect, context)


def _blueprint_values(value: Value, file: str, dialect: str, context: ProjectContext) -> list[dict[str, Fragment]]:
    if "@" in value.text:
        scope = context.scope(file, dialect).nested()
        text = expand(_with_bare_keys(value), scope, value.place.line).text
        value = Value(
            value.name, block_tokens(text, dialect, file, value.place.line), text, file, value.place.line, dialect
        )
    items = value.as_list()
    if items and items[0].tokens[0].text != "(":
        items = [value]
    found: list[dict[str, Fragment]] = []
    for item in items:
        pairs: dict[str, Fragment] = {key.lower(): part.text for key, part in item.as_pairs()}
        found.append(pairs)
    if not found:
        raise value.error(
            CompileCode.BadPropertyValue, "blueprints are empty; write a list such as ((name := a), (name := b))"
        )
    return found


def _with_bare_keys(value: Value) -> str:
    """Blueprints as text, with `@k := a` written as `k := a`: both name a variable."""
    tokens = value.tokens
    signs = {
        at.start - tokens[0].start
        for at, _, sign in zip(tokens, tokens[1:], tokens[2:], strict=False)
        if at.token_type == TokenType.PARAMETER and sign.token_type == TokenType.COLON_EQ
    }
    return "".join(" " if position in signs else letter for position, letter in enumerate(value.text))


def _source(
    statements: list[Statement],
    head: Statement,
    raw: Block,
    blueprint: dict[str, Fragment],
    file: str,
    dialect: str,
    context: ProjectContext,
) -> ModelSource:
    scope = context.scope(file, dialect)
    scope.blueprint = blueprint
    block = raw
    if "@" in code_only(head.text):
        without_blueprints = _without(head.text, raw.properties.get("blueprints"))
        expanded = expand(without_blueprints, scope.nested(), head.first_line)
        block = read_block(expanded.text, file, head.first_line, dialect)
    elif blueprint:
        block = Block(raw.place, dict(raw.properties))
    block.properties.pop("blueprints", None)
    block.take("dialect")
    written = block.take("name")
    if written is not None:
        name = name_of_text(written.text if not written.is_text else written.as_text(), dialect)
    elif context.config.infer_names:
        name = name_of_text(".".join(PurePosixPath(file).with_suffix("").parts[1:]), dialect)
    else:
        raise CompileError(
            CompileCode.MissingName, "the MODEL block has no name; add 'name <schema>.<table>'", file, head.line
        )
    if left_over(name.text) is not None:
        raise CompileError(
            CompileCode.MissingName,
            "the name holds what is known only when dbt runs, such as @end_ds; write <schema>.<table>",
            file,
            head.line,
        )
    if not all(name.parts) or len(name.parts) > 3:
        raise CompileError(
            CompileCode.MissingName, f"'{name.text}' is no table's name; write <schema>.<table>", file, head.line
        )
    scope.model_name = name.text
    kind = block.properties.get("kind")
    return ModelSource(
        file=file,
        block=block,
        statement=head,
        dialect=dialect,
        statements=[statement for statement in statements if statement is not head],
        name=name,
        kind_name=kind_name(kind) if kind is not None else "",
        description=leading_comment(head.text),
        head=head.text,
        scope=scope,
        blueprint=blueprint,
    )


def _without(text: str, value: Value | None) -> str:
    """The block's text without its blueprints, which this model must not expand."""
    if value is None:
        return text
    start, end = value.tokens[0].start, value.tokens[-1].end + 1
    blank = re.sub(r"[^\n]", " ", text[start:end])
    return text[:start] + "0" + blank[1:] + text[end:]
