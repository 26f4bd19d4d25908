"""Tools for authors of assignments. They start an assignment, show its requirements, and prove that it is ready for
students.

Input: the two folders of an assignment and its golden submissions. Output: drafts, schemas, proposals and findings.
This package imports grading.
"""
