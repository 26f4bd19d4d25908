"""Stores progress and results, computes points again, and removes old files."""
