"""The judge's side of a worker: start it in a sandbox, send it a job, and read its replies without trust.

In: a plan (buffers, launches). Out: an outcome, which is a value for success and for every kind of failure. Start with
client.py. Imports protocol and course; knows nothing about points and verdicts.

pool.py         the workers of gradings           connection.py   requests and replies of one process
client.py       a worker and its states           prefetch.py     requests that are sent early
session.py      an open plan                      sandbox/        processes with limits
"""
