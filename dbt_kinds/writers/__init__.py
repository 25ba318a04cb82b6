"""Writers of dbt projects."""
