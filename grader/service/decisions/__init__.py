"""Decisions that change a grade: extensions, overrides, regradings, hand-ins on behalf, and answers to questions."""
