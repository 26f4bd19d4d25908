"""Files for learning platforms: copies of their own files with grades filled in, and files in their formats.

Pure functions from a batch in brief, or from an outcome, to text or bytes; only the zip of feedback is written here,
page by page, since a course's pages are too many to hold.
"""
