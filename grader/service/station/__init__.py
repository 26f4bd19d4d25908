"""A station of the service: a process that takes gradings from the database and has them made.

__main__.py   the process          loop.py      claim -> grade -> store
heartbeat.py  keeps the claim      gradings.py  one grading in this thread, or several in other threads
grader.py     from a claim to the stored result, which results.py prepares
backends.py   grades a file: the batch's station in this process, or a Dask cluster (cluster.py)
"""
