"""Mutant schemas, programs that contain many edits of a text and run the one that a key selects."""
