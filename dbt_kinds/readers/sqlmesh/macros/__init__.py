"""SQLMesh's macros, expanded before a query is parsed, as in SQLMesh."""
