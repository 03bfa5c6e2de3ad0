"""Questions about the past of a run."""
