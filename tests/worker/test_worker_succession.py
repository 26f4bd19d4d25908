"""succession.py: which process of a worker answers which request."""

import json
import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from grader.protocol.messages import LaunchRequest, ListDevices, Open, Preprocess
from grader.worker import fork
from grader.worker.succession import Succession

OPEN = Open(programs={})
USED = Open(programs={}, process="used")
EXPAND = Preprocess(source="", definitions={})
EXPAND_THERE = Preprocess(source="", definitions={}, process="used")
RUN = LaunchRequest(sequence="run")


def tell(channel):
    """Answer each request with the process id and the number of open descriptors. `die` ends the process."""
    while request := channel.receive():
        if request == b"die\n":
            os._exit(1)
        channel.send(json.dumps([os.getpid(), len(list(Path("/proc/self/fd").iterdir()))]))


@pytest.fixture
def ask():
    """Return a function that sends a request to the process that `process_for` chooses, and returns the answer."""
    with ExitStack() as closing:
        judge, other_end = os.pipe()
        requests = closing.enter_context(os.fdopen(judge, "rb"))
        closing.enter_context(os.fdopen(other_end, "wb"))
        succession = Succession(serve=tell, inherited=())
        closing.callback(succession.end)

        def asked(request, line=b"{}\n"):
            fork = succession.process_for(request)
            fork.is_spent |= isinstance(request, LaunchRequest)
            *_, reply = fork.ask(line, requests)
            return json.loads(reply)

        yield asked


@pytest.mark.parametrize(("new", "used"), [(OPEN, USED), (EXPAND, EXPAND_THERE)], ids=["a session", "a text"])
def test_a_new_process_comes_after_a_kernel(ask, new, used):
    """A request that follows a kernel gets a new process, unless it may use the old one. Until a kernel has run, all
    requests share one process.
    """
    first = ask(ListDevices())
    assert ask(OPEN) == ask(RUN) == first
    assert ask(used) == first
    second = ask(new)
    assert second != first
    assert ask(OPEN) == second


def test_it_holds_nothing_of_the_one_before(ask):
    """A new process does not inherit any descriptors of the previous process. Otherwise, a process that ran a kernel
    could receive messages from a process other than the worker.
    """
    _, first = ask(ListDevices())
    ask(RUN)
    _, second = ask(OPEN)
    assert second == first


def test_nobody_goes_on_in_a_process_that_has_ended(ask):
    """A process that has ended does not get further requests, no matter if its end has already been reported."""
    first = ask(OPEN)
    assert ask(RUN, b"die\n")["kind"] == "died"
    second = ask(USED)
    assert second[0] != first[0]
    os.kill(second[0], 9)
    os.waitid(os.P_PID, second[0], os.WEXITED | os.WNOWAIT)
    assert ask(USED)[0] not in {first[0], second[0]}


def test_one_that_goes_on_did_not_die_of_what_killed_another_before(ask, monkeypatch):
    """A crash in a reused process is not attributed to memory if another process was killed for memory earlier. A
    container counts the kills of all its processes together.
    """
    killed = []
    monkeypatch.setattr(fork, "kills_for_memory", lambda: len(killed))
    ask(OPEN)
    killed.append("another")
    assert ask(RUN, b"die\n")["out_of_memory"]
    ask(OPEN)
    killed.append("another")
    ask(USED)
    assert not ask(RUN, b"die\n")["out_of_memory"]
