"""A kernel's text, as far as an explanation or a search needs it: expressions, what is visible there, what decides."""
