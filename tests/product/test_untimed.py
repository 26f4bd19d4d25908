"""An assignment without a speed check works in every command, on a real device and in the sandbox `process`."""

import csv
import json
import re
from xml.etree import ElementTree

import pytest
import yaml
from commandline import grader, output_of
from courses import KERNEL
from untimed import POINTS, STRIDED, WRONG, untimed_course

from grader.course.rubric import Kind
from grader.results.result import Result
from grader.results.verdicts import Reason, Verdict

SPEED_WORDS = re.compile(
    r"performance|GB/s|GFLOPS|model solution's speed|per cent of the model|too slow", re.IGNORECASE
)
GRADE = ("--assignment", "small", "--course", "course", "--require-sanitizer")
FILES = ("--json", "result.json", "--junit", "report.xml", "--html", "report.html")


@pytest.fixture
def folder(tmp_path):
    """A folder with the course and a correct submission."""
    untimed_course(tmp_path / "course")
    (tmp_path / "kernels.cl").write_text(KERNEL)
    return tmp_path


def graded(folder, source, *options):
    """Grade a source. Return the exit code, the output and the result."""
    (folder / "kernels.cl").write_text(source)
    done = grader(folder, "grade", "kernels.cl", *GRADE, *FILES, *options)
    return done.returncode, done.stdout, Result.model_validate_json((folder / "result.json").read_text())


def test_a_right_kernel_earns_the_points_of_all_other_checks(folder):
    """A correct kernel earns all points of the correctness, sanitizer and memory checks. Reports do not
    mention speed.
    """
    code, said, result = graded(folder, KERNEL)
    assert code == 0, said
    assert [each.kind for each in result.checks] == [
        *(Kind.BUILD, Kind.CORRECTNESS, Kind.CORRECTNESS, Kind.PRACTICE, Kind.SANITIZER, Kind.MEMORY, Kind.MEMORY)
    ]
    assert {each.verdict for each in result.checks} == {Verdict.PASSED}
    assert (result.points, result.max_points, result.performance_check) == (POINTS, POINTS, None)
    assert result.profiles[""].compulsory == 3 * 4 * 128
    for text in (said, *(read(folder, name) for name in ("report.xml", "report.html"))):
        assert not SPEED_WORDS.search(_visible(text))
    assert len(list(ElementTree.parse(folder / "report.xml").getroot().iter("testcase"))) == 7


@pytest.mark.sampled
@pytest.mark.parametrize("source", [WRONG, "__kernel void add(", "// nothing\n"], ids=["wrong", "no build", "empty"])
def test_a_wrong_kernel_loses_points_and_is_told_of_no_speed(folder, source):
    """A kernel that is wrong or does not build earns no points. Reports do not mention speed."""
    code, said, result = graded(folder, source)
    assert code == 1
    assert (result.points, result.max_points, result.performance_check) == (0, POINTS, None)
    assert not SPEED_WORDS.search(said)
    assert not SPEED_WORDS.search(_visible(read(folder, "report.html")))


@pytest.mark.whole
def test_uncoalesced_accesses_are_found_without_a_stated_least_traffic(folder):
    """If an assignment does not state its least traffic, grader computes it from the sizes of the two inputs and the
    output.
    """
    course = folder / "course" / "assignments" / "small" / "assignment.yaml"
    fields = yaml.safe_load(course.read_text())
    fields["correctness"]["cases"] = [{"name": "eight words", "sizes": {"n": 64}}]
    fields["sanitizer"]["sizes"] = {"n": 64}
    course.write_text(yaml.safe_dump(fields))
    _, _, result = graded(folder, STRIDED)
    (found,) = [each for each in result.checks if each.reason is Reason.UNCOALESCED]
    assert "The least traffic is 1,536 bytes" in found.message


@pytest.mark.whole
def test_what_is_asked_is_shown_without_speed(folder):
    """`grader show` does not mention speed, and `grader init` writes a folder that can be graded."""
    said = output_of(folder, "show", "small", "--course", "course")
    assert said.startswith(f"Adding (small), {POINTS} points")
    assert "coalesced: the least traffic" in said
    assert not SPEED_WORDS.search(said)
    assert grader(folder, "init", "small", "mine", "--course", "course").returncode == 0
    assert grader(folder, "grade", "mine", *GRADE).returncode == 1


@pytest.mark.whole
def test_a_mistake_is_explained_and_accesses_are_counted(folder):
    """`grader explain` and `grader profile` work as for assignments with a speed check."""
    profiled = output_of(folder, "profile", "kernels.cl", "--assignment", "small", "--course", "course")
    assert "sectors move 1.54 kB, the least possible" in " ".join(profiled.split())
    (folder / "kernels.cl").write_text(WRONG)
    done = grader(folder, "explain", "kernels.cl", "--assignment", "small", "--course", "course")
    assert done.returncode == 1
    assert "WRONG_OUTPUT" in done.stdout
    assert not SPEED_WORDS.search(done.stdout)


@pytest.mark.whole
@pytest.mark.timed
def test_kernels_are_timed_by_hand_without_a_rate(folder):
    """`grader run` times a kernel for the largest visible case and shows no rate. A sweep writes a table
    and a figure.
    """
    said = output_of(folder, "run", "kernels.cl", "--assignment", "small", "--course", "course", "--check")
    assert "at n 5000; real float, GROUP 64" in said
    assert "results right" in said
    assert re.search(r"kernel only, by the device +[\d.]+ \S+ +[\d.]+ \S+$", said, re.MULTILINE)
    assert not SPEED_WORDS.search(said)
    options = ("--assignment", "small", "--course", "course", "--sweep", "GROUP=32,64", "--plot", "groups.svg")
    said = output_of(folder, "run", "kernels.cl", *options)
    assert "transfers" in said
    assert not SPEED_WORDS.search(said)
    figure = read(folder, "groups.svg")
    assert "kernel only" in figure
    assert not SPEED_WORDS.search(figure)


@pytest.mark.whole  # the next test also validates an assignment
def test_it_is_validated_without_a_claim_about_speed(folder):
    """`grader validate`, which grades golden submissions, and `grader selftest` do not mention speed."""
    golden(folder, "right", KERNEL, "{}")
    golden(folder, "subtracts", WRONG, "{every case: WRONG_OUTPUT}")
    golden(folder, "broken", "__kernel void add(", "{build: BUILD_ERROR}")
    rewarding_all(folder)
    done = grader(folder, "validate", "small", "--course", "course", "--submissions", "golden")
    words = " ".join(done.stdout.split())
    assert done.returncode == 0, done.stdout
    assert "the model solution passes every check (19 of 19 points)" in words
    assert "3 of 3 submissions get the verdicts in their expected.yaml" in words
    assert "{name: coalesced, measure: coalescing" in words
    assert not SPEED_WORDS.search(words)
    assert "Nothing was timed" not in words
    done = grader(folder, "selftest", "small", "--course", "course")
    assert done.returncode == 0, done.stdout + done.stderr
    assert not SPEED_WORDS.search(done.stdout)


@pytest.mark.whole
def test_with_nothing_but_correctness_there_is_no_threshold_to_propose(folder):
    """If an assignment checks only correctness, `grader validate` proposes no thresholds. Golden submissions need no
    entries for the checks that are missing.
    """
    path = folder / "course" / "assignments" / "small" / "assignment.yaml"
    fields = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump({name: fields[name] for name in fields if name not in {"sanitizer", "memory"}}))
    rewarding_all(folder)
    golden(folder, "subtracts", WRONG, "{every case: WRONG_OUTPUT}")
    done = grader(folder, "validate", "small", "--course", "course", "--submissions", "golden")
    assert done.returncode == 0, done.stdout
    assert "No thresholds: only correctness is checked." in done.stdout


@pytest.mark.whole
def test_a_batch_fills_every_table_without_speed(folder):
    """Reports, tables and the overview do not mention speed. After a change of points, the stored results get their new
    points.
    """
    for name, source in (("anna", KERNEL), ("ben", WRONG)):
        (folder / "submissions" / name).mkdir(parents=True)
        (folder / "submissions" / name / "kernels.cl").write_text(source)
    command = ("batch", "submissions", "--assignment", "small", "--course", "course", "--out", "out")
    assert grader(folder, *command).returncode in {0, 1}
    assert points(folder) == {"anna": 19.0, "ben": 0.0}
    page = _visible(read(folder, "out/index.html"))
    assert not re.search(r"GB/s|GFLOPS|correct submissions are timed|Of model|fastest|speed", page)
    assert not SPEED_WORDS.search(_visible(read(folder, "out/students/anna/small.html")))
    gradescope = json.loads(read(folder, "out/students/anna/small.gradescope.json"))
    assert gradescope["score"] == 19
    assert not any("performance" in each["name"] for each in gradescope["tests"])
    path = folder / "course" / "assignments" / "small" / "assignment.yaml"
    path.write_text(path.read_text().replace("points: 10", "points: 20"))
    done = grader(folder, *command)
    assert "29" in done.stdout + read(folder, "out/grades.csv")
    assert points(folder) == {"anna": 29.0, "ben": 0.0}


@pytest.mark.whole  # the test of the other batch is faster
def test_a_suite_without_speed_has_points_for_each_kernel(folder):
    """The overview of a suite without speed checks lists the points for each kernel and has no columns about rates."""
    path = folder / "course" / "assignments" / "small" / "assignment.yaml"
    fields = yaml.safe_load(path.read_text())
    (launch,) = fields.pop("launches")
    del fields["kernel"]
    parts = [{"kernel": name, "launches": [{**launch, "kernel": name}]} for name in ("add", "plus")]
    path.write_text(yaml.safe_dump({**fields, "parts": parts}))
    both = KERNEL + KERNEL.replace("add", "plus")
    for place in ("course/reference/small/kernels.cl", "submissions/anna/kernels.cl"):
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(both)
    done = grader(folder, "batch", "submissions", "--assignment", "small", "--course", "course", "--out", "out")
    assert done.returncode == 0, done.stdout + done.stderr
    assert points(folder) == {"anna": 2 * POINTS}
    page = _visible(read(folder, "out/index.html"))
    assert "Kernel by kernel" in page
    assert not re.search(r"GB/s|GFLOPS|Timed|Rate|speed|naive", page)


@pytest.mark.whole
def test_a_kit_decides_everything(folder):
    """A kit for students can decide every visible check. It leaves out a hidden case, whose points still count in the
    total.
    """
    result = kit_result(folder, "open")
    assert ({each.reason for each in result.checks}, result.points) == ({None}, POINTS)
    path = folder / "course" / "assignments" / "small" / "assignment.yaml"
    path.write_text(path.read_text().replace("- name: ragged\n", "- name: ragged\n    hidden: true\n"))
    result = kit_result(folder, "hiding")
    (elsewhere,) = [each for each in result.checks if each.reason is not None]
    assert (elsewhere.kind, elsewhere.reason) == (Kind.CORRECTNESS, Reason.DECIDED_ELSEWHERE)
    assert (result.points, result.max_points) == (POINTS - 5, POINTS)


def kit_result(folder, name):
    """Return the result for the submission, graded with a kit of the course."""
    done = grader(folder, "export", "kit", "small", "--course", "course", "--out", name)
    assert (done.returncode, done.stderr) == (0, "")
    assert "performance" not in read(folder, f"{name}/course/assignments/small/assignment.yaml")
    grader(folder, "grade", "kernels.cl", "--assignment", "small", "--course", f"{name}/course", *FILES)
    return Result.model_validate_json(read(folder, "result.json"))


def rewarding_all(folder):
    """Change the assignment so that any kernel with right results may earn all points."""
    path = folder / "course" / "assignments" / "small" / "assignment.yaml"
    fields = {**yaml.safe_load(path.read_text()), "avoiding_earns_at_most": 1.0, "slips": []}
    path.write_text(yaml.safe_dump(fields))


def golden(folder, name, source, fails):
    """Write a golden submission that is expected to fail these checks."""
    home = folder / "golden" / "small" / name
    home.mkdir(parents=True)
    (home / "kernels.cl").write_text(source)
    (home / "expected.yaml").write_text(f"about: {name}\nfails: {fails}\n")


def points(folder):
    """Return the points in the instructor's table by student."""
    rows = csv.DictReader(read(folder, "out/grades.csv").removeprefix("\ufeff").splitlines())
    return {row["label"]: float(row["points"]) for row in rows}


def read(folder, name):
    return (folder / name).read_text(encoding="utf-8")


def _visible(page):
    """Return the text of a page without styles, scripts and markup."""
    return re.sub(r"<(style|script)\b.*?</\1>|<[^>]*>", " ", page, flags=re.DOTALL)
