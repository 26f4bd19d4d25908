"""Messages between the judge and a worker. The only package of grader that both sides import.

In and out: one JSON object per line (messages.py), with limits on sizes (wire.py). Imports no other package of grader.
"""
