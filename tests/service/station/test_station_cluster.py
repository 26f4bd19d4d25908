"""cluster.py: a station grades on a Dask cluster, and each worker grades one submission at a time.

Most clusters in these tests are threads of the test's own process, so that tests can replace gradings. One cluster is
real.
"""

import os
import signal
import socket
import sys
import threading
import time
from concurrent.futures import Future
from contextlib import closing, contextmanager

import pytest
import yaml
from batches import end, left_in, scheduler, start, waited, workers
from commandline import complaint, grader
from courses import KERNEL
from hidden_parts import right
from samples import BUILD, result
from services import FREE, graded
from serving_course import FIELDS

from grader.batch.workforce import SchedulerLostError
from grader.common import interrupts
from grader.common.errors import InterruptedGradingError, WorkerError
from grader.common.interrupts import pause
from grader.service.db.session import utc_now
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.stations import StationRow
from grader.service.db.tables.submissions import GradingRow
from grader.service.station.backends import SideBySide
from grader.service.station.grader import Judge
from grader.service.station.heartbeat import GradingLimits
from grader.service.station.loop import work
from grader.service.submissions.accept import cancel

pytest.importorskip("distributed")
from clusters import FACILITIES, dask_here, stand_in

from grader.batch.workforce import cluster as batch_module
from grader.batch.workforce.answers import OUTCOME
from grader.service.station import cluster as module
from grader.service.station.cluster import ClusterBackend

QUICK = GradingLimits(beat=0.05)


class NoMoreWorkError(Exception):
    """Ends the work of a station in a test."""


class UntilToldToEnd(SideBySide):
    """Runs gradings concurrently until the test has seen enough."""

    def __init__(self, most):
        super().__init__(most)
        self.enough = threading.Event()

    def wait(self):
        if self.enough.is_set():
            raise NoMoreWorkError
        super().wait()


class FakeJudge:
    """Judge that calls a function of the test in the thread of the grading."""

    def __init__(self, act):
        self.grade = lambda claimed, _progress: act(claimed)

    def elsewhere(self):
        return frozenset()

    def keep_up(self, _database):
        return False


@contextmanager
def at_work(service, judge, devices=lambda: 2):
    """Run a station with this many devices during the block."""
    gradings = UntilToldToEnd(devices)

    def run():
        with closing(gradings), pytest.raises(NoMoreWorkError):
            work(service.database, judge, "one", QUICK, gradings)

    station = threading.Thread(target=run, daemon=True)
    station.start()
    try:
        yield
    finally:
        gradings.enough.set()
        station.join(60)


@pytest.fixture(autouse=True)
def _not_told(monkeypatch):
    monkeypatch.setattr(interrupts, "_told", interrupts._Told())


def crowd(service, count, name="p"):
    """Hand in this many attempts now, by the real clock, each by a different student and with a different file."""
    service.now = utc_now()
    people = [service.person(f"{name}{number}", "student") for number in range(count)]
    return [service.hand_in(FREE, person=each, data=f"{KERNEL}// {each}\n".encode()) for each in people]


def states(service, attempts):
    return [service.state(each) for each in attempts]


def are_done(service, attempts):
    return all(state == State.DONE for state in states(service, attempts))


@pytest.mark.whole
def test_as_many_gradings_are_under_way_as_there_are_devices(service):
    """A station grades one attempt per device at a time, even after it has lost devices, and grades each attempt
    exactly once.
    """
    attempts, guard, devices = crowd(service, 7), threading.Lock(), [3]
    now, most, seen = 0, {3: 0, 1: 0}, []

    def act(claimed):
        nonlocal now
        with guard:
            now += 1
            seen.append(claimed.grading_id)
            most[devices[0]] = max(most[devices[0]], now)
        time.sleep(0.3)
        with guard:
            now -= 1
            if now == 0:
                devices[0] = 1
        return graded(service.course)

    with at_work(service, FakeJudge(act), lambda: devices[0]):
        waited(lambda: are_done(service, attempts), 30)
    assert most[3] == 3
    assert most[1] <= 1
    assert sorted(seen) == sorted(service.gradings(each)[0].id for each in attempts)


@pytest.mark.whole
def test_a_station_that_is_told_to_stop_gives_back_all_that_it_has(service, tell):
    """A station that must stop releases all its claims at once, and no attempt loses a try."""
    attempts, begun = crowd(service, 3), threading.Barrier(2)

    def act(_claimed):
        if begun.wait(20) == 0:
            tell()
        pause(60)

    before = time.monotonic()
    with pytest.raises(InterruptedGradingError), closing(SideBySide(lambda: 2)) as gradings:
        work(service.database, FakeJudge(act), "one", QUICK, gradings)
    assert time.monotonic() - before < 10
    rows = [service.gradings(each)[0] for each in attempts]
    assert [(row.state, row.tries, row.claimed_by) for row in rows] == [(State.WAITING, 0, None)] * 3


@pytest.mark.whole
def test_what_ends_in_a_thread_ends_alone(service):
    """A cancelled grading does not affect the others. A grading whose scheduler is lost is repeated without using up a
    try.
    """
    cancelled, lost, good = crowd(service, 3)
    number = {service.gradings(each)[0].id: each for each in (cancelled, lost, good)}
    times = []

    def act(claimed):
        attempt = number[claimed.grading_id]
        if attempt == cancelled:
            with service.database.writing() as session:
                cancel(session, service.attempt(cancelled), utc_now())
            pause(60)
        if attempt == lost:
            times.append(claimed.turn)
            if len(times) < 5:
                raise SchedulerLostError("gone")
        return graded(service.course)

    with at_work(service, FakeJudge(act)):
        waited(lambda: are_done(service, [lost, good]), 30)
        waited(lambda: service.state(cancelled) == State.CANCELLED, 30)
    assert times == [1] * 5


def test_a_fault_of_a_thread_ends_the_station():
    """An error in a thread ends the station, so that the error is reported. The station's parent process then starts it
    again.
    """
    with closing(SideBySide(lambda: 1)) as gradings:
        gradings.begin(lambda: 1 / 0)
        gradings.wait()
        with pytest.raises(ZeroDivisionError):
            gradings.has_room()


@contextmanager
def backend_at(theirs):
    with closing(ClusterBackend(theirs.scheduler_address, "{}")) as backend:
        assert backend.facilities == FACILITIES
        yield backend


def judge_at(service, backend):
    return Judge(service.course, backend, 1, "cpu")


def test_a_right_file_has_its_points_from_a_worker(service, monkeypatch, capfd):
    """A correct file gets its points from a worker. The line for the operator gives the number of workers and their
    equipment.
    """
    monkeypatch.setattr(batch_module, "read_answer", lambda text, _: OUTCOME.validate_json(text))
    stand_in(monkeypatch, lambda _: right(service.course.load("small")))
    attempts = crowd(service, 3)
    with dask_here(2) as theirs, backend_at(theirs) as backend:
        with at_work(service, judge_at(service, backend), backend.gradings()._most):
            waited(lambda: are_done(service, attempts), 30)
        assert backend.devices == 2
    assert [service.gradings(each)[0].points for each in attempts] == [right(service.course.load("small")).points] * 3
    assert (
        f"grading on 2 workers of {theirs.scheduler_address}: grader 1 on Test Device, with" in capfd.readouterr().err
    )


def test_an_answer_that_cannot_be_true_is_our_fault_and_never_a_zero(service, monkeypatch):
    """An impossible answer from a worker is a fault and never counts as zero points. The grading waits for
    another try.
    """
    stand_in(monkeypatch, lambda _: result(BUILD))
    (attempt,) = crowd(service, 1)
    with dask_here(1) as theirs, backend_at(theirs) as backend, at_work(service, judge_at(service, backend), lambda: 1):
        (row,) = waited(lambda: [row for row in service.gradings(attempt) if row.fault], 30)
    assert (row.state, row.tries, row.points) == (State.WAITING, 1, None)
    assert service.attempt(attempt).counted_id is None
    assert "a worker's answer is refused: it is about another assignment" in row.fault


@pytest.mark.whole
def test_a_scheduler_that_is_away_for_a_moment_loses_no_claim(service, monkeypatch, capfd):
    """If the scheduler is lost for a while, its gradings wait and do not use up a try. One line reports the loss, and
    another one the return.
    """
    monkeypatch.setattr(batch_module, "CONNECTING", 1.0)
    monkeypatch.setattr(module, "AWAY", 0.1)
    monkeypatch.setattr(batch_module, "read_answer", lambda text, _: OUTCOME.validate_json(text))
    is_back, begun = threading.Event(), threading.Event()

    def grade(_job):
        begun.set()
        if not is_back.is_set():
            time.sleep(1)
        return right(service.course.load("small"))

    stand_in(monkeypatch, grade)
    attempts = crowd(service, 2)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with dask_here(1, port=port) as theirs:
        backend = ClusterBackend(theirs.scheduler_address, "{}")
        assert backend.facilities == FACILITIES
        station = at_work(service, judge_at(service, backend), backend.gradings()._most)
        station.__enter__()
        assert begun.wait(20)
    waited(lambda: states(service, attempts) == [State.WAITING] * 2, 30)
    time.sleep(2.5)
    assert states(service, attempts) == [State.WAITING] * 2
    is_back.set()
    with dask_here(1, port=port):
        waited(lambda: are_done(service, attempts), 60)
        station.__exit__(None, None, None)
        backend.close()
    assert [service.gradings(each)[0].tries for each in attempts] == [1, 1]
    said = capfd.readouterr().err
    assert said.count(f"the scheduler at tcp://127.0.0.1:{port} has gone; this station waits for it.") == 1
    assert said.count("answers again, with 1 worker.") == 1
    assert said.count("no Dask scheduler answers") == 0


class Straw:
    """Connection to a cluster whose answer the test chooses."""

    is_connected = True

    def __init__(self, outcome=None, workers=1):
        self.workers, self.asked = workers, Future()
        if outcome is not None:
            self.asked.set_exception(outcome)

    def submit(self, _job):
        return self.asked

    def close(self):
        pass


@pytest.mark.parametrize(
    ("straw", "fault"),
    [
        (
            lambda: Straw(WorkerError("4 workers died while grading it, the last one at tcp://a:1.")),
            "4 workers died while grading it",
        ),
        (lambda: Straw(workers=0), "the cluster has had no worker for 0 s."),
    ],
    ids=["dead", "none"],
)
def test_a_grading_over_which_workers_die_fails_in_our_words(monkeypatch, straw, fault):
    """A grading whose workers died, or that has no worker, fails with a message from grader and cannot start later."""
    made = straw()
    monkeypatch.setattr(module, "Cluster", lambda *_: made)
    monkeypatch.setattr(module, "WITHOUT_WORKERS", 0.1)
    with pytest.raises(WorkerError, match=fault):
        ClusterBackend("tcp://a:0", "{}").grade("job", lambda _: None)
    assert made.asked.cancelled() or made.asked.exception()


def test_a_scheduler_that_does_not_answer_at_first_is_waited_for(monkeypatch, capfd):
    """A station waits for a scheduler that does not answer at first, and reports this once."""
    answers = iter([*3 * [SchedulerLostError("no Dask scheduler answers at tcp://a:0.")], Straw()])

    def connect(*_):
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(module, "Cluster", connect)
    monkeypatch.setattr(module, "AWAY", 0.01)
    assert ClusterBackend("tcp://a:0", "{}").devices == 1
    assert capfd.readouterr().err == "no Dask scheduler answers at tcp://a:0. This station waits for it.\n"


def test_two_stations_for_one_cluster_are_refused(tmp_path):
    """Two stations for one cluster are refused, because a single station uses all workers."""
    words = "station", "--cluster", "tcp://127.0.0.1:1", "--stations", "2", "--database", "postgresql://x@localhost/y"
    assert "leave --stations out" in complaint(grader(tmp_path, *words))


def running(service):
    """Return the gradings that are running, each with the row of its station."""
    with service.database.reading() as session:
        rows = session.query(GradingRow, StationRow).filter(GradingRow.state == State.RUNNING)
        return rows.join(StationRow, StationRow.name == GradingRow.claimed_by).all()


@pytest.mark.whole
def test_a_worker_that_is_killed_costs_no_grading(service, tmp_path):
    """On a real cluster of two workers, two gradings run at once. If one worker is killed, each attempt is still graded
    exactly once. A grading that runs when the station stops returns to the queue.
    """
    fields = service.course.assignments / "small" / "assignment.yaml"
    fields.write_text(yaml.safe_dump(FIELDS), encoding="utf-8")
    attempts = crowd(service, 4)
    log = tmp_path / "station.log"
    with (
        scheduler(tmp_path) as address,
        workers(address, tmp_path, 2, "--no-nanny") as (killed, _),
    ):
        words = ("station", "--cluster", address, "--course", tmp_path / "course", "--sandbox", "process")
        command = [sys.executable, "-m", "grader.cli.main", *words]
        station = start(command, log, GRADER_DATABASE=service.database.url, PYTHONUNBUFFERED="1")
        try:
            two = waited(lambda: found if len(found := running(service)) == 2 else None, 60)
            assert {row.name for _, row in two} == {grading.claimed_by for grading, _ in two}
            assert [(row.devices, row.device_class, row.fault) for _, row in two] == [(2, "cpu", "")] * 2
            time.sleep(0.5)
            os.kill(killed.pid, signal.SIGKILL)
            waited(lambda: are_done(service, attempts), 60)
            (last,) = crowd(service, 1, "last")
            waited(lambda: service.state(last) == State.RUNNING, 20)
        finally:
            end(station)
    (row,) = service.gradings(last)
    assert (row.state, row.tries, row.claimed_by) == (State.WAITING, 0, None)
    with service.database.reading() as session:
        assert session.query(StationRow).count() == 0
    rows = [service.gradings(each) for each in attempts]
    assert [[row.tries for row in each] for each in rows] == [[1]] * 4
    assert [service.attempt(each).counted_id for each in attempts] == [each[0].id for each in rows]
    assert [each[0].points for each in rows] == [15] * 4
    said = log.read_text()
    assert f"grading on 2 workers of {address}: grader " in said
    assert "has left; other workers take over its jobs. 1 worker now." in said
    assert "distributed" not in said
    assert "Traceback" not in said
    waited(lambda: not [each for each in left_in(tmp_path) if not each.startswith(str(tmp_path))], 30)
