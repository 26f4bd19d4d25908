"""The truth about results: secret inputs, the results that the oracle computes for them, and comparisons with these.

oracle.py files of instructors import from `grader.oracle` and `grader.mistakes`, so these modules keep their names.
"""
