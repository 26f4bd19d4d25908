"""A station of the service: a process that claims gradings in the database and runs them.

__main__.py   the process                          loop.py      claim -> grade -> store
grader.py     grades a claim                       storage.py   prepares and stores results
heartbeat.py  renews the claim; signs of life      backends.py  grade in this process, or on a Dask cluster (cluster.py)
"""
