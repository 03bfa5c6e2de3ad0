"""One closed folder per language, and the registry that finds them."""
