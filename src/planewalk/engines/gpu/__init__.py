"""One program for every pixel on a graphics processor, in 32-bit arithmetic: quick, not exact."""
