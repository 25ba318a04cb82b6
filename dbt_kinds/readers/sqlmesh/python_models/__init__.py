"""Python models, read from their syntax trees and never imported; those that return queries become SQL models."""
