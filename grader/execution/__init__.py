"""The judge's end of a worker: start it in a sandbox, send it a job, read its replies without believing them.

In: a plan (buffers, launches). Out: an outcome, a value for every way in which it can end. client.py is the way in.
Imports protocol and course; knows nothing of points and verdicts.
"""
