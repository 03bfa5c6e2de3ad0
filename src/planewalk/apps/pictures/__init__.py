"""Pictures and films of programs that colour pixels: what, where, and the result."""
