"""Pictures: PNG by our own reader and writer, other kinds through Pillow."""
