"""A station of the service: a process that takes gradings from the database and has them made.

__main__.py   the process          loop.py      claim -> grade -> store
heartbeat.py  keeps the claim      gradings.py  one under way in this thread, or several in threads of their own
grader.py     from a claim to what is stored, which results.py makes ready
backends.py   who grades a file: the batch's own station in this process, or a Dask cluster (cluster.py)
"""
