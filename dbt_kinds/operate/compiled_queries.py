"""The compiled queries that a plan needs: operations have none, and compiling takes dbt a second or more."""

from __future__ import annotations

from typing import Any

from dbt_kinds.operate.dbt import Dbt
from dbt_kinds.operate.each_model import answer_of_each, selected_models

WINDOW_OF = "macro.dbt_kinds.window_of"


def compiled_queries(dbt: Dbt, select: str | None, *, full_refresh: bool) -> tuple[dict[str, str], dict[str, str]]:
    """The compiled queries, by unique id, of the selected models whose plan depends on them, and the message about each
    that does not compile; dbt is not called if there are none.

    Raises:
        DbtFailedError: the project cannot be read.
    """
    nodes = [node for node in selected_models(dbt.manifest, select) if depends_on_query(dbt.manifest, node)]
    return answer_of_each(lambda left: dbt.compiled_code(left, full_refresh=full_refresh) if left else {}, nodes)


def depends_on_query(manifest: Any, node: Any) -> bool:
    """Whether a model's plan depends on its query: changes of the query matter, or it reads beyond its own window."""
    on_query_change = node.config.meta.get("on_query_change") or node.config.get("on_query_change") or "forward"
    return on_query_change != "forward" or _calls_window_of(manifest, node, set())


def _calls_window_of(manifest: Any, caller: Any, seen: set[str]) -> bool:
    """Whether a model or macro calls window_of, directly, through a macro, or through an ephemeral model."""
    if "window_of" in getattr(caller, "raw_code", ""):
        return True
    for unique_id in (*caller.depends_on.macros, *getattr(caller.depends_on, "nodes", ())):
        called = manifest.macros.get(unique_id) or manifest.nodes.get(unique_id)
        if unique_id in seen or called is None:
            continue
        seen.add(unique_id)
        is_part = called.resource_type == "macro" or called.config.materialized == "ephemeral"
        if unique_id == WINDOW_OF or (is_part and _calls_window_of(manifest, called, seen)):
            return True
    return False
