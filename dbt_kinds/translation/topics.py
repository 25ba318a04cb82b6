"""Every module that binds functions to nodes; importing them is what binds them."""

from __future__ import annotations

from dbt_kinds.translation import (  # noqa: F401
    arrays,
    casts,
    comparisons,
    date_arithmetic,
    digests,
    epochs,
    function_rewrites,
    globs,
    jsons,
    list_aggregates,
    made_rows,
    numbers,
    parts_of_times,
    patterns,
    percentiles,
    subscripts,
    texts,
    time_formats,
    truncation,
    typed_operators,
    zones,
)
