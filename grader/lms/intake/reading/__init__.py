"""Reads folders, archives and checkouts without trusting what they state about sizes, names and depth."""
