"""A fork server whose workers run a piece of Python instead of the worker's main loop."""

import sys

SERVER = """
import os, signal, sys, time
import grader.worker.__main__ as worker
from grader.forkserver import __main__ as server
worker.main = lambda: exec({code!r}, globals())
server.main()
"""


def serving(code):
    """Return the command that starts the fork server."""
    return (sys.executable, "-I", "-c", SERVER.format(code=code))
