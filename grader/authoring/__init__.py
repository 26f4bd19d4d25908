"""TODO grader.authoring."""
