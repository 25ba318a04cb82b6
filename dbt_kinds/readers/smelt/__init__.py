"""Reads a smelt project: its models, sources and seeds, and what is wrong with their configuration."""
