"""The operator's commands. They call the macros of the dbt package through dbt, so that interval logic exists once."""
