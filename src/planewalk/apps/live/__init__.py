"""A window that shows a program which colours pixels, while it is being written."""
