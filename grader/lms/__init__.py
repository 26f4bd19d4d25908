"""TODO grader.lms."""
