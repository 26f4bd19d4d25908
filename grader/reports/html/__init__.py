"""Pages: the student's report (page.py) and the instructor's overview. Their templates escape all text."""
