"""For authors of assignments: start an assignment, see its requirements, and prove that it is ready for students.

In: an assignment's two folders and its golden submissions. Out: drafts, schemas, proposals, findings. Imports grading.
"""
