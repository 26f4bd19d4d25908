"""The truth about results: secret inputs, the oracle's answer to them, and the comparison of an array with it.

oracle.py files of instructors import from `grader.oracle` and `grader.mistakes`, so these modules keep their names.
"""
