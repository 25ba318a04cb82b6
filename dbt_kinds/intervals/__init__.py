"""Crons, units and durations of models, read as the package's macros read them; a test proves it."""
