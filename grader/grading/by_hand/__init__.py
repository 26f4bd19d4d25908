"""TODO grader.grading.by_hand."""
