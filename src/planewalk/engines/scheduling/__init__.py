"""Which tier runs: the scheduler behind `auto`."""
