"""Comparisons that print seconds and ratios; no test asserts on them."""
