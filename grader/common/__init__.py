"""TODO grader.common."""
