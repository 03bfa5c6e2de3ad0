"""What machine code reaches of a run: its cells, stack, streams and registers, as LLVM IR."""
