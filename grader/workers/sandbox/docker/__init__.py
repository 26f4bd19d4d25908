"""TODO docker."""
