"""The outcome of a grading as records: checks, figures, the students' view, and several results joined to one.

In: nothing but records. Out: the data for reports, grade books and the store. Imports course.
"""
