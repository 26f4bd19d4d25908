"""TODO grader.workers."""
