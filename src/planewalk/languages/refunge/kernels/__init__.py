"""Kernels that move many cursors."""
