"""For instructors who write assignments: start one, see what it asks for, and prove that it is ready to be handed out.

In: an assignment's two folders and its golden submissions. Out: drafts, schemas, proposals, findings. Imports grading.
"""
