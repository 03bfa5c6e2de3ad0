"""Conditions and values: what a run is stopped at, and what is shown of it."""
