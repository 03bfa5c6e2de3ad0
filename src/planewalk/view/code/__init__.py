"""What engines make of a program, and how fast they are."""
