"""replies.py: a worker's bytes become replies, or outcomes that explain why there is no reply."""

import pytest
from cost_growth import assert_linear

from grader.execution.outcome import Garbled, OutOfMemory, TimedOut
from grader.execution.replies import Replies
from grader.protocol.messages import REPLY_LIMIT, Done, NoDevice
from grader.protocol.phase import LINES, MOST

DONE = b'{"kind":"done"}\n'
NO_DEVICE = b'{"kind":"no_device"}\n'


class Process:
    """A process that sends these pieces, one for each call, and then stays silent."""

    def __init__(self, *pieces, out_of_memory=False):
        self._pieces = list(pieces)
        self._out_of_memory = out_of_memory

    def receive(self, _timeout):
        if not self._pieces:
            raise TimeoutError
        return self._pieces.pop(0)

    def ran_out_of_memory(self):
        return self._out_of_memory


@pytest.mark.parametrize("pieces", [(DONE, NO_DEVICE), (DONE + NO_DEVICE,), (DONE[:5], DONE[5:] + NO_DEVICE)])
def test_replies_come_one_by_one_however_they_are_cut(pieces):
    """Replies are separated correctly, however a pipe cuts them into pieces."""
    replies = Replies(Process(*pieces))
    assert [replies.next("running", 1) for _ in range(2)] == [Done(), NoDevice()]


def test_silence_is_a_time_limit():
    """Silence until the deadline becomes a time-out that states what the judge waited for, and for how long."""
    assert Replies(Process(DONE[:5])).next("building", 7) == TimedOut(doing="building", seconds=7)


def test_a_phase_is_no_reply_and_says_what_went_on():
    """A phase is not a reply. It states what the worker is doing, and a time-out reports the time of the phase. A phase
    may arrive in pieces.
    """
    compiling, running = LINES["compiling"], LINES["running"]
    replies = Replies(Process(compiling[:4], compiling[4:] + running, DONE, compiling))
    assert (replies.next("running", 1), replies.doing) == (Done(), "running")
    timed_out = replies.next("running", 1)
    assert isinstance(timed_out, TimedOut)
    assert timed_out.was_compiling
    assert 0 < timed_out.seconds < 1


def test_phases_without_end_are_garbled():
    """Too many phases make the outcome garbled, because a submission can send phases, too."""
    found = Replies(Process(LINES["running"] * (MOST + 1) + DONE)).next("running", 60)
    assert found == Garbled(what="it reported more phases than a launch has")


def test_an_end_says_why_if_that_is_known():
    """A worker that used up its memory is distinguished from one that ended by itself."""
    assert Replies(Process(b"", out_of_memory=True)).next("running", 1) == OutOfMemory()
    assert Replies(Process(b"")).next("running", 1) == Garbled(what="the worker process ended")


@pytest.mark.parametrize(
    ("said", "what"),
    [
        (b"rubbish\n", "unknown form"),
        (b'{"kind":"done","verdict":"passed"}\n', "unknown form"),
        (b"\xff\xfe\n", "unknown form"),
        (b"x" * (REPLY_LIMIT + 1), "too long"),
    ],
)
def test_what_has_not_the_form_of_a_reply_is_garbled(said, what):
    """Input that is not a reply is reported as garbled, regardless of its length and bytes."""
    found = Replies(Process(said)).next("running", 1)
    assert isinstance(found, Garbled)
    assert what in found.what


class Talkative:
    """A process that sends one byte at a time, and ends its line after `size` bytes."""

    def __init__(self, size):
        self._left = size

    def receive(self, _timeout):
        self._left -= 1
        return b"x" if self._left else b"\n"


@pytest.mark.whole
def test_a_reply_in_single_bytes_costs_in_proportion_to_its_length():
    """Reading a reply that arrives byte by byte takes time proportional to its length, because bytes are not searched
    twice.
    """
    assert_linear(lambda size: Replies(Talkative(size)).next("running", 600), lambda size: size + 1)


def test_who_goes_on_talking_is_not_waited_for_beyond_the_deadline():
    """The deadline applies to a whole reply, even if each of its bytes arrives in time."""
    assert Replies(Talkative(10**9)).next("running", 0.05) == TimedOut(doing="running", seconds=0.05)
