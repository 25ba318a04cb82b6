"""`dbt-kinds push`: hands what runs put into the outbox to functions of the project, at least once."""
