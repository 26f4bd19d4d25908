"""pool.py: own workers serve several gradings, but a submission's worker only one. Workers that start early are stopped
in the end.
"""

import os
import signal
from contextlib import closing
from dataclasses import replace
from math import inf

import pytest
from pools import pool_like
from processes import left_of, wait_for
from project import ROOT
from worker_rules import RULES, TIMEOUTS

from grader.common.errors import WorkerError
from grader.course.submissions.submission import Task, read_submission
from grader.execution import pool as module
from grader.execution.plan import NOTHING, SUBMISSION
from grader.execution.pool import GRADINGS, PLENTY, SpareProcess, WorkerPool
from grader.execution.probe import PLAN, PROBE
from grader.execution.sandbox.process import ProcessSandbox
from grader.grading.grade import grade_submission
from grader.grading.rules import TimingRules
from grader.protocol.messages import Opened


class Puppet:
    """A fake worker that records the calls that it gets."""

    def __init__(self):
        self.said = []
        self.is_there = True

    def __getattr__(self, call):
        return lambda *_: self.said.append(call)

    def warm_up(self, _, programs):
        self.said.append(f"build {len(programs)}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


@pytest.fixture
def made(monkeypatch):
    """Return the list of the workers that pools create. All of them are puppets."""
    made = []

    def make(*_):
        made.append(Puppet())
        return made[-1]

    monkeypatch.setattr(module, "Worker", make)
    return made


def pool(**options):
    return WorkerPool("a sandbox", 0, TIMEOUTS, **options)


# --- our own workers ------------------------------------------------------------------------------


def test_the_same_worker_comes_again_by_its_name(made):
    """An own worker is reused by its name after its session has ended. Each name has its own worker."""
    workers = pool()
    for _ in range(2):
        with workers.own("reference") as reference, workers.own("control") as control:
            assert [reference, control] == made
    assert [each.said for each in made] == [["rest", "rest"], ["rest", "rest"]]
    workers.close()
    workers.close()
    assert [each.said[2:] for each in made] == [["let_go", "stop"], ["let_go", "stop"]]


@pytest.mark.usefixtures("made")
def test_after_an_error_it_is_replaced():
    """An own worker is replaced after an error, because its next message would be unpredictable."""
    workers = pool()
    with pytest.raises(WorkerError), workers.own("reference") as worker:
        raise WorkerError("the engine has gone.")
    assert worker.said == ["stop"]
    with workers.own("reference") as another:
        assert another is not worker


def test_it_is_replaced_now_and_then(made):
    """An own worker is replaced after a number of gradings, before it has used up its processor time."""
    workers = pool()
    for _ in range(GRADINGS + 1):
        with workers.own("reference"):
            pass
    assert [each.said.count("stop") for each in made] == [1, 0]


@pytest.mark.usefixtures("made")
def test_one_that_has_ended_while_it_was_idle_is_replaced():
    """An own worker that has ended while it was idle, for example because the engine was restarted, is replaced, so
    that no grading fails.
    """
    workers = pool()
    with workers.own("reference") as ended:
        pass
    ended.is_there = False
    with workers.own("reference") as worker:
        assert worker is not ended
    assert ended.said == ["rest", "stop"]


def test_own_workers_that_start_early_leave_the_device_to_others(made):
    """Own workers start early only if enough processors are idle. They open their device only at the first request."""
    pool(idle_processors=PLENTY - 1).start_own(["reference"])
    assert made == []
    workers = pool(idle_processors=PLENTY)
    workers.start_own(["reference"])
    (started,) = made
    assert started.said == ["start"]
    with workers.own("reference") as worker:
        assert worker is started


def test_those_that_serve_no_further_grading_end_together(made):
    """If own workers do not serve any further grading, the pool begins to end all of them before it stops the first."""
    workers = pool(gradings=1)
    with workers.own("reference"), workers.own("control"):
        pass
    assert [each.said for each in made] == [["rest", "let_go"]] * 2
    workers.close()
    assert [each.said for each in made] == [["rest", "let_go", "stop"]] * 2


@pytest.mark.whole
def test_a_session_that_was_asked_for_and_never_used_is_no_answer_to_the_next(environment):
    """A session that was requested but never used is not mistaken for the session of the next grading, which is opened
    in the same process.
    """
    with closing(pool_like(environment.workers)) as workers:
        with workers.own("ours") as worker:
            worker.load({SUBMISSION: PROBE}).request(PLAN)
            process = worker._connection.process
        for _ in range(2):
            with workers.own("ours") as again:
                assert isinstance(again.load({SUBMISSION: PROBE}).open(replace(PLAN)), Opened)
                assert again._connection.process is process


@pytest.mark.whole
def test_two_gradings_share_our_workers_and_not_the_students(transposition, environment, monkeypatch):
    """The first grading starts four workers (student, simulator, reference, control), and the second two more."""
    started = []
    real = type(environment.workers.sandbox).start

    def start(sandbox):
        started.append(1)
        return real(sandbox)

    monkeypatch.setattr(type(environment.workers.sandbox), "start", start)
    submission = read_submission(ROOT / "reference" / "coalsTransp" / "kernels.cl")
    counts = []
    with closing(pool_like(environment.workers)) as workers:
        quick = replace(environment, workers=workers, timing=TimingRules(min_pairs=5, max_pairs=5, noise_limit=100))
        for seed in (1, 2):
            grade_submission(Task(assignment=transposition, submission=submission, seed=seed), quick, lambda _: None)
            counts.append(len(started))
    assert counts == [4, 6]


# --- workers for submissions ----------------------------------------------------------------------


def test_without_expected_submissions_nothing_starts_early(made):
    """A pool that does not expect submissions creates a worker on request, and stops it after the grading."""
    workers = pool()
    workers.note_idle_device()
    workers.quieten()
    assert made == []
    with workers.submission() as worker:
        assert worker.said == []
    assert worker.said == ["stop"]
    assert made == [worker]


def test_the_next_submissions_worker_waits_for_it_and_meets_no_other(made):
    """The first worker starts with the pool and does not build anything. The next one starts and builds once while the
    device is idle, and is stopped if it is not used.
    """
    workers = pool(expected=inf)
    with workers.submission() as first:
        assert first.said == ["start", "build 0"]
        for _ in range(2):
            workers.note_idle_device()
        workers.quieten()
    with workers.submission() as second:
        assert second.said == ["start", "build 1", "settle"]
    workers.close()
    workers.close()
    assert [each.said[2:] for each in made] == [["stop"], ["settle", "stop"]]


def test_no_worker_waits_after_the_last_that_is_needed(made):
    """After the last expected worker, for example for the last part of a suite, no further worker is started early."""
    workers = pool(expected=2)
    for _ in range(3):
        with workers.submission():
            workers.note_idle_device()
    assert [each.said for each in made] == [["start", "build 0", "stop"], ["start", "build 1", "stop"], ["stop"]]


def test_a_waiting_worker_that_fails_ends_no_grading(made):
    """If the next worker fails while a grading becomes quiet, it is stopped. The next grading starts another one."""

    def fail():
        raise WorkerError("the engine has gone")

    workers = pool(expected=2)
    with workers.submission():
        workers.note_idle_device()
        made[1].settle = fail
        workers.quieten()
        assert made[1].said[-1] == "stop"
    with workers.submission() as worker:
        assert worker is made[2]


def test_a_waiting_worker_that_has_ended_is_replaced(made):
    """A waiting worker that has ended, for example because the engine was restarted, is replaced."""
    workers = pool(expected=1)
    made[0].is_there = False
    with workers.submission() as worker:
        assert worker is made[1]
    assert made[0].said[-1] == "stop"


def test_a_worker_that_cannot_start_early_is_told_when_it_is_needed():
    """If a worker cannot start early, the grading is not affected. The next start reports the error."""

    class Full:
        def limits(self):
            return RULES.limits

        def start(self):
            raise WorkerError("full")

    workers = WorkerPool(Full(), 0, TIMEOUTS, expected=1)
    workers.quieten()
    with pytest.raises(WorkerError, match="full"), workers.submission():
        pass


# --- spare processes ------------------------------------------------------------------------------


class FakeProcess:
    """A fake process that can only end or be stopped."""

    def __init__(self):
        self.ended = self.stopped = False

    def has_ended(self):
        return self.ended

    def stop(self):
        self.stopped = True


class FakeSandbox:
    """A sandbox that keeps the processes that it starts. Each entry of `failures` that is not None is raised instead of
    a start.
    """

    def __init__(self, *failures):
        self.failures = list(failures)
        self.processes = []

    def start(self):
        if self.failures and (failure := self.failures.pop(0)):
            raise failure
        self.processes.append(FakeProcess())
        return self.processes[-1]

    def limits(self):
        return RULES.limits

    @property
    def running(self):
        return [process for process in self.processes if not process.stopped]


@pytest.fixture
def fake():
    return FakeSandbox()


def test_there_is_always_one_process_more_than_was_asked_for(fake):
    """One more process runs than was requested. Each request gets the process that was started earliest."""
    spare = SpareProcess(fake)
    assert fake.processes == [], "nothing is started before it is needed"
    asked = [spare.start(), spare.start(), spare.start()]
    assert asked == fake.processes[:3]
    assert len(fake.processes) == 4
    assert spare.limits() == RULES.limits


def test_no_process_is_handed_out_twice(fake):
    """Each process is handed out only once, even if it was stopped."""
    spare = SpareProcess(fake)
    first = spare.start()
    first.stop()
    assert spare.start() is not first


def test_closing_leaves_no_spare(fake):
    """Closing stops the spare process, and can be repeated. A spare that was never used has not started anything."""
    spare = SpareProcess(fake)
    spare.start().stop()
    spare.close()
    spare.close()
    assert fake.running == []
    SpareProcess(fake).close()
    assert len(fake.processes) == 2


def test_a_dead_spare_is_replaced_and_cleaned_up(fake):
    """A dead spare is stopped and replaced, for example after a restart of the engine."""
    spare = SpareProcess(fake)
    first = spare.start()
    dead = fake.processes[1]
    dead.ended = True
    second = spare.start()
    assert second not in (first, dead)
    assert dead.stopped
    assert not second.stopped
    assert [process for process in fake.running if process not in (first, second)] == [fake.processes[-1]]


@pytest.mark.parametrize("failure", [WorkerError("full"), KeyboardInterrupt()], ids=["a fault", "Ctrl-C"])
def test_a_spare_that_cannot_start_leaves_nobody_without_an_owner(failure):
    """If the spare cannot start, the requested process is stopped as well, because the caller never receives it."""
    fake = FakeSandbox(None, failure)
    spare = SpareProcess(fake)
    with pytest.raises(type(failure)):
        spare.start()
    assert len(fake.processes) == 1
    spare.close()
    assert fake.running == []


def test_after_a_failure_the_next_one_may_ask_again():
    """A temporary fault causes only one grading to fail, and not the whole batch."""
    fake = FakeSandbox(None, WorkerError("full"))
    spare = SpareProcess(fake)
    with pytest.raises(WorkerError, match="full"):
        spare.start()
    process = spare.start()
    assert not process.stopped
    assert len(fake.running) == 2


def test_a_dead_spare_that_cannot_be_replaced_leaves_nothing():
    """If both starts of a call fail, no process is left behind."""
    fake = FakeSandbox(None, None, WorkerError("full"))
    spare = SpareProcess(fake)
    spare.start().stop()
    fake.processes[1].ended = True
    with pytest.raises(WorkerError, match="full"):
        spare.start()
    spare.close()
    assert fake.running == []


@pytest.mark.whole
def test_a_killed_spare_costs_no_grading():
    """After the spare process was killed, the next worker still computes. At the end, no process and no folder of these
    real workers is left.
    """
    seen = []
    with closing(ProcessSandbox(RULES)) as sandbox, closing(SpareProcess(sandbox)) as spare:
        workers = WorkerPool(sandbox, 0, TIMEOUTS, starter=spare)
        with workers.submission() as first:
            seen += [first._connection.process, spare._spare]
            os.killpg(spare._spare.group, signal.SIGKILL)
            assert wait_for(spare._spare.has_ended)
            with workers.submission() as second:
                assert second._connection.process is not seen[1]
                assert isinstance(second.open(NOTHING), Opened)
                seen += [second._connection.process, spare._spare]
    assert len({id(process) for process in seen}) == 4
    for process in seen:
        assert left_of(process.group) == []
        assert not process._folder.path.exists()
