"""Climbing from the reference engine to code, and back: what is made when, and what may run."""
