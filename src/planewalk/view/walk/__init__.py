"""Runs in words: walkers and their places, what each tick did, and how a run ended."""
