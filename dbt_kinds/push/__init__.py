"""`dbt-kinds push`: passes the changes in the outbox to functions of the project, at least once."""
