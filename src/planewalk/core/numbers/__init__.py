"""Numbers: exact arithmetic, floats with the same bits everywhere, chance."""
