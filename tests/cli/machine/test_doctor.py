"""doctor.py: findings about a machine, and how to fix them."""

import shutil
import tempfile
from contextlib import nullcontext
from dataclasses import replace
from io import StringIO
from types import SimpleNamespace

import numpy as np
import pytest
from courses import ADDITION, course_of
from pools import pool_like
from project import ASSIGNMENTS, ROOT
from rich.console import Console
from samples import profile_of

from grader.cli.machine import doctor
from grader.cli.machine.doctor import FREE_BYTES, MachineFact, containers, examine, print_fact
from grader.common.errors import InputError, NoContainersError, WorkerError
from grader.course.catalogue import Course
from grader.execution.client import Worker
from grader.execution.outcome import Crashed, Fetched
from grader.grading.settings import Settings
from grader.grading.timing.device_profile import save_profile

TOPICS = ["Python", "linker", "temporary folder", "sandbox", "device", "a kernel", "device profile", "simulator"]

BEFORE_A_DEVICE = TOPICS[:5]
"""Topics that are examined even if there is no device."""


@pytest.fixture
def empty_course(tmp_path):
    """Return a course without assignments, so that all findings are about the machine."""
    (tmp_path / "assignments").mkdir()
    return Course(assignments=tmp_path / "assignments", reference=tmp_path / "reference")


@pytest.fixture
def dead_environment(environment, monkeypatch):
    """Return an environment in which no worker can start."""

    def refuse(_):
        raise WorkerError("a worker could not start: there is none in this test.")

    monkeypatch.setattr(type(environment.workers.sandbox), "start", refuse)
    return environment


def findings(environment, course):
    return {finding.topic: finding for finding in examine("process", lambda: nullcontext(environment), course)}


@pytest.mark.whole
def test_this_machine_is_found_in_order(environment, course):
    """On this machine, every topic that grading depends on is examined, basic topics first, and none needs a fix."""
    found = list(examine("process", lambda: nullcontext(environment), course))
    assert [finding.topic for finding in found] == [*TOPICS, *sorted(ASSIGNMENTS)]
    assert [finding for finding in found if finding.remedy] == []
    assert all(finding.found for finding in found)
    assert found[5].found == "builds, runs and computes the right result"
    assert found[6].found == "none; `grader calibrate` measures the device"
    assert found[7].found.startswith("Oclgrind Simulator")
    assert found[8].found == course.load(found[8].topic).title


def test_a_missing_linker_is_found_with_its_remedy(dead_environment, empty_course, monkeypatch):
    """The finding for a missing linker tells how to install one.

    The doctor looks for `ld` itself, because PoCL's error message does not help.
    """
    monkeypatch.setattr(shutil, "which", lambda _: None)
    finding = findings(dead_environment, empty_course)["linker"]
    assert "the linker `ld` is missing" in finding.found
    assert "apt install binutils" in finding.remedy


def test_a_missing_linker_is_told_once(environment, empty_course, monkeypatch):
    """Without a linker, the doctor does not try a kernel, because it would fail for the same reason."""
    monkeypatch.setattr(shutil, "which", lambda _: None)
    found = findings(environment, empty_course)
    assert [topic for topic, finding in found.items() if finding.remedy] == ["linker"]
    assert "a kernel" not in found


def test_the_second_linker_will_do(dead_environment, empty_course, monkeypatch):
    """The doctor accepts ld.lld as a linker, because PoCL does."""
    monkeypatch.setattr(shutil, "which", lambda name: "/opt/ld.lld" if name == "ld.lld" else None)
    finding = findings(dead_environment, empty_course)["linker"]
    assert (finding.found, finding.remedy) == ("/opt/ld.lld", "")


@pytest.mark.parametrize(("free", "full"), [(FREE_BYTES - 1, True), (5 * 2**20, True), (FREE_BYTES, False)])
def test_a_full_temporary_folder_is_found_with_its_remedy(dead_environment, empty_course, monkeypatch, free, full):
    """The finding for a full temporary folder states the free space, and advises to free space or to set TMPDIR."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    finding = findings(dead_environment, empty_course)["temporary folder"]
    assert tempfile.gettempdir() in finding.found
    assert ("TMPDIR" in finding.remedy) is full


def test_a_device_out_of_range_is_found_with_its_remedy(environment, empty_course):
    """For a device number out of range, the finding states how many devices there are.

    Topics that need a device are left out.
    """
    found = findings(replace(environment, workers=pool_like(environment.workers, device=99)), empty_course)
    assert "there is no OpenCL device 99: this machine has " in found["device"].found
    assert found["device"].remedy == "give the number with --device"
    assert list(found) == [topic for topic in TOPICS if topic not in {"a kernel", "device profile"}]


@pytest.mark.whole
def test_a_worker_that_does_not_start_does_not_stop_the_examination(dead_environment, course):
    """The topics after the device are examined even if no worker starts."""
    found = findings(dead_environment, course)
    assert list(found) == [*BEFORE_A_DEVICE, "simulator", *sorted(ASSIGNMENTS)]
    assert "a worker could not start" in found["device"].found
    assert found["device"].remedy
    assert not found["coalsTransp"].remedy


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        ({"out": np.zeros(256, dtype=np.uint32)}, "wrong values"),
        (Crashed(signal=6, exit_code=None, words="no linker"), "cannot run a simple kernel"),
    ],
)
def test_a_driver_that_does_not_compute_is_found_with_its_remedy(environment, empty_course, monkeypatch, outcome, said):
    """A device that is listed but computes wrong values or crashes has a finding that tells how to fix it."""
    nothing = np.empty(0, dtype=np.uint32)
    if isinstance(outcome, dict):
        outcome = {
            name: Fetched(before=nothing, payload=payload, after=nothing, poison=0) for name, payload in outcome.items()
        }
    monkeypatch.setattr(Worker, "run_once", lambda *_: outcome)
    finding = findings(environment, empty_course)["a kernel"]
    assert said in finding.found
    assert "the driver is installed" in finding.remedy


@pytest.mark.whole
def test_a_device_profile_is_found_by_name_and_date(environment, empty_course, tmp_path):
    """The finding for a current device profile states its name and date, and no fix."""
    with environment.worker() as worker:
        path = save_profile(profile_of(worker.ready()), tmp_path)
    finding = findings(replace(environment, profiles=tmp_path), empty_course)["device profile"]
    assert (finding.found, finding.remedy) == (f"{path.name}, 2026-01-01T00:00:00+00:00", "")


@pytest.mark.whole
def test_a_stale_device_profile_is_found_with_its_remedy(environment, empty_course, tmp_path):
    """A stale device profile needs a fix, because no submission can be graded with it."""
    with environment.worker() as worker:
        save_profile(profile_of(worker.ready().model_copy(update={"driver": "0.1"})), tmp_path)
    finding = findings(replace(environment, profiles=tmp_path), empty_course)["device profile"]
    assert "was measured with driver 0.1" in finding.found
    assert "`grader calibrate`" in finding.found
    assert finding.remedy


def test_a_broken_assignment_is_found_with_its_remedy_beside_whole_ones(dead_environment, tmp_path):
    """The finding for a broken assignment names the file and the field. Other assignments are reported as in order."""
    for part in ("assignments", "reference"):
        for name in ("coalsTransp", "blockMMM"):
            shutil.copytree(ROOT / part / name, tmp_path / part / name)
    path = tmp_path / "assignments" / "blockMMM" / "assignment.yaml"
    path.write_text(path.read_text().replace("title:", "titel:"))
    course = Course(assignments=tmp_path / "assignments", reference=tmp_path / "reference")
    found = findings(dead_environment, course)
    assert str(path) in found["blockMMM"].found
    assert "titel" in found["blockMMM"].found
    assert found["blockMMM"].remedy == "fix the file that the message names"
    assert (found["coalsTransp"].found, found["coalsTransp"].remedy) == ("Coalesced transposition", "")


@pytest.mark.whole
def test_an_assignment_whose_images_the_device_lacks_is_found(environment, tmp_path, monkeypatch):
    """The device refuses the images of an assignment. It is found with its remedy, and nothing else is wrong."""
    why = "this GPU has no images. Choose another device."
    monkeypatch.setattr(doctor, "missing_images", lambda *_: why)
    found = findings(environment, course_of(tmp_path))
    assert [(topic, each.found) for topic, each in found.items() if each.remedy] == [("small", why)]


@pytest.mark.whole
def test_an_assignment_that_is_too_large_for_the_device_is_found(environment, tmp_path):
    """Doctor reports an assignment whose work-groups are too large for the device."""
    (launch,) = ADDITION["launches"]
    wide = {**launch, "global": [2**20], "local": [2**20]}
    found = findings(environment, course_of(tmp_path, {**ADDITION, "launches": [wide]}))["small"]
    assert "launches add with 1,048,576. Make `local` smaller." in found.found
    assert found.remedy


def test_a_missing_course_is_an_input_error_after_the_machine_was_looked_at(dead_environment, tmp_path):
    """The doctor reports on the machine before a missing course raises InputError."""
    course = Course(assignments=tmp_path / "none", reference=tmp_path / "none")
    examination = examine("process", lambda: nullcontext(dead_environment), course)
    found = [*BEFORE_A_DEVICE, "simulator"]
    assert [next(examination).topic for _ in found] == found
    with pytest.raises(InputError, match="is not a folder"):
        next(examination)


def test_a_missing_engine_is_found_with_a_command_to_copy(empty_course):
    """Without a container engine, the finding about the sandbox has the command that starts one."""

    def refuse():
        raise NoContainersError("no container engine answers (refused).", "sudo systemctl start docker")

    found = {fact.topic: fact for fact in examine("docker", refuse, empty_course)}["sandbox docker"]
    assert found.command == "sudo systemctl start docker"
    assert found.remedy.startswith("run the command below")


def test_a_command_is_printed_whole_on_its_own_line():
    """Facts are wrapped between words at the width of the terminal. A command has its own line and is not wrapped, so
    that it can be copied.
    """
    console = Console(file=StringIO(), width=40)
    command = f"docker build --target worker --tag {'x' * 30} ."
    print_fact(MachineFact(topic="sandbox", found="word " * 12, remedy="remedy " * 8, command=command), console)
    first, *others, last = console.file.getvalue().splitlines()
    assert first.startswith("needs  sandbox: word")
    assert last == f"           {command}"
    assert all(line.startswith("       ") and len(line) <= 40 for line in others)


@pytest.mark.parametrize(
    ("named", "has_containers", "topics"),
    [(None, False, ["containers"]), (None, True, []), ("process", False, []), ("docker", False, [])],
)
def test_without_containers_the_doctor_says_which_files_need_them(monkeypatch, named, has_containers, topics):
    """If containers are not available and no sandbox is named, a fact says which files are graded anyway, and names the
    option for other files. It is no problem.
    """
    monkeypatch.setattr(Settings, "has_containers", lambda _: has_containers)
    found = list(containers(Settings(sandbox=named)))
    assert [fact.topic for fact in found] == topics
    assert all("--sandbox process" in fact.found and not fact.remedy for fact in found)
