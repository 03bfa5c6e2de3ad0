"""Plain Python functions on numbers and buffers that are machine code as well."""
