"""A station of the service: a process that takes gradings from the database, one after the other, and makes them.

__main__.py   the process          loop.py    claim -> grade -> store
heartbeat.py  keeps the claim      grader.py  the batch's own station, whose result results.py makes ready to be stored
"""
