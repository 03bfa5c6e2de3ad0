"""How long a test waits for what must happen: only what hangs takes so long, on any machine."""

PATIENCE = 300.0
"""Seconds."""
