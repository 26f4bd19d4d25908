"""TODO grader.protocol."""
