"""OndatraSQL projects: DuckDB SQL files with directives in their comments."""
