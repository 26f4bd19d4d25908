"""TODO grader.grading.timing."""
