"""A station of the service: a process that claims gradings in the database and runs them.

__main__.py   the process          loop.py      claim -> grade -> store
heartbeat.py  renews the claim     gradings.py  one grading in the main thread, or several in other threads
grader.py     from a claim to the stored result, which results.py prepares
backends.py   grades a file: the batch's station in this process, or a Dask cluster (cluster.py)
"""
