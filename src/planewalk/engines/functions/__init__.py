"""Plain Python functions that are machine code as well: one compiler, one subset of Python."""
