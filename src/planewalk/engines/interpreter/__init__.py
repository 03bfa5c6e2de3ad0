"""One interpreter in machine code for each language, made from its table."""
