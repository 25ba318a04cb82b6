"""`dbt-kinds compile`: a project is read, written and reported on."""
