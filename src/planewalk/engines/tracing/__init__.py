"""Trace trees: instruction functions performed on values that are not known yet."""
