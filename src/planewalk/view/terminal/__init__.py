"""Output for terminals: wrapped text, planes and pictures."""
