"""The command of a fork server whose workers execute given Python code instead of the worker's main loop."""

import sys

SERVER = """
import os, signal, sys, time
import grader.worker.__main__ as worker
from grader.forkserver import __main__ as server
worker.main = lambda: exec({code!r}, globals())
server.main()
"""


def serving(code):
    """Return the command that starts the fork server with this code."""
    return (sys.executable, "-I", "-c", SERVER.format(code=code))
