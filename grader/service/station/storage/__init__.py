"""Storage of progress and results, points that are computed again, and the removal of old files."""
