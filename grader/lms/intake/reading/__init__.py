"""Reading folders, archives and checkouts without believing what they say about themselves: sizes, names, depth."""
