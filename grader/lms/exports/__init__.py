"""Files for learning platforms: copies of their own files with grades filled in, and files in their formats.

All functions are pure and turn a summary of a batch, or an outcome, into text or bytes. Only the zip with feedback is
written to disk here, page by page, since the pages of a course may not fit in memory.
"""
