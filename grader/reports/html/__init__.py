"""TODO grader.reports.html."""
