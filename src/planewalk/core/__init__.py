"""What a program on a plane is. Imports nothing but the standard library."""
