"""`dbt-kinds check`: the classifier over the compiled models of a dbt project."""
