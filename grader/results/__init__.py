"""TODO grader.results."""
