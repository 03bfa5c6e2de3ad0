"""The ways that a program takes, as a graph."""
