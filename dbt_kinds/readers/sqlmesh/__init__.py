"""Reads SQLMesh projects, and Vulcan's, whose SQL files have SQLMesh's format."""
