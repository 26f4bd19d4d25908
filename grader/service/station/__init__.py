"""A station of the service: a process that claims gradings in the database and runs them.

__main__.py   the process          loop.py      claim -> grade -> store
heartbeat.py  renews the claim     gradings.py  runs one grading in the main thread, or several in other threads
grader.py     grades a claim       storage/      prepares and stores results
backends.py   grade a file with the batch's station in this process, or on a Dask cluster (cluster.py)
"""
