"""Files for learning platforms: copies of their own files with grades filled in, and files in their formats.

All are pure functions from a summary of a batch, or from an outcome, to text or bytes. Only the zip of feedback is
written here, page by page, since a course's pages may not fit in memory.
"""
