"""TODO grader.grading.explain."""
