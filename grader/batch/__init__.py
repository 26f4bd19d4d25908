"""TODO grader.batch."""
