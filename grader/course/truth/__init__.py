"""TODO grader.course.truth."""
