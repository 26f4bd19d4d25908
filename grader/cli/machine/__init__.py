"""TODO grader.cli.machine."""
