"""Machine code of a program: its units made, kept, run and judged."""
