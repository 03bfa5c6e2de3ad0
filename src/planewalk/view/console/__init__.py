"""Commands that a person types to a session, for the terminal, editors and the browser."""
