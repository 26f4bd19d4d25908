"""Publication of results: results that are held back, and the release of hidden checks."""
