"""The words that instructions call, while they are traced: a part for each kind."""
