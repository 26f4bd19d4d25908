"""Decisions of instructors that affect grades: extensions, overrides, regradings, hand-ins on behalf of students, and
answers to questions.
"""
