"""TODO grader.cli."""
