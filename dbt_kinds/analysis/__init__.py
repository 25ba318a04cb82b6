"""What a query may be trusted to do on a slice of time, decided on its parsed tree."""
