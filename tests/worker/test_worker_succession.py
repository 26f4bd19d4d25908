"""succession.py: which process answers, and which one waits."""

import ctypes
import json
import os
from contextlib import ExitStack
from pathlib import Path

import pytest
from doublings import KERNELS
from limits import LIMITS

from grader.protocol.messages import Foresee, Job, LaunchRequest, ListDevices, Open
from grader.protocol.steps import ProgramSource
from grader.worker import fork, session
from grader.worker.succession import Succession

PR_GET_DUMPABLE = 3
"""linux/prctl.h"""

OPEN = Open(programs={})
USED = Open(programs={}, process="used")


def tell(channel):
    """Answer every request with the number of the process, and how many descriptors it has."""
    while channel.receive():
        channel.send(json.dumps([os.getpid(), len(list(Path("/proc/self/fd").iterdir()))]))


@pytest.fixture
def ask():
    """Ask what `process_for` names; its answer."""
    with ExitStack() as closing:
        judge, other_end = os.pipe()
        requests = closing.enter_context(os.fdopen(judge, "rb"))
        closing.enter_context(os.fdopen(other_end, "wb"))
        succession = Succession(serve=tell, foresee=lambda _, channel: channel.wait(), inherited=())
        closing.callback(succession.end)

        def asked(request):
            if isinstance(request, Foresee):
                return succession.foresee(request)
            fork = succession.process_for(request)
            fork.is_spent |= isinstance(request, LaunchRequest)
            return tuple(json.loads(fork.ask(b"{}\n", requests)))

        yield asked


RUN = LaunchRequest(sequence="run")
FORESEE = Foresee(programs={})


def test_a_new_process_comes_after_a_kernel(ask):
    """Until then, requests go to the same; one that may be used goes on."""
    first = ask(ListDevices())
    assert ask(OPEN) == ask(RUN) == first
    assert ask(USED) == first
    second = ask(OPEN)
    assert second != first
    assert ask(OPEN) == second


def test_the_one_that_was_foreseen_comes_next(ask):
    """And only where a new one is asked for. To foresee it twice makes no third."""
    first = ask(ListDevices())
    ask(FORESEE)
    ask(FORESEE)
    assert ask(OPEN) == ask(RUN) == first
    second = ask(OPEN)
    assert second[0] != first[0]
    assert ask(RUN) == second
    assert ask(OPEN)[0] not in {first[0], second[0]}


def test_it_holds_nothing_of_the_one_before(ask):
    """Else a kernel's process could be spoken to by another than the worker: both have as many descriptors."""
    _, first = ask(ListDevices())
    ask(FORESEE)
    ask(RUN)
    _, second = ask(OPEN)
    assert second == first


def test_one_that_was_foreseen_did_not_die_of_what_killed_the_one_before(monkeypatch):
    """A container counts what was killed for memory, and the next session may crash of itself."""
    killed = []
    monkeypatch.setattr(fork, "kills_for_memory", lambda: len(killed))

    def die(channel):
        channel.receive()
        os._exit(1)

    judge, other_end = os.pipe()
    succession = Succession(serve=die, foresee=lambda _, channel: channel.wait(), inherited=())
    with os.fdopen(judge, "rb") as requests, os.fdopen(other_end, "wb"):
        first = succession.process_for(OPEN)
        succession.foresee(FORESEE)
        killed.append(first)
        assert json.loads(first.ask(b"{}\n", requests))["out_of_memory"]
        assert not json.loads(succession.process_for(OPEN).ask(b"{}\n", requests))["out_of_memory"]
    succession.end()


def test_one_that_waits_is_closed_to_debuggers():
    """The submission runs in another process of the same user; a driver that reads /proc finds it open again."""
    libc, seen = ctypes.CDLL(None), []

    class Channel:
        def wait(self):
            seen.append(libc.prctl(PR_GET_DUMPABLE, 0, 0, 0, 0))

    out, into = os.pipe()
    if os.fork() == 0:
        request = Foresee(programs={"p": ProgramSource(source=KERNELS)})
        session.foresee(Job(limits=LIMITS), request, Channel())
        seen.append(libc.prctl(PR_GET_DUMPABLE, 0, 0, 0, 0))
        os.write(into, json.dumps(seen).encode())
        os._exit(0)
    os.close(into)
    with os.fdopen(out) as said:
        assert json.loads(said.read()) == [0, 1]
    os.wait()
