"""What a terminal shows: lines of words, planes and pictures."""
