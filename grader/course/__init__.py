"""TODO grader.course."""
