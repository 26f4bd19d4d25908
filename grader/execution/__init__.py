"""The judge's side of a worker: start it in a sandbox, send it a job, and read its replies without trust.

In: a plan (buffers, launches). Out: an outcome, which is a value for success and for every kind of failure. Start with
client.py. Imports protocol and course; knows nothing about points and verdicts.
"""
