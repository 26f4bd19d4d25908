"""TODO grader.lms.intake.platforms."""
