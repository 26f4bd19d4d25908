"""station.py: a process that opens an environment, checks that it matches the batch, grades jobs and cleans up."""

import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from batches import CALM, ROOT, small_batch, waited
from samples import profile_of
from worker_rules import LIMITS

from grader.batch import station
from grader.batch.station import PREFIX, GradingJob, WholeGrading, grade, leave, look_around
from grader.common.errors import DeviceError, InterruptedGradingError
from grader.course.catalogue import Course
from grader.grading.settings import load_settings
from grader.grading.timing.device_profile import save_profile
from grader.lms.bundle import pack
from grader.results.result import Result, Ungraded
from grader.results.verdicts import Verdict

WRONG = ROOT / "tests" / "submissions" / "coalsTransp" / "copied-not-transposed" / "kernels.cl"


@pytest.fixture(autouse=True)
def own_place(tmp_path, tmp_path_factory, monkeypatch):
    """Provide a temporary folder and quick settings, and close the station afterwards."""
    for name, value in {**CALM, "GRADER_LOCKS": str(tmp_path_factory.mktemp("locks"))}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield tmp_path
    leave()


@pytest.fixture
def settings_json():
    return load_settings({}).as_json({"sandbox": "process"})


@pytest.fixture
def stale(tmp_path, monkeypatch):
    """Save a profile of this machine's device that claims to be measured with another driver version."""
    monkeypatch.setenv("GRADER_PROFILES", str(tmp_path / "profiles"))
    with load_settings({}).open_environment("process") as environment, environment.worker() as worker:
        save_profile(profile_of(worker.ready().model_copy(update={"driver": "0.1"})), environment.profiles)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    """A small assignment that was pickled and unpickled, as if it had been sent over the network."""
    folder = tmp_path_factory.mktemp("course")
    small_batch(folder, 0)
    course = Course(assignments=folder / "course" / "assignments", reference=folder / "course" / "reference")
    return pickle.loads(pickle.dumps(pack(course.load("coalsTransp"))))


def job(settings_json, bundle, data=b"\0", **changes):
    fields = {"settings_json": settings_json, "facilities": look_around(settings_json), "bundle": bundle, "data": data}
    return GradingJob(
        **{
            **fields,
            "sha256": "0" * 64,
            "seed": 1,
            "work": WholeGrading(),
            "assignment_sha256": "",
            "parts": ("",),
            "max_points": 0.0,
            **changes,
        }
    )


def folders(place):
    return sorted(path.name for path in place.glob("grader-*"))


def test_a_job_becomes_a_result(settings_json, bundle):
    """A station grades a job with the settings and the seed of the batch. The result does not name the student."""
    graded = grade(job(settings_json, bundle, WRONG.read_bytes()))
    assert isinstance(graded, Result)
    assert graded.provenance.seed == 1
    assert graded.submission == "kernels.cl"
    assert {check.reason for check in graded.checks} == {None, "WRONG_OUTPUT", "NOT_RUN"}
    assert pickle.loads(pickle.dumps(graded)) == graded


def test_what_is_no_source_text_is_graded_without_running_anything(settings_json, bundle):
    """A binary file fails every check without being run. The result has the hash of the file as it was handed in."""
    graded = grade(job(settings_json, bundle, b"\x7fELF\0", sha256="f" * 64))
    assert isinstance(graded, Result)
    assert all(check.verdict is Verdict.FAILED for check in graded.checks)
    assert graded.provenance.submission_sha256 == "f" * 64
    assert "binary" in graded.checks[0].message


@pytest.mark.whole
def test_a_station_that_has_something_else_grades_nothing(settings_json, bundle):
    """A station with another grader or device refuses a job, because its results would not be comparable.

    The fault names the machine, its facilities and the job's facilities.
    """
    theirs = replace(look_around(settings_json), grader="another")
    answer = grade(job(settings_json, bundle, facilities=theirs))
    assert isinstance(answer, Ungraded)
    assert os.uname().nodename in answer.fault
    assert "grader another on " in answer.fault


@pytest.mark.whole
def test_a_fault_of_ours_is_an_answer(settings_json, bundle, monkeypatch):
    """An exception during a grading is returned as a fault, so that the station can grade the next job."""
    monkeypatch.setattr(station, "grade_coursework", lambda *_, **__: 1 / 0)
    answer = grade(job(settings_json, bundle, WRONG.read_bytes()))
    assert isinstance(answer, Ungraded)
    assert "ZeroDivisionError" in answer.fault
    assert answer.assignment == "coalsTransp"


def test_who_ends_the_station_ends_the_grading(settings_json, bundle, monkeypatch):
    """An interruption is raised rather than returned, because a returned outcome would be stored or retried."""
    asked = job(settings_json, bundle, WRONG.read_bytes())

    def interrupted(*_, **__):
        raise InterruptedGradingError("now.")

    monkeypatch.setattr(station, "grade_coursework", interrupted)
    with pytest.raises(InterruptedGradingError):
        grade(asked)


@pytest.mark.whole
def test_a_station_is_opened_once_and_leaves_nothing(settings_json, own_place):
    """Jobs with the same settings share an open station. Other settings or its end close it and delete its folder."""
    look_around(settings_json)
    (first,) = [name for name in folders(own_place) if name.startswith(PREFIX)]
    look_around(settings_json)
    assert first in folders(own_place)
    look_around(load_settings({}).as_json({"sandbox": "process", "device": 0}))
    assert first not in folders(own_place)
    assert len([name for name in folders(own_place) if name.startswith(PREFIX)]) == 1
    leave()
    assert folders(own_place) == []
    leave()


@pytest.mark.whole
def test_a_station_that_cannot_open_leaves_nothing(own_place):
    """If the device is missing, opening raises DeviceError, and the spare worker and the folders are removed."""
    with pytest.raises(DeviceError):
        look_around(load_settings({}).as_json({"sandbox": "process", "device": 99}))
    assert folders(own_place) == []


@pytest.mark.whole
def test_a_station_with_a_stale_device_profile_does_not_open(settings_json, stale, own_place):  # noqa: ARG001
    """A stale device profile ends the batch at the start rather than causing a fault for each submission."""
    with pytest.raises(DeviceError, match=r"was measured with driver 0\.1"):
        look_around(settings_json)
    assert folders(own_place) == []


def test_a_cpus_clock_makes_no_other_facilities(settings_json):
    """A CPU's clock is not part of the facilities, because it changes all the time. Stations may differ in it."""
    assert look_around(settings_json).device.clock is None


@pytest.mark.whole
def test_the_machines_own_device_counts_where_the_batch_names_none(settings_json, monkeypatch):
    """GRADER_DEVICE selects the device unless the batch does. This lets a machine with two devices run two stations."""
    monkeypatch.setenv("GRADER_DEVICE", "99")
    with pytest.raises(DeviceError):
        look_around(settings_json)
    assert look_around(load_settings({}).as_json({"sandbox": "process", "device": 0})).device.index == 0


@pytest.mark.whole
@pytest.mark.parametrize(
    "name",
    [
        "GRADER_TIMING__MIN_PAIRS",
        pytest.param("GRADER_DEADLINES__LAUNCH", marks=pytest.mark.whole),
        pytest.param("GRADER_LIMITS__CPU_SECONDS", marks=pytest.mark.whole),
    ],
)
def test_rules_come_from_the_batch(settings_json, monkeypatch, name):
    """Timing rules, deadlines and limits come from the batch. The settings of a machine cannot change its verdicts."""
    monkeypatch.setenv(name, "1")
    look_around(settings_json)
    (opened,) = station._open.values()
    assert opened._environment.timing.min_pairs == int(CALM["GRADER_TIMING__MIN_PAIRS"])
    assert opened._environment.workers.timeouts.launch == float(CALM["GRADER_DEADLINES__LAUNCH"])
    assert (
        opened._environment.workers.sandbox.facts()["cpu_seconds"]
        == int(CALM["GRADER_LIMITS__CPU_SECONDS"])
        != LIMITS.cpu_seconds + 1
    )


@pytest.mark.whole
def test_threads_of_one_process_take_turns(settings_json, bundle):
    """Two threads of one process grade one after the other, because an environment serves one grading at a time.

    This matters because a worker of a cluster may start several threads.
    """
    asked = job(settings_json, bundle, WRONG.read_bytes())
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(grade(asked))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [type(answer) for answer in answers] == [Result, Result]
    assert answers[0].checks[0].name == answers[1].checks[0].name


def test_the_next_station_removes_what_a_killed_one_has_left(settings_json, own_place):
    """A new station removes the folders of a killed station, because they contain reference solutions."""
    script = f"from grader.batch.station import look_around; look_around({settings_json!r}); print(flush=True); input()"
    command = [sys.executable, "-c", script]
    killed = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "TMPDIR": str(own_place)}
    )
    killed.stdout.readline()
    before = folders(own_place)
    assert any(name.startswith(PREFIX) for name in before)
    look_around(settings_json)
    assert set(before) <= set(folders(own_place))
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    leave()
    waited(lambda: look_around(settings_json) and not set(before) & set(folders(own_place)), 20)
    assert Path(own_place).is_dir()
