"""Runs in words: who walks where, what each tick did, and how it ended."""
