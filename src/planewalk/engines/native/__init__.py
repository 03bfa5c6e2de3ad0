"""The second tier: recorded code as machine code, linked, and kept for later runs."""
