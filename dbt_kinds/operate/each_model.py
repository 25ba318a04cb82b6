"""Asks about several models: if one is refused, that is reported, and the others are still processed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from dbt_kinds.errors import DbtFailedError
from dbt_kinds.operate.dbt import Dbt

_MATERIALIZATION = "macro.dbt_kinds.materialization_"
# what a macro of ours raises, and what dbt itself raises about a model that does not compile
_REFUSALS = (
    re.compile(r"(?<!`)dbt_kinds: model (?P<name>[^\s:]+): (?P<words>.*)"),
    re.compile(r"Error in model (?P<name>\S+) \(.*\)\s*\n\s*(?P<words>.*)"),
)
# the alias of a query that an option of a model contains
_OPTION_OF_MODEL = re.compile(r"`dbt_kinds: model (?P<name>[^\s:]+): (?P<option>\w+)`")
# how Spark begins what it says of a statement; a server that is gone says something else
_ERROR_OF_A_STATEMENT = re.compile(r"\[[A-Z][A-Z0-9_]+(\.[A-Z0-9_]+)*\] ")
_HEADING = re.compile(r"(Encountered an error.*|\w+ Error( in .*)?|An error occurred while calling .*|[\s:]*)")

Answer = TypeVar("Answer")


def selected_models(manifest: Any, select: str | None) -> list[Any]:
    """The models of a kind selected by names separated by spaces. Unknown names are reported by the operation."""
    kinds = {
        macro.name.removeprefix("materialization_").rsplit("_", 1)[0]
        for unique_id, macro in manifest.macros.items()
        if unique_id.startswith(_MATERIALIZATION)
    }
    names = set((select or "").split())
    return [
        node
        for node in manifest.nodes.values()
        if node.resource_type == "model"
        and node.config.materialized in kinds
        and (not names or names & {node.name, f"{node.package_name}.{node.name}"})
    ]


def answer_of_each(ask: Callable[[list[Any]], Answer], nodes: Iterable[Any]) -> tuple[Answer, dict[str, str]]:
    """What `ask` answers about the models that are not refused, and the message about each that is, by unique id.

    Raises:
        DbtFailedError: an error that is about none of the models.
    """
    left, refused = list(nodes), dict[str, str]()
    while True:
        try:
            return ask(left), refused
        except DbtFailedError as error:
            name, words = _refusal(error)
            meant = [node for node in left if node.name == name]
            if not meant:
                raise
            refused |= {node.unique_id: words for node in meant}
            left = [node for node in left if node not in meant]


def ask_each_model(
    dbt: Dbt, operation: str, select: str | None, arguments: Mapping[str, Any], but: Iterable[str] = ()
) -> tuple[dict[str, Any], dict[str, str]]:
    """The operation's answer for the models that it takes, and the message about each that it refuses, by unique id.

    Args:
        but: the unique ids of models that are not asked about.

    Raises:
        KindsError: the package is not installed, dbt failed, or a name is not that of a model.
    """
    selected = selected_models(dbt.manifest, select)
    nodes = [node for node in selected if node.unique_id not in set(but)]

    def ask(left: list[Any]) -> dict[str, Any]:
        if len(left) == len(selected):
            return dbt.operation(operation, {**arguments, **({"select": select} if select else {})})
        if not left:
            return {"operation": operation}
        return dbt.operation(operation, {**arguments, "select": " ".join(f"{n.package_name}.{n.name}" for n in left)})

    return answer_of_each(ask, nodes)


def _refusal(error: DbtFailedError) -> tuple[str, str]:
    """The name of the model that an error is about, and what is wrong with it; empty if it is about none."""
    for pattern in _REFUSALS:
        if found := pattern.search(str(error)):
            return found["name"], found["words"].strip()
    lines = (line.strip() for line in str(error).splitlines())
    cause = next((line for line in lines if not _HEADING.fullmatch(line)), "").removeprefix(": ")
    if asked := _OPTION_OF_MODEL.search(error.statement):
        return asked["name"], f"{asked['option']} cannot be evaluated: {cause}"
    return (error.model, cause) if _ERROR_OF_A_STATEMENT.search(str(error)) else ("", "")
