"""What the judge and a worker say to each other, and nothing else. The only room that both sides import.

In and out: one JSON object a line (messages.py), whose sizes are limited (wire.py). Imports no other room.
"""
