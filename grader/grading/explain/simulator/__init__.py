"""TODO grader.grading.explain.simulator."""
