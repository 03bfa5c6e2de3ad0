"""About languages: whose mistake an error is, how other processes find them, their words."""
