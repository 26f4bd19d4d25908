"""The outcome of a grading as records: checks, figures, hidden checks, and several results joined into one.

Input: only records. Output: the data for reports, gradebooks and the store. This package imports course.
"""
