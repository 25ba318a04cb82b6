"""Readers of model files of other tools."""
