"""What a language is: manual pages, colours for editors, signs that are turned."""
