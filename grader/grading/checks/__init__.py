"""TODO grader.grading.checks."""
