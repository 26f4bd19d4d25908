"""The judge's side of a worker: it starts the worker in a sandbox, sends it a job, and reads its replies without
trusting them.

Input: a plan (buffers, launches). Output: an outcome, which is a value for success and for every kind of failure. Start
reading with client.py. This package imports protocol and course, and does not know about points and verdicts.

pool.py         the workers of gradings           connection.py   requests and replies of one process
client.py       a worker and its states           prefetch.py     requests that are sent early
session.py      an open plan                      sandbox/        processes with limits
"""
