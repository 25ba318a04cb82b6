"""Vulcan's YAML: semantic models, metrics and data-quality checks, in both of its spellings."""
