"""Requests to other services, at addresses that instructors, platforms or the operator enter, and limits on requests to
this service.

addresses  which addresses may be reached
guard      a session that checks the address of each connection, and ends after a few seconds
client     sends one request, and explains in words why there is no answer
throttle   how many requests run at once, and how many are allowed within a time window
"""
