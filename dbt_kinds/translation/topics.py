"""Every module that binds functions to nodes; importing them is what binds them."""

from __future__ import annotations

from dbt_kinds.translation import (  # noqa: F401
    arrays,
    casts,
    comparisons,
    date_arithmetic,
    date_parts,
    digests,
    epochs,
    function_rewrites,
    globs,
    grouping,
    jsons,
    list_aggregates,
    numbers,
    patterns,
    percentiles,
    string_functions,
    subscripts,
    table_functions,
    time_formats,
    truncation,
    typed_operators,
    zones,
)
