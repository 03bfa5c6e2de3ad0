"""Machine code on sparse planes, through a flat pane of cells around the hand."""
