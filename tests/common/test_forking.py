"""forking.py: whoever asks a process of ours to fork is served, whatever has happened to it before."""

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
"""Each fork says whose it is."""


@pytest.fixture
def process():
    """One that answers."""
    with closing(ForkingProcess((sys.executable, "-I", "-c", ANSWERS), {"LC_ALL": "C.UTF-8"})) as process:
        yield process


def ask(process):
    """The id of the process whose fork answers, and what else the fork says."""
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            process.hand_over(theirs)
        ours.settimeout(30)
        said = ours.recv(1000).decode().split(maxsplit=1)
    return int(said[0]), said[1]


def test_one_process_serves_all(process):
    """It knows what it was given of the environment, and nothing else; and it stands in nobody's folder."""
    process.begin()
    (first, says), (second, _) = ask(process), ask(process)
    assert first == second == process._running[0].pid
    assert says == "/ ['LC_ALL']"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_one_that_was_killed_is_replaced_and_one_that_was_stopped_goes_on(process, number):
    """Code that runs with the judge's rights can do both."""
    before, _ = ask(process)
    os.kill(before, number)
    os.waitid(os.P_PID, before, os.WEXITED | os.WSTOPPED | os.WNOWAIT)
    assert (ask(process)[0] == before) is (number == signal.SIGSTOP)


def test_one_that_is_ending_is_replaced(process):
    """It has closed its socket, with a request in it that it has not read; that it has ended shows a moment later."""
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
    """Such as without memory for it."""
    with closing(ForkingProcess(("/nowhere/python",), {})) as process, pytest.raises(OSError, match="nowhere"):
        ask(process)


def test_closing_ends_it_and_can_be_done_again(process):
    """The next request starts another."""
    before, _ = ask(process)
    process.close()
    process.close()
    assert ask(process)[0] != before
