"""The ticks at which a condition is true."""
