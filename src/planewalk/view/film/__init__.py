"""A run as a moving picture."""
