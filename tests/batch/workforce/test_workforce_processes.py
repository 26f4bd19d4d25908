"""processes.py and __main__.py: a process that dies fails only its own call, and no process outlives the batch."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from multiprocessing import Pipe

import pytest
from batches import processes, waited
from project import importable

from grader.batch.workforce import __main__ as station
from grader.batch.workforce import processes as module
from grader.batch.workforce.processes import Processes
from grader.common.errors import DeviceError, InterruptedGradingError, WorkerError


class UnpicklableError(Exception):
    """An error that cannot be pickled."""

    def __reduce__(self):
        raise TypeError("not me")


def pid(_):
    return os.getpid()


def fail_in_our_words(words):
    raise DeviceError(words)


def fail_otherwise(words):
    raise UnpicklableError(words)


def answer_what_cannot_be_sent(_):
    return lambda: None


def linger(path):
    """Write this process's id to a file and wait for an interruption. Then clean up for a moment."""
    path.write_text(str(os.getpid()))
    try:
        time.sleep(600)
    finally:
        time.sleep(0.2)
        path.with_suffix(".clean").touch()


def be_deaf(path):
    """Write this process's id to a file, and suppress the exception that an interruption raises."""
    path.write_text(str(os.getpid()))
    with suppress(Exception):
        time.sleep(600)


def cling(path):
    """Write this process's id to a file, and ignore SIGTERM."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    path.write_text(str(os.getpid()))
    time.sleep(600)


@pytest.fixture(autouse=True)
def _importable(monkeypatch):
    """Let stations import the functions above."""
    monkeypatch.setenv("PYTHONPATH", importable(__file__))


@pytest.fixture
def two():
    with closing(Processes([{}] * 2)) as workforce:
        yield workforce


@pytest.fixture
def caller():
    """Return a pool for parallel calls. Its threads end when their stations end."""
    pool = ThreadPoolExecutor(4)
    yield pool
    pool.shutdown(wait=False)


def is_alive(number):
    return any(number == each and command for each, _, command in processes())


def read_pid(path):
    return int(waited(lambda: path.exists() and path.read_text()))


@pytest.mark.whole
def test_a_station_is_another_process_and_stays_for_the_next_job(two):
    """A station is a separate process that serves several jobs, and two stations at most are started here.

    Later jobs can use the resources that an earlier job has opened.
    """
    stations = {two.call(pid, None) for _ in range(5)}
    assert os.getpid() not in stations
    assert len(stations) <= 2


@pytest.mark.whole
def test_those_that_are_dismissed_end_by_themselves(two):
    """Dismissed stations end without being waited for, and a later call raises WorkerError."""
    station = two.call(pid, None)
    two.dismiss()
    waited(lambda: not is_alive(station))
    with pytest.raises(WorkerError, match="stopped"):
        two.call(pid, None)


@pytest.mark.whole
def test_an_error_of_ours_arrives_as_it_was(two):
    """A GraderError arrives with its class, which determines the exit code, and with its message."""
    with pytest.raises(DeviceError, match=r"^no device\.$"):
        two.call(fail_in_our_words, "no device.")


@pytest.mark.whole
def test_what_cannot_travel_is_told_and_the_station_goes_on():
    """An unknown error, or an answer that cannot be pickled, becomes a WorkerError.

    The process can still take the next job.
    """
    process = module._Process({})
    before = process.call(pid, None)
    for function in (fail_otherwise, answer_what_cannot_be_sent):
        told = process.call(function, "odd")
        assert isinstance(told, WorkerError)
        assert "a fault in grader itself" in str(told)
        assert process.call(pid, None) == before
    process.kill()


@pytest.mark.parametrize(
    ("function", "argument", "how"),
    [
        pytest.param(os._exit, 7, "ended with exit code 7", id="exits", marks=pytest.mark.whole),
        pytest.param(os.abort, None, "SIGABRT", id="fails", marks=pytest.mark.whole),
        pytest.param(signal.raise_signal, 9, "SIGKILL", id="is killed"),
    ],
)
def test_a_station_that_dies_says_how_and_another_takes_its_place(two, function, argument, how):
    """If a station dies, only its job fails, with the exit code or signal. Another station takes the next job."""
    with pytest.raises(WorkerError) as caught:
        two.call(_call_with, (function, argument))
    assert how in str(caught.value)
    assert two.call(pid, None) != os.getpid()


def _call_with(what):
    function, argument = what
    return function() if argument is None else function(argument)


def test_a_killed_station_harms_no_other(two, caller, tmp_path):
    """If a station is killed, only its own job fails. The other station continues to work."""
    first, second = (caller.submit(two.call, linger, tmp_path / name) for name in ("first", "second"))
    victim, other = read_pid(tmp_path / "first"), read_pid(tmp_path / "second")
    os.kill(victim, signal.SIGKILL)
    with pytest.raises(WorkerError, match="SIGKILL"):
        first.result(20)
    assert not second.done()
    assert is_alive(other)
    assert two.call(pid, None) not in {victim, other}


@pytest.mark.whole
def test_a_station_that_was_killed_while_idle_costs_nothing():
    """If a station is killed while it is idle, no job fails, and the next job gets a new process."""
    process = module._Process({})
    before = process.call(pid, None)
    os.kill(before, signal.SIGKILL)
    process._process.wait()
    assert process.call(pid, None) != before
    process.kill()


@pytest.mark.whole
def test_closing_lets_stations_clean_up(caller, tmp_path):
    """Closing interrupts the stations rather than killing them, because a grading must stop its sandboxes."""
    workforce = Processes([{}] * 2)
    calls = [caller.submit(workforce.call, linger, tmp_path / name) for name in ("first", "second")]
    stations = [read_pid(tmp_path / name) for name in ("first", "second")]
    workforce.close()
    assert not any(is_alive(station) for station in stations)
    assert all((tmp_path / f"{name}.clean").exists() for name in ("first", "second"))
    assert all(isinstance(call.exception(), WorkerError) for call in calls)


@pytest.mark.whole
def test_a_station_that_does_not_end_is_ended(caller, tmp_path, monkeypatch):
    """A station that ignores the interruption is killed after the time that is allowed for cleaning up."""
    monkeypatch.setattr(module, "LEAVE", 0.5)
    workforce = Processes([{}])
    call = caller.submit(workforce.call, cling, tmp_path / "pid")
    station = read_pid(tmp_path / "pid")
    workforce.close()
    assert not is_alive(station)
    assert isinstance(call.exception(), WorkerError)


@pytest.mark.whole
def test_an_interruption_that_is_lost_on_the_way_ends_the_station_all_the_same(caller, tmp_path, monkeypatch):
    """A station ends even if a grading or a library swallows the exception of the interruption."""
    monkeypatch.setattr(module, "LEAVE", 600)
    workforce = Processes([{}])
    caller.submit(workforce.call, be_deaf, tmp_path / "pid")
    station = read_pid(tmp_path / "pid")
    workforce.close()
    assert not is_alive(station)


@pytest.mark.parametrize(
    "wait", [0.0, *(pytest.param(wait, marks=pytest.mark.whole) for wait in (0.0005, 0.002, 0.01))]
)
def test_a_station_ends_whatever_it_is_at(wait, monkeypatch):
    """A station ends promptly if it is interrupted right after an answer, while it may still be sending it."""
    monkeypatch.setattr(module, "LEAVE", 600)
    workforce = Processes([{}])
    workforce.call(pid, None)
    time.sleep(wait)
    workforce.close()
    assert workforce._all[0]._process.returncode == 0


def test_a_station_that_waits_sees_a_signal_that_did_not_end_its_wait(monkeypatch):
    """A waiting station notices a signal that came after its last check and before its wait began."""
    here, _there = Pipe()
    told = InterruptedGradingError("the batch has been stopped.")
    looks = iter((None, told))

    def stop_if_told():
        if (error := next(looks)) is not None:
            raise error

    monkeypatch.setattr(station, "stop_if_told", stop_if_told)
    monkeypatch.setattr(station, "LOOK", 0.01)
    with pytest.raises(InterruptedGradingError):
        station._serve(here)


def test_nothing_starts_after_the_end():
    """After closing, a thread with a job cannot start a station, because nothing would ever stop that station."""
    workforce = Processes([{}])
    workforce.close()
    with pytest.raises(WorkerError, match="stopped"):
        workforce.call(pid, None)


@pytest.mark.whole
def test_stations_end_with_a_batch_that_is_killed(tmp_path):
    """If the batch is killed during a job, its stations clean up and end."""
    script = (
        "import sys; from pathlib import Path; from test_workforce_processes import *;"
        "Processes([{}]).call(linger, Path(sys.argv[1]))"
    )
    batch = subprocess.Popen([sys.executable, "-c", script, tmp_path / "pid"])
    station = read_pid(tmp_path / "pid")
    batch.kill()
    batch.wait()
    waited(lambda: not is_alive(station), 15)
    assert (tmp_path / "pid.clean").exists()


def test_ctrl_c_reaches_only_the_batch(two, caller, tmp_path):
    """Stations run in sessions of their own, so Ctrl-C in a terminal interrupts only the batch.

    The batch decides what happens to its stations.
    """
    caller.submit(two.call, linger, tmp_path / "pid")
    station = read_pid(tmp_path / "pid")
    assert os.getsid(station) == station != os.getsid(0)


@pytest.mark.whole
def test_nothing_is_imported_from_the_working_directory(tmp_path, monkeypatch):
    """A station imports no module from the working directory, where students may have chosen the file names."""
    (tmp_path / "grader.py").write_text("raise SystemExit('student')")
    (tmp_path / "numpy.py").write_text("raise SystemExit('student')")
    monkeypatch.chdir(tmp_path)
    with closing(Processes([{}])) as workforce:
        assert workforce.call(pid, None) != os.getpid()
