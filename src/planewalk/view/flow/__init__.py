"""Control-flow graphs of runs."""
