"""Translates queries of any dialect to Spark with the same meaning, or refuses them."""
