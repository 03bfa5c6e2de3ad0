"""Planes without edges: their cells in tiles, and in reports."""
