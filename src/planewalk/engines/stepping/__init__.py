"""One tick at a time, exactly: the reference engine, what watches it, and what a run may cost."""
