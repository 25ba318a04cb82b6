"""Queries of any dialect written so that they mean the same in Spark, or refused."""
