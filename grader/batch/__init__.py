"""A whole course graded: pipeline.py tells the story, scheduler.py decides what remains to be done, workforce/ does it.

In: an intake of submissions, the assignments. Out: stored results, and everything published from them. A station
(station.py) grades one errand, here or on another machine. Imports lms, reports and grading.
"""
