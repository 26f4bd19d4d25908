"""Reads the text of a kernel for explanations and searches: expressions, visible variables, deciding conditions."""
