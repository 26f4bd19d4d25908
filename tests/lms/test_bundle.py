"""bundle.py: an assignment is sent with everything that grading needs, and is checked when it arrives."""

import csv
import io
import pickle
import re
import shutil
import subprocess
import sys
import zipfile

import pytest
from project import ASSIGNMENTS, ROOT

from grader.common.errors import InputError, UngradedError
from grader.course.catalogue import Course
from grader.lms.bundle import (
    LEFT_OUT,
    PLACEHOLDER,
    RUN,
    SETUP,
    Platform,
    autograder,
    hash_of,
    own_wheel,
    pack,
    unpack,
    zipped,
)

CONSTRAINTS = ROOT / "constraints.txt"


def arrived(bundle):
    """Return the bundle after pickling and unpickling it, as if it had been sent over the network."""
    return pickle.loads(pickle.dumps(bundle))


@pytest.mark.sampled
@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_an_assignment_arrives_as_it_was(course, tmp_path, name):
    """An unpacked assignment has all of its files, and the solutions of other assignments that it launches."""
    sent = course.load(name)
    unpacked = unpack(arrived(pack(sent)), tmp_path)
    assert unpacked.sha256 == sent.sha256
    assert [part.model_solutions() for part in unpacked.parts] == [part.model_solutions() for part in sent.parts]
    assert unpacked.folder.is_relative_to(tmp_path)


def test_solutions_of_others_come_without_their_assignments(course):
    """If another assignment's solution is needed, only its kernels.cl is included."""
    names = [name for name, _ in pack(course.load("optimProgram")).files]
    others = [name for name in names if "/optimProgram/" not in name]
    assert all(name.endswith("/kernels.cl") and name.startswith("reference/") for name in others)


@pytest.mark.whole
def test_two_assignments_have_two_hashes_and_one_has_one(course):
    """Each assignment has one hash, which is the name of the folder into which it is unpacked."""
    hashes = {pack(course.load(name)).sha256 for name in ASSIGNMENTS}
    assert len(hashes) == len(ASSIGNMENTS)
    assert pack(course.load("blockMMM")).sha256 in hashes


@pytest.mark.parametrize("what", ["a byte", "a name", "one less", "one more"])
def test_whatever_changes_changes_the_hash(course, what):
    """The hash depends on the contents, the names and the number of files."""
    bundle = pack(course.load("blockMMM"))
    (name, content), *others = bundle.files
    changed = {
        "a byte": ((name, content + b"\n"), *others),
        "a name": ((name + "x", content), *others),
        "one less": tuple(others),
        "one more": (*bundle.files, ("reference/blockMMM/more.cl", b"")),
    }
    assert hash_of(changed[what]) != bundle.sha256


def test_a_second_job_finds_it_there(course, tmp_path):
    """A second job uses the unpacked files without writing them again."""
    bundle = pack(course.load("blockMMM"))
    first = unpack(bundle, tmp_path)
    before = (first.folder / "assignment.yaml").stat().st_mtime_ns
    assert unpack(arrived(bundle), tmp_path).sha256 == first.sha256
    assert (first.folder / "assignment.yaml").stat().st_mtime_ns == before


@pytest.mark.parametrize("change", ["altered", "added", "removed", "half written"])
def test_what_is_not_what_was_sent_is_written_again(course, tmp_path, change):
    """Files that differ from the bundle, for example after an edit or because the disk was full, are written again.

    A batch must use exactly its own assignment.
    """
    sent = course.load("blockMMM")
    unpacked = unpack(pack(sent), tmp_path)
    baseline = unpacked.reference / "baseline.cl"
    if change == "altered":
        baseline.write_bytes(baseline.read_bytes() + b"\n")
    if change == "added":
        (unpacked.reference / "more.cl").touch()
    if change == "removed":
        baseline.unlink()
    if change == "half written":
        shutil.rmtree(unpacked.reference)
    again = unpack(pack(sent), tmp_path)
    assert again.sha256 == sent.sha256
    assert pack(again) == pack(sent)


def test_what_has_changed_on_the_way_grades_nothing(course, tmp_path):
    """A bundle whose hash differs from the one at its source is refused and does not leave any files behind."""
    sent = pack(course.load("blockMMM"))
    name, content = sent.files[0]
    forged = arrived(sent)
    object.__setattr__(forged, "files", ((name, content + b"\n"), *sent.files[1:]))
    with pytest.raises(UngradedError, match="were changed on their way here"):
        unpack(arrived(forged), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_to_is_our_fault(course, tmp_path):
    """If a folder is not writable, UngradedError gives the reason, so the submission can be tried elsewhere."""
    (tmp_path / "file").touch()
    with pytest.raises(UngradedError, match="Not a directory"):
        unpack(pack(course.load("blockMMM")), tmp_path / "file")


def test_the_rules_of_a_course_travel_with_it(tmp_path):
    """The settings in course.yaml apply to an assignment that is sent alone."""
    for part in ("assignments", "reference"):
        shutil.copytree(ROOT / part / "coalsTransp", tmp_path / part / "coalsTransp")
    (tmp_path / "course.yaml").write_text("hints: part\n")
    sent = Course(assignments=tmp_path / "assignments", reference=tmp_path / "reference").load("coalsTransp")
    unpacked = unpack(arrived(pack(sent)), tmp_path / "there")
    assert unpacked.hints == "part"
    assert unpacked.measured_sha256 == sent.measured_sha256


def test_dates_can_be_read_on_another_machine(tmp_path):
    """The dates in assignment.yaml are sent with the course's time zone, but not with the course's other policies."""
    for part in ("assignments", "reference"):
        shutil.copytree(ROOT / part / "coalsTransp", tmp_path / part / "coalsTransp")
    (tmp_path / "course.yaml").write_text("timezone: Europe/Berlin\ngrace: 10\n")
    with (tmp_path / "assignments" / "coalsTransp" / "assignment.yaml").open("a") as file:
        file.write("due: 2026-12-01T23:59\n")
    sent = Course(assignments=tmp_path / "assignments", reference=tmp_path / "reference").load("coalsTransp")
    unpacked = unpack(arrived(pack(sent)), tmp_path / "there")
    assert (unpacked.due, unpacked.timezone, unpacked.grace) == (sent.due, "Europe/Berlin", 0)
    assert (unpacked.measured_sha256, unpacked.sha256) == (sent.measured_sha256, sent.sha256)


def members(data):
    """Return the contents of the files in a zip, by name."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_wheel_is_installed_by_pip_and_starts(tmp_path):
    """pip installs the wheel and its command, and the installed files are identical to this source."""
    name, data = own_wheel()
    (tmp_path / name).write_bytes(data)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", tmp_path / "there"]
    subprocess.run([*pip, tmp_path / name], check=True)
    installed = tmp_path / "there" / "grader"
    for path in (
        "cli/main.py",
        "worker/simulator/observer/observer.cpp",
        "worker/simulator/observer.so",
        "worker/simulator/build-observer",
        "execution/sandbox/docker/seccomp.json",
        "lms/templates/setup.sh",
    ):
        assert (installed / path).read_bytes() == (ROOT / "grader" / path).read_bytes()
    assert (tmp_path / "there" / "bin" / "grader").is_file()


def test_no_model_solution_is_in_it_and_nothing_built_but_the_plugin():
    """The wheel contains no model solution, and its only native code is the plug-in.

    The name of the wheel therefore states the platform.
    """
    name, data = own_wheel()
    names = members(data)
    assert not [each for each in names if "reference" in each or each.endswith(".pyc")]
    assert sorted(each for each in names if each.endswith(".cl")) == [
        "grader/kernels/calibration.cl",
        "grader/kernels/device_data.cl",
        "grader/kernels/peak.cl",
    ], "the grader's own kernels, and none of an assignment"
    assert [each for each in names if each.endswith(".so")] == ["grader/worker/simulator/observer.so"]
    assert name.endswith("-py3-none-linux_x86_64.whl")


def test_a_plugin_that_was_never_built_is_missed_here_and_not_by_students(monkeypatch):
    """A wheel without the built plug-in is refused, and the error says how to build it."""
    monkeypatch.setattr("grader.lms.bundle.LEFT_OUT", {*LEFT_OUT, "observer.so"})
    with pytest.raises(InputError, match=r"observer\.so is missing: build it with `make observer`"):
        own_wheel()


def test_its_record_names_every_file():
    """RECORD lists every file with its size, because pip refuses a wheel whose files disagree with it."""
    files = members(own_wheel()[1])
    (record,) = [data for name, data in files.items() if name.endswith(".dist-info/RECORD")]
    rows = list(csv.reader(record.decode().splitlines()))
    assert {row[0] for row in rows} == set(files)
    for name, digest, size in rows:
        assert (not digest and not size) if name.endswith("RECORD") else int(size) == len(files[name])


def test_the_same_files_make_the_same_zip():
    """Equal files lead to an identical zip, regardless of order and time, with Unix permissions."""
    files = {"b": b"1", "a": b"2"}
    data = zipped(files, executable=frozenset({"a"}))
    assert data == zipped(dict(reversed(files.items())), executable=frozenset({"a"}))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        modes = {entry.filename: entry.external_attr >> 16 for entry in archive.infolist()}
    assert modes == {"a": 0o100755, "b": 0o100644}


@pytest.fixture(params=Platform)
def files(request, transposition):
    """The files of an autograder, for each platform."""
    return autograder(request.param, transposition, CONSTRAINTS)


@pytest.mark.whole
def test_it_holds_the_one_assignment_whole_and_no_other(files, transposition):
    """The course contains identical copies of one assignment's files and model solution, and no files of other
    assignments.
    """
    course = {name: data for name, data in files.items() if name.startswith("course/")}
    expected = {
        f"course/{part}/coalsTransp/{path.name}": path.read_bytes()
        for part, folder in (("assignments", transposition.folder), ("reference", transposition.reference))
        for path in folder.iterdir()
        if path.is_file()
    }
    assert course == expected


def test_its_name_stands_in_place_of_the_placeholder(files):
    """In every template, the assignment's name has replaced the placeholder."""
    templates = {name: data for name, data in files.items() if not name.endswith(".whl")}
    assert [name for name, data in templates.items() if PLACEHOLDER.encode() in data] == []
    assert any(b'--assignment "coalsTransp"' in data for data in templates.values())


def test_it_never_grades_without_the_simulator(files):
    """Every grading command has --require-sanitizer.

    Otherwise, a platform would record a part of the points as the grade.
    """
    templates = [data.decode() for name, data in files.items() if not name.startswith(("grader-", "course/"))]
    commands = [
        command
        for text in templates
        for command in re.findall(r"grader (?:grade|batch) .*", text.replace("\\\n", ""))
        if "--assignment" in command
    ]
    assert commands
    assert all("--require-sanitizer" in command for command in commands)


def test_the_two_scripts_of_a_zip_can_be_executed(transposition):
    """Only setup.sh and run_autograder are executable in the zip, because Gradescope runs them directly."""
    data = zipped(autograder(Platform.GRADESCOPE, transposition, CONSTRAINTS), frozenset({SETUP, RUN}))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        modes = {entry.filename: entry.external_attr >> 16 & 0o777 for entry in archive.infolist()}
    assert {name for name, mode in modes.items() if mode == 0o755} == {"setup.sh", "run_autograder"}
    assert set(modes.values()) == {0o755, 0o644}


def test_constraints_that_are_missing_are_named(transposition, tmp_path):
    """Without constraints.txt, the grader is incomplete, and the error names this file."""
    with pytest.raises(InputError, match=r"constraints\.txt cannot be read"):
        autograder(Platform.GITLAB, transposition, tmp_path / "constraints.txt")


def test_a_solution_that_the_program_around_the_kernel_runs_comes_along(course):
    """If the program around the kernel runs another assignment's solution, the files include that solution."""
    files = autograder(Platform.GRADESCOPE, course.load("coalsProgrm"), CONSTRAINTS)
    assert (
        files["course/reference/coalsTransp/kernels.cl"]
        == (ROOT / "reference" / "coalsTransp" / "kernels.cl").read_bytes()
    )
