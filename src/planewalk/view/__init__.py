"""What is seen: pure functions from states and programs to text and plain data."""
