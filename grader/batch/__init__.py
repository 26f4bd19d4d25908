"""Grades a whole course. pipeline.py has the steps, scheduler.py decides which gradings are left, workforce/ runs them.

In: an intake of submissions, the assignments. Out: stored results, and all files that are published from them. A
station (station.py) does one job: it grades a file for an assignment, on this machine or on another. Imports lms,
reports and grading.
"""
