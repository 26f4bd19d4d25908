"""Grades a whole course. pipeline.py defines the steps, scheduler.py decides which gradings are left, and workforce/
runs them.

Input: an intake of submissions, and the assignments. Output: stored results, and all files that are published from
them. A station (station.py) does one job: it grades a file for an assignment, on this machine or on another. This
package imports lms, reports and grading.
"""
