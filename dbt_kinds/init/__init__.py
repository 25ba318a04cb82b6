"""`dbt-kinds init`: what an existing dbt project needs to use the package."""
