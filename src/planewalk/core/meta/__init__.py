"""About languages: whose mistake an error is."""
