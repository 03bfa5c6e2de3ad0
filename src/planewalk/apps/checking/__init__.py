"""Checking a language: what must hold for every program, whatever the language."""
