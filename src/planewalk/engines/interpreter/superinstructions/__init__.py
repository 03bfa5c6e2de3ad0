"""Superinstructions: many ticks of a walker as one, found while a program runs."""
