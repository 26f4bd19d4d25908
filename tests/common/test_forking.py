"""forking.py: a process that forks on request. It serves every request, even after it was killed or stopped."""

import os
import signal
import socket
import sys
from contextlib import closing
from types import SimpleNamespace

import pytest

from grader.common.forking import ForkingProcess

ANSWERS = """
import os, socket, sys
judge = socket.socket(fileno=int(sys.argv[1]))
while descriptors := socket.recv_fds(judge, 1, 1)[1]:
    with socket.socket(fileno=descriptors[0]) as asked:
        if os.fork() == 0:
            asked.sendall(f"{os.getppid()} {os.getcwd()} {sorted(os.environ)}".encode())
            os._exit(0)
"""
"""A program whose forks answer with their parent's id, their working directory and their environment
variables' names.
"""


@pytest.fixture
def process():
    """A process that answers requests with ANSWERS."""
    with closing(ForkingProcess((sys.executable, "-I", "-c", ANSWERS), {"LC_ALL": "C.UTF-8"})) as process:
        yield process


def ask(process):
    """Return the id of the process that forked, and the rest of the fork's answer."""
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            process.hand_over(theirs)
        ours.settimeout(30)
        said = ours.recv(1000).decode().split(maxsplit=1)
    return int(said[0]), said[1]


def test_one_process_serves_all(process):
    """One process serves all requests.

    It gets only the given environment variables, and its working directory is / rather than a folder of the user.
    """
    process.begin()
    (first, says), (second, _) = ask(process), ask(process)
    assert first == second == process._running[0].pid
    assert says == "/ ['LC_ALL']"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_one_that_was_killed_is_replaced_and_one_that_was_stopped_goes_on(process, number):
    """A process that was killed is replaced, and one that was stopped is continued.

    Submitted code that runs with the judge's rights could do either.
    """
    before, _ = ask(process)
    os.kill(before, number)
    os.waitid(os.P_PID, before, os.WEXITED | os.WSTOPPED | os.WNOWAIT)
    assert (ask(process)[0] == before) is (number == signal.SIGSTOP)


def test_one_that_is_ending_is_replaced(process):
    """A process that is about to end is replaced.

    It has closed its socket with an unread request, but its end is not visible yet.
    """
    ask(process)
    real, ours = process._running
    real.kill()
    real.wait()
    ours.close()
    ending, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
    ending.send(b"\n")
    theirs.close()
    ends_soon = SimpleNamespace(poll=lambda: None, send_signal=lambda _: None, kill=lambda: None, wait=lambda: None)
    process._running = ends_soon, ending
    assert ask(process)[0] != real.pid


def test_one_that_does_not_start_is_told():
    """A process that cannot start, for example for lack of memory, raises OSError."""
    with closing(ForkingProcess(("/nowhere/python",), {})) as process, pytest.raises(OSError, match="nowhere"):
        ask(process)


def test_closing_ends_it_and_can_be_done_again(process):
    """Closing ends the process and can be repeated. The next request starts another process."""
    before, _ = ask(process)
    process.close()
    process.close()
    assert ask(process)[0] != before
