"""pool.py: workers for grader's own kernels serve several gradings, and workers for submissions only one."""

from dataclasses import replace

import pytest
from project import ROOT

from grader.common.errors import WorkerError
from grader.course.submissions.submission import read_submission
from grader.course.submissions.task import Task
from grader.execution.plan import SUBMISSION
from grader.execution.pool import GRADINGS, Ahead, OwnWorkers
from grader.execution.probe import PLAN, PROBE
from grader.grading.grade import grade_submission
from grader.grading.rules import TimingRules
from grader.protocol.messages import Opened


class Puppet:
    """A fake worker that records its calls."""

    is_there = True

    def __init__(self):
        self.said = []

    def rest(self):
        self.said.append("rest")

    def let_go(self):
        self.said.append("let go")

    def stop(self):
        self.said.append("stop")


def test_the_same_worker_comes_again_by_its_name():
    """A worker is borrowed again by its name, after its session has ended. Each name has its own worker."""
    own, made = OwnWorkers(), []

    def make():
        made.append(Puppet())
        return made[-1]

    for _ in range(2):
        with own.borrow("reference", make) as reference, own.borrow("control", make) as control:
            assert (reference, control) == tuple(made)
    assert [each.said for each in made] == [["rest", "rest"], ["rest", "rest"]]
    own.close()
    own.close()
    assert [each.said[2:] for each in made] == [["let go", "stop"], ["let go", "stop"]]


def test_after_an_error_it_is_replaced():
    """A worker is replaced after an error, because its next message is unknown."""
    own, worker = OwnWorkers(), Puppet()
    with pytest.raises(WorkerError), own.borrow("reference", lambda: worker):
        raise WorkerError("the engine has gone.")
    assert worker.said == ["stop"]
    with own.borrow("reference", Puppet) as another:
        assert another is not worker


def test_it_is_replaced_now_and_then():
    """A worker is replaced after a number of gradings, before its processor time is used up."""
    own, made = OwnWorkers(), []
    for _ in range(GRADINGS + 1):
        with own.borrow("reference", lambda: made.append(Puppet()) or made[-1]):
            pass
    assert [each.said.count("stop") for each in made] == [1, 0]


def test_one_that_has_ended_while_nobody_needed_it_is_replaced():
    """A worker that ended while it was idle is replaced, as after a restart of an engine. No grading fails."""
    own, ended, another = OwnWorkers(), Puppet(), Puppet()
    with own.borrow("reference", lambda: ended):
        pass
    ended.is_there = False
    with own.borrow("reference", lambda: another) as worker:
        assert worker is another
    assert ended.said == ["rest", "stop"]


def test_a_worker_that_starts_early_leaves_the_device_to_others():
    """A worker that starts early opens its device only at the first request."""
    own, worker = OwnWorkers(), Waiting()
    own.begin("reference", worker)
    assert worker.said == ["start"]
    with own.borrow("reference", Waiting) as borrowed:
        assert borrowed is worker
    own.close()


def test_those_that_serve_no_further_grading_end_together():
    """All workers that serve no further grading are let go before one of them is stopped."""
    said = []

    class Telling(Puppet):
        def let_go(self):
            said.append("let go")

        def stop(self):
            said.append("stop")

    own = OwnWorkers(1)
    with own.borrow("reference", Telling), own.borrow("control", Telling):
        pass
    assert said == ["let go", "let go"]
    own.close()
    assert said == ["let go", "let go", "stop", "stop"]


def test_a_session_that_was_asked_for_and_never_used_is_no_answer_to_the_next(environment):
    """A session that was requested and not used is not taken for the next grading's. That one is opened in the same
    process.
    """
    own = OwnWorkers()
    with own.borrow("ours", environment.worker) as worker:
        worker.load({SUBMISSION: PROBE}).request(PLAN)
        process = worker._connection.process
    for _ in range(2):
        with own.borrow("ours", environment.worker) as again:
            assert isinstance(again.load({SUBMISSION: PROBE}).open(replace(PLAN)), Opened)
            assert again._connection.process is process
    own.close()


@pytest.mark.whole
def test_two_gradings_share_our_workers_and_not_the_students(transposition, environment, monkeypatch):
    """The first grading starts four workers (student, simulator, reference, control), the second two more."""
    quick = replace(environment, own=OwnWorkers(), timing=TimingRules(min_pairs=5, max_pairs=5, noise_limit=100))
    started = []
    real = type(environment.sandbox).start

    def start(sandbox):
        started.append(1)
        return real(sandbox)

    monkeypatch.setattr(type(environment.sandbox), "start", start)
    submission = read_submission(ROOT / "reference" / "coalsTransp" / "kernels.cl")
    counts = []
    for seed in (1, 2):
        grade_submission(Task(assignment=transposition, submission=submission, seed=seed), quick, lambda _: None)
        counts.append(len(started))
    quick.own.close()
    assert counts == [4, 6]


class Waiting(Puppet):
    """A worker that is started before there is a submission."""

    is_there = True

    def start(self):
        self.said.append("start")

    def warm_up(self, *_):
        self.said.append("warm up")

    def settle(self):
        self.said.append("settle")


def test_the_next_submissions_worker_waits_for_it_and_meets_no_other():
    """A waiting worker is begun once, taken once, and stopped if it is not taken."""
    made = []

    def make():
        made.append(Waiting())
        return made[-1]

    ahead = Ahead(make)
    ahead.begin()
    ahead.begin()
    first = ahead.take()
    assert first.said == ["start", "warm up", "settle"]
    assert ahead.take() is not first
    ahead.begin()
    ahead.close()
    ahead.close()
    assert [each.said for each in made] == [["start", "warm up", "settle"], [], ["start", "warm up", "stop"]]


def test_no_worker_waits_after_the_last_that_is_needed():
    """No worker is begun after the last one that is needed, as for the last part of a suite."""
    made = []
    ahead = Ahead(lambda: (made.append(Waiting()), made[-1])[1], most=2)
    for _ in range(3):
        ahead.begin()
        ahead.take()
    assert [each.said for each in made] == [["start", "warm up", "settle"]] * 2 + [[]]


def test_a_waiting_worker_that_has_ended_is_replaced():
    """A waiting worker that has ended is replaced, as after a restart of the engine."""
    ahead, made = Ahead(lambda: (made.append(Waiting()), made[-1])[1]), []
    ahead.begin()
    made[0].is_there = False
    assert ahead.take() is made[1]
    assert made[0].said[-1] == "stop"
