"""Reads folders, archives and checkouts without trusting their statements about sizes, names and depth."""
