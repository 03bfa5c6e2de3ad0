"""Checks of a language: the laws that hold for every program in any language."""
