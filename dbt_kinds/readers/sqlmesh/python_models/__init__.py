"""Python models, read from their syntax trees and never imported: queries that they hand over become SQL models."""
