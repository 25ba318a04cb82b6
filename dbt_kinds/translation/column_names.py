"""Names for unnamed outputs: engines differ, and tables do not accept Spark's `avg(x)`."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from dbt_kinds.translation.remarks import Remark


def name_columns(tree: exp.Expr, dialect: str) -> Iterator[Remark]:
    """Names the unnamed outputs of a query as SQLMesh does, with a remark on each."""
    root = tree
    while isinstance(root, exp.Subquery | exp.SetOperation):
        root = root.this
    for position, item in enumerate(list(root.expressions) if isinstance(root, exp.Select) else []):
        if not item.output_name and not item.is_star:
            name = f"_col_{position}"
            written = item.sql(dialect, comments=False)
            message = f"a column without a name is called {name}; write {written} as <name>"
            yield Remark("unnamed", message, item)
            item.replace(exp.alias_(item.copy(), name))
