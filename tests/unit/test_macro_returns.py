"""A macro that answers with a value does so at every end: without a `return`, jinja2 gives its text, which is no none and is never false."""

from __future__ import annotations

import jinja2
from jinja2 import nodes

from dbt_kinds.simulation.macros import MACROS, plain_macros

ENVIRONMENT = jinja2.Environment(extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"])
# these return in their last loop, which comes to an answer before it ends
ANSWERS_IN_A_LOOP = {"_last_day", "claim", "try_claim"}


def test_macros_that_return_a_value_return_one_at_every_end() -> None:
    macros = {
        macro.name: macro
        for file in sorted(MACROS.rglob("*.sql"))
        for macro in ENVIRONMENT.parse(plain_macros(file.read_text())).find_all(nodes.Macro)
    }
    raising = {name for name, macro in macros.items() if ends(macro.body, set()) and not answers(macro)}
    open_ended = {name for name, macro in macros.items() if answers(macro) and not ends(macro.body, raising)}
    assert open_ended == ANSWERS_IN_A_LOOP


def answers(macro: nodes.Macro) -> bool:
    """Whether a macro returns a value somewhere that is not none."""
    values = [call.args[0] for call in macro.find_all(nodes.Call) if is_call(call, {"return"}) and call.args]
    return any(not (isinstance(value, nodes.Const) and value.value is None) for value in values)


def ends(body: list[nodes.Node], raising: set[str]) -> bool:
    """Whether the last statement returns or raises, on each of its branches."""
    written = [node for node in body if not is_blank(node)]
    match written[-1] if written else None:
        case nodes.ExprStmt(node=call):
            return is_call(call, {"return", "raise_compiler_error"} | raising)
        case nodes.Output(nodes=[*_, call]):
            return is_call(call, {"return"})
        case nodes.If(body=then, elif_=others, else_=otherwise):
            return all(ends(branch, raising) for branch in (then, *(other.body for other in others), otherwise))
    return False


def is_blank(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Output) and all(
        isinstance(part, nodes.TemplateData) and not part.data.strip() for part in node.nodes
    )


def is_call(node: nodes.Node, names: set[str]) -> bool:
    match node:
        case nodes.Call(node=nodes.Name(name=name)) | nodes.Call(node=nodes.Getattr(attr=name)):
            return name in names
    return False
