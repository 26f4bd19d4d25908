"""The outcome of a grading as records: checks, figures, what is hidden, and several results joined to one.

In: nothing but records. Out: what reports, grade books and the store are made from. Imports course.
"""
