"""Colours, letters and pixels."""
