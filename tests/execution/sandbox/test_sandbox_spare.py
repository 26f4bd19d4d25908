"""spare.py: a spare worker, or a first worker that starts early. None of them is left over."""

import os
import signal

import pytest
from processes import left_of, wait_for
from worker_rules import RULES, TIMEOUTS

from grader.common.errors import WorkerError
from grader.execution.client import Worker
from grader.execution.plan import NOTHING
from grader.execution.sandbox.process import ProcessSandbox
from grader.execution.sandbox.spare import EagerSandbox, SpareSandbox
from grader.protocol.messages import Opened


class FakeWorker:
    """A worker that is only started, ended and stopped."""

    def __init__(self):
        self.ended = self.stopped = False

    def has_ended(self):
        return self.ended

    def stop(self):
        self.stopped = True


class FakeSandbox:
    """Keeps the workers that it starts. `failures` that are not None are raised instead of its next starts."""

    def __init__(self, *failures):
        self.failures = list(failures)
        self.workers = []
        self.closed = 0

    def start(self):
        if self.failures and (failure := self.failures.pop(0)):
            raise failure
        self.workers.append(FakeWorker())
        return self.workers[-1]

    def limits(self):
        return RULES.limits

    def facts(self):
        return {"network": "none"}

    def close(self):
        assert all(worker.stopped for worker in self.workers), "a worker outlives its sandbox"
        self.closed += 1

    @property
    def running(self):
        return [worker for worker in self.workers if not worker.stopped]


@pytest.fixture
def fake():
    return FakeSandbox()


def test_there_is_always_one_worker_more_than_was_asked_for(fake):
    """One more worker runs than was requested. Each request gets the worker that has been starting longest."""
    spare = SpareSandbox(fake)
    assert fake.workers == [], "nothing is started before it is needed"
    asked = [spare.start(), spare.start(), spare.start()]
    assert asked == fake.workers[:3]
    assert len(fake.workers) == 4


def test_no_worker_is_handed_out_twice(fake):
    """A worker is returned once, also if it was stopped."""
    spare = SpareSandbox(fake)
    first = spare.start()
    first.stop()
    assert spare.start() is not first


def test_what_confines_a_worker_is_said_by_the_other_sandbox(fake):
    """The other sandbox reports limits and facts, so that results with and without spares are equal."""
    spare = SpareSandbox(fake)
    assert (spare.limits(), spare.facts()) == (RULES.limits, {"network": "none"})


def test_closing_leaves_nothing(fake):
    """The spare is stopped before the other sandbox is closed, which waits for it."""
    spare = SpareSandbox(fake)
    spare.start().stop()
    spare.close()
    assert (fake.running, fake.closed) == ([], 1)


def test_closing_what_was_never_used_starts_nothing(fake):
    """A sandbox that was never used closes the other sandbox without starting a worker."""
    SpareSandbox(fake).close()
    assert (fake.workers, fake.closed) == ([], 1)


def test_a_dead_spare_is_replaced_and_cleaned_up(fake):
    """A dead spare is stopped and replaced, as after a restart of the engine."""
    spare = SpareSandbox(fake)
    first = spare.start()
    dead = fake.workers[1]
    dead.ended = True
    second = spare.start()
    assert second not in (first, dead)
    assert dead.stopped
    assert not second.stopped
    assert [worker for worker in fake.running if worker not in (first, second)] == [fake.workers[-1]]


@pytest.mark.parametrize("failure", [WorkerError("full"), KeyboardInterrupt()], ids=["a fault", "Ctrl-C"])
def test_a_spare_that_cannot_start_leaves_nobody_without_an_owner(failure):
    """If the spare cannot start, the requested worker is stopped, because the caller never gets it."""
    fake = FakeSandbox(None, failure)
    spare = SpareSandbox(fake)
    with pytest.raises(type(failure)):
        spare.start()
    assert len(fake.workers) == 1
    spare.close()
    assert (fake.running, fake.closed) == ([], 1)


def test_after_a_failure_the_next_one_may_ask_again():
    """A temporary fault costs one grading, not the batch."""
    fake = FakeSandbox(None, WorkerError("full"))
    spare = SpareSandbox(fake)
    with pytest.raises(WorkerError, match="full"):
        spare.start()
    worker = spare.start()
    assert not worker.stopped
    assert len(fake.running) == 2


def test_a_dead_spare_that_cannot_be_replaced_leaves_nothing():
    """If both starts of a call fail, no worker is left."""
    fake = FakeSandbox(None, None, WorkerError("full"))
    spare = SpareSandbox(fake)
    spare.start().stop()
    fake.workers[1].ended = True
    with pytest.raises(WorkerError, match="full"):
        spare.start()
    spare.close()
    assert (fake.running, fake.closed) == ([], 1)


def test_a_killed_spare_costs_no_grading():
    """After the spare was killed, the next worker computes. At the end, no process and no folder is left (real
    workers).
    """
    spare = SpareSandbox(ProcessSandbox(RULES))
    seen = []
    with Worker(spare, 0, TIMEOUTS).load({}) as first:
        seen.append(first._connection.process)
        seen.append(spare._spare)
        os.killpg(spare._spare.group, signal.SIGKILL)
        assert wait_for(spare._spare.has_ended)
        with Worker(spare, 0, TIMEOUTS).load({}) as second:
            seen.append(second._connection.process)
            assert second._connection.process is not seen[1]
            assert isinstance(second.open(NOTHING), Opened)
            seen.append(spare._spare)
    spare.close()
    assert len({id(worker) for worker in seen}) == 4
    for worker in seen:
        assert left_of(worker.group) == []
        assert not worker._folder.path.exists()


def test_the_first_worker_of_an_eager_sandbox_starts_at_once(fake):
    """The first worker starts early, and others when they are requested. The owner closes the sandbox itself."""
    eager = EagerSandbox(fake)
    (first,) = fake.workers
    assert eager.start() is first
    assert eager.start() is fake.workers[1]
    assert (eager.limits(), eager.facts()) == (fake.limits(), fake.facts())
    eager.close()
    assert (fake.closed, len(fake.running)) == (0, 2)


def test_a_first_worker_that_nobody_asks_for_is_stopped(fake):
    """A first worker that is never requested is stopped, as when the grading ends before it has begun."""
    EagerSandbox(fake).close()
    assert len(fake.workers) == 1
    assert fake.running == []
