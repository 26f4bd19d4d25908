"""TODO grader.grading."""
