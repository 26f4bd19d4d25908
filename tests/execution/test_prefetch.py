"""prefetch.py: a run that was requested early returns the same results as any other run, and does not leave a reply
behind.
"""

import numpy as np
import pytest
from small_jobs import ARRAYS, is_right, make_worker, plan

from grader.execution.outcome import Crashed
from grader.execution.states import InSession, NotStarted, Requested
from grader.protocol.messages import BuildFailed, Opened
from grader.protocol.steps import ProgramSource


@pytest.fixture
def worker():
    with make_worker() as running:
        yield running


def test_a_run_that_was_requested_early_gives_its_results(worker):
    """The session of an early run waits for its replies. After the last reply, it accepts other requests."""
    job = plan("twice")
    worker.request_run(job, "run", ARRAYS)
    worker.request_run(job, "run", ARRAYS)
    assert isinstance(worker.state, Requested)
    assert isinstance(worker.open(job), Opened)
    assert is_right(worker.session.run("run", ARRAYS))
    assert worker.session.observe() == ()
    again = worker.session.run("run", {"in": 3 * ARRAYS["in"]})
    assert np.array_equal(again["out"].payload.view(np.float32), 6 * ARRAYS["in"])
    assert isinstance(worker.state, InSession)
    worker.close()
    assert is_right(worker.run_once(job, "run", ARRAYS))


def test_another_request_than_the_early_one_is_our_mistake(worker):
    """If a session made another request than the early one, it would read the wrong reply. This raises an
    AssertionError.
    """
    job = plan("twice")
    worker.request_run(job, "run", ARRAYS)
    worker.open(job)
    with pytest.raises(AssertionError, match="must repeat the early requests"):
        worker.session.observe()


def test_an_early_run_that_is_not_needed_is_abandoned(worker):
    """If another session is opened instead, the early run is abandoned. The session begins in another process, because
    replies are left.
    """
    worker.request_run(plan("twice"), "run", ARRAYS)
    before = worker._connection
    assert is_right(worker.run_once(plan("twice"), "run", ARRAYS))
    assert worker._connection is not before


@pytest.mark.whole
@pytest.mark.parametrize("fails", [pytest.param("build", marks=pytest.mark.whole), "launch"])
def test_an_early_run_that_fails_leaves_no_reply(worker, fails):
    """If an early run fails, its later replies are useless, so the worker is stopped. The next session succeeds."""
    job = plan("twice" if fails == "build" else "crash")
    if fails == "build":
        worker.load({"p": ProgramSource(source="__kernel void (")})
    worker.request_run(job, "run", ARRAYS)
    opened = worker.open(job)
    failure = opened if fails == "build" else worker.session.run("run", ARRAYS)
    assert isinstance(failure, BuildFailed if fails == "build" else Crashed)
    assert worker.state == NotStarted()
    with make_worker() as another:
        assert is_right(another.run_once(plan("twice"), "run", ARRAYS))
