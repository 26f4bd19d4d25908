"""The outcome of a grading as records: checks, figures, hidden checks, and several results joined into one.

In: nothing but records. Out: the data for reports, grade books and the store. Imports course.
"""
