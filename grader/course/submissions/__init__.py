"""TODO grader.course.submissions."""
