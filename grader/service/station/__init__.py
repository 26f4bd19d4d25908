"""A station of the service: a process that takes gradings from the database, one after the other, and makes them.

__main__.py  the process          work.py   claim -> grade -> store
heart.py     keeps the claim      judging.py  the batch's own station, its result made ready to be stored
"""
