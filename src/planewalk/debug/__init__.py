"""Time travel: runs that can be walked in both directions, stopped, asked and edited."""
