"""The branches of a run, and how any tick of one is reached again."""
