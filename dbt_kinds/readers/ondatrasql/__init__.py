"""Projects of OndatraSQL: SQL files of DuckDB with directives in their comments."""
