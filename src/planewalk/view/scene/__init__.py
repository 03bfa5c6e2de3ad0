"""One moment of a run as a picture."""
