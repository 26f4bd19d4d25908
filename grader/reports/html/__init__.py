"""Pages: the student's report (page.py) and the instructor's overview, from templates that escape every text."""
