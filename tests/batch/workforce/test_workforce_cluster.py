"""cluster.py: which workers get jobs, and the messages when workers or the scheduler leave.

The clusters run in threads of the test's own process, so that tests can replace gradings.
"""

import gc
import logging
import time
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack, closing
from threading import Lock
from types import SimpleNamespace

import pytest
from batches import waited
from fake_workforce import handin, plan_of
from samples import BUILD, DEVICE, result

from grader.batch.station import Facilities
from grader.common.errors import DeviceError, WorkerError
from grader.results.result import Ungraded

distributed = pytest.importorskip("distributed")
from clusters import CHOSEN, FACILITIES, dask_here, stand_in  # noqa: E402
from distributed import KilledWorker, get_worker  # noqa: E402

from grader.batch.workforce import cluster as module  # noqa: E402
from grader.batch.workforce.answers import OUTCOME, read_answer  # noqa: E402
from grader.batch.workforce.cluster import Cluster, ClusterWorkers  # noqa: E402

GRADED = result(BUILD)
UNGRADED = Ungraded(assignment="a", submission="s", fault="the engine has gone.")


@pytest.fixture(name="stand_in")
def stood_in(monkeypatch):
    """Replace the facilities and gradings of all workers by functions that a test can change."""
    monkeypatch.setattr(module, "read_answer", lambda text, _: OUTCOME.validate_json(text))
    return stand_in(monkeypatch, lambda _: GRADED)


@pytest.fixture
def dask():
    """Return a function that starts a Dask cluster with a given number of workers."""
    with ExitStack() as clusters:
        yield lambda *how, **more: clusters.enter_context(dask_here(*how, **more))


@pytest.fixture
def hired(dask, stand_in):  # noqa: ARG001 - replaces gradings
    """Return a function that opens a Cluster on a Dask cluster. The Cluster's `said` collects all its messages."""
    crews = []

    def hire(theirs):
        said = []
        crews.append(Cluster(theirs.scheduler_address, "{}", said.append))
        crews[-1].facilities()
        crews[-1].said = said
        return crews[-1]

    yield hire
    for each in crews:
        each.close()


@pytest.fixture
def job(transposition):
    plan = plan_of([transposition], handin("anna"))
    return plan.job(next(iter(plan.items.values())))


def failing(what):
    def fail(*_):
        raise what

    return fail


def here():
    return get_worker().address


def test_a_job_is_graded_by_a_worker(dask, hired):
    """The future of a job returns the outcome from the worker."""
    crew = hired(dask(1))
    assert crew.submit("job").result(20) == GRADED


SAYINGS = {
    "nothing": None,
    "nonsense": "nonsense",
    "three things": ("a", "b", "c"),
    "no result": ("tcp://there", "{}"),
    "numbers": (5, 5),
}


def say_as_chosen(_job):
    return CHOSEN.saying


@pytest.mark.sampled
@pytest.mark.parametrize("saying", SAYINGS)
def test_whatever_a_worker_says_ends_the_job(dask, hired, monkeypatch, job, saying):
    """A malformed answer ends its job with a reason. Otherwise the batch would wait for it forever."""
    CHOSEN.saying = SAYINGS[saying]
    monkeypatch.setattr(module, "read_answer", read_answer)
    monkeypatch.setattr(module, "grade_here", say_as_chosen)
    outcome = hired(dask(1)).submit(job).result(20)
    assert isinstance(outcome, Ungraded)
    assert "a worker's answer is refused" in outcome.fault


def test_two_jobs_are_under_way_for_each_worker(dask, hired):
    """Each worker with a device gets two jobs: one that it grades, and one that is ready when the first is done."""
    theirs = dask(3)
    assert hired(theirs).capacity == 6


def test_a_device_grades_one_submission_at_a_time(dask, hired, stand_in):
    """Even a worker with several threads grades only one submission at a time on its device."""
    guard, seen = Lock(), []

    def grade(_):
        seen.append(guard.acquire(blocking=False))
        time.sleep(0.02)
        guard.release()
        return GRADED

    stand_in.grade = grade
    crew = hired(dask(1, threads=4))
    for outcome in [crew.submit(number) for number in range(6)]:
        outcome.result(20)
    assert seen == [True] * 6


@pytest.mark.whole
def test_a_worker_without_a_device_gets_nothing(dask, stand_in, monkeypatch):
    """A worker without a device gets no jobs and is not asked for its facilities.

    The batch waits for a worker, prints the command that starts one, and finally raises WorkerError.
    """
    monkeypatch.setattr(module, "FIRST_WORKER_SECONDS", 0.5)
    stand_in.look = failing(AssertionError("asked"))
    theirs, said = dask(1, resources={}), []
    with (
        closing(Cluster(theirs.scheduler_address, "{}", said.append)) as crew,
        pytest.raises(WorkerError) as caught,
    ):
        crew.facilities()
    command = f'dask worker {theirs.scheduler_address} --nthreads 1 --resources "device=1"'
    assert command in str(caught.value)
    assert said == [f"waiting for a worker at {theirs.scheduler_address}: {command}"]


def test_workers_that_differ_are_named(dask, stand_in):
    """Workers with different facilities raise WorkerError, because their results would not be comparable.

    The message lists both workers and their facilities.
    """
    theirs, first = dask(2), []

    def look():
        first.append(here())
        return (
            FACILITIES
            if first[0] == here()
            else Facilities(grader="2", device=DEVICE, simulated=False, sandbox="process")
        )

    stand_in.look = look
    with closing(Cluster(theirs.scheduler_address, "{}", print)) as crew, pytest.raises(WorkerError) as caught:
        crew.facilities()
    for words in (*(worker.worker_address for worker in theirs.workers.values()), "grader 1", "grader 2", "without"):
        assert words in str(caught.value)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (DeviceError("there is no OpenCL device."), "cannot grade: there is no OpenCL device."),
        (ModuleNotFoundError("No module named 'grader'"), "must be installed where it runs"),
    ],
    ids=["no device", "no grader"],
)
def test_a_worker_that_cannot_grade_is_named(dask, stand_in, error, words):
    """A worker that lacks a device or the grader package raises WorkerError with its address before any grading."""
    theirs = dask(1)
    stand_in.look = failing(error)
    with closing(Cluster(theirs.scheduler_address, "{}", print)) as crew, pytest.raises(WorkerError) as caught:
        crew.facilities()
    assert theirs.workers[0].worker_address in str(caught.value)
    assert words in str(caught.value)


def test_a_worker_that_leaves_while_it_looks_around_is_not_waited_for(dask, hired, stand_in):
    """A worker that leaves while it determines its facilities does not delay a batch that has other workers."""
    theirs, asked = dask(2), []

    def look():
        asked.append(here())
        if len(asked) == 1:
            theirs.loop.add_callback(theirs.workers[0].close)
        time.sleep(0.5 if here() == theirs.workers[0].address else 0)
        return FACILITIES

    stand_in.look = look
    assert hired(theirs).submit("job").result(20) == GRADED


@pytest.mark.whole
def test_who_comes_and_goes_is_said(dask, hired):
    """A line is printed for each worker that joins or leaves.

    If no worker is left, a line says how to start one, and jobs wait for it.
    """
    theirs = dask(1)
    crew = hired(theirs)
    theirs.scale(0)
    waited(lambda: len(crew.said) == 2, 20)
    assert "has left; other workers take over its jobs. 0 workers now." in crew.said[0]
    assert crew.said[1].startswith("no worker is left; waiting for one: dask worker ")
    outcome = crew.submit("job")
    time.sleep(0.2)
    assert not outcome.done()
    theirs.scale(1)
    assert outcome.result(20) == GRADED
    waited(lambda: crew.said[2:], 20)
    assert "has joined. 1 worker now." in crew.said[2]


@pytest.mark.whole
def test_a_worker_that_only_fails_is_retired_while_others_succeed(dask, hired, stand_in):
    """A worker that fails three times in a row gets no more jobs, and a line gives the reason.

    Otherwise, a worker that fails quickly would be free for every next job.
    """
    theirs = dask(2)
    bad = theirs.workers[0].address

    def grade(_):
        if here() == bad:
            return UNGRADED
        time.sleep(0.05)
        return GRADED

    stand_in.grade = grade
    crew = hired(theirs)
    end = time.monotonic() + 20
    while not any("gets no more" in line for line in crew.said) and time.monotonic() < end:
        for outcome in [crew.submit(number) for number in range(4)]:
            outcome.result(20)
    waited(lambda: bad not in crew._workers(), 20)
    assert (
        f"{bad} has failed 3 times in a row and gets no more jobs. The last failure: the engine has gone." in crew.said
    )
    assert [crew.submit(number).result(20) for number in range(4)] == [GRADED] * 4


@pytest.mark.whole
def test_a_scheduler_that_goes_ends_the_batch_and_says_what_to_do(dask, hired, monkeypatch):
    """If the scheduler is lost, pending jobs fail immediately, and the next job raises WorkerError.

    That error comes only after the scheduler had time to come back, and it says how to continue.
    """
    theirs = dask(1)
    monkeypatch.setattr(module, "CONNECTING", 1.0)
    crew = hired(theirs)
    theirs.scale(0)
    waiting = crew.submit("job")
    theirs.close(timeout=20)
    with pytest.raises(WorkerError, match="lost"):
        waiting.result(20)
    with pytest.raises(WorkerError, match="the same command continues from there"):
        crew.submit("job")


@pytest.mark.whole
@pytest.mark.sampled
@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense", "nonsense://x:1", ""])
def test_an_address_at_which_nobody_answers_is_named(address, monkeypatch):
    """An unreachable or malformed address raises WorkerError with a one-line message that contains the address."""
    monkeypatch.setattr(module, "CONNECTING", 0.5)
    with pytest.raises(WorkerError) as caught:
        Cluster(address, "{}", print)
    assert f"no Dask scheduler answers at {address}" in str(caught.value)
    assert "\n" not in str(caught.value)
    del caught
    gc.collect()  # if a failed client is collected while a later one starts, both hang


def passed_on(crew, **ending):
    asked, outcome = Future(), Future()
    if "error" in ending:
        asked.set_exception(ending["error"])
    else:
        asked.cancel()
        asked.set_running_or_notify_cancel()
    crew._pass_on(asked, "job", outcome)
    return str(outcome.exception(0))


def test_what_ends_a_job_is_told_in_our_words():
    """Dask's errors become short messages: workers that died, a lost connection, or an error at the worker."""
    crew = SimpleNamespace()
    dead = KilledWorker("task", SimpleNamespace(address="tcp://a:1"), 3)
    tell = lambda **ending: passed_on(SimpleNamespace(_pass_on=lambda *each: Cluster._pass_on(crew, *each)), **ending)  # noqa: E731
    assert tell(error=dead) == "4 workers died while grading it, the last one at tcp://a:1."
    assert tell(cancelled=CancelledError()) == "the connection to the scheduler was lost."
    assert "ModuleNotFoundError: No module named 'grader.x'" in tell(
        error=ModuleNotFoundError("No module named 'grader.x'")
    )


def test_nobody_is_retired_for_what_all_fail_at():
    """If all workers fail, for example because of the assignment, none is retired until one of them succeeds."""
    crew = ClusterWorkers()
    crew.look({"a", "b"})
    for _ in range(9):
        crew.note("a", UNGRADED)
        crew.note("b", UNGRADED)
    assert crew.hopeless() == ()
    crew.note("b", GRADED)
    assert crew.hopeless() == (("a", "the engine has gone."),)
    assert crew.hopeless() == ()


def test_one_failure_is_no_pattern():
    """A success resets a worker's count of consecutive failures, so occasional failures do not retire it."""
    crew = ClusterWorkers()
    crew.look({"a", "b"})
    crew.note("b", GRADED)
    for outcome in (UNGRADED, UNGRADED, GRADED, UNGRADED, UNGRADED):
        crew.note("a", outcome)
    assert crew.hopeless() == ()


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["distributed.client", "distributed.core", "distributed.utils", "tornado.application"])
def test_dask_says_nothing_to_the_terminal(dask, hired, name):
    """Dask's loggers print nothing, because the cluster's own messages say all that an instructor needs to know."""
    logging.getLogger(name).setLevel(logging.INFO)
    hired(dask(1))
    assert not logging.getLogger(name).isEnabledFor(logging.CRITICAL)
