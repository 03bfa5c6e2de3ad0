"""What all engines stand on: memory, addresses, how planes keep cells, jobs, thresholds."""
