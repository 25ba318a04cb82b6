"""SQLMesh projects, and Vulcan's, whose SQL files are SQLMesh's."""
