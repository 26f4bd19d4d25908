"""TODO grader.lms.intake.reading."""
