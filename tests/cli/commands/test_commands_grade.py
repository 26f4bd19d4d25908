"""grade.py: grading one submission on the command line, from invalid input to exit codes."""

import json
import os
import re
import shutil
import subprocess
import sys
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest
from commandline import (
    CRASHING,
    HANGING,
    MODEL,
    NOT_BUILDING,
    QUICK,
    REPORTS,
    WRONG,
    complained,
    complaint,
    environment,
    everything_said,
    grade,
    graded_as_failed,
    grader,
    is_ungraded,
    names_in,
    output_of,
    reasons_by_kind,
    without_simulator,
)
from hidden_parts import WRONG_FOR_PRACTICE, WRONG_WHEN_RAGGED, hiding_course
from project import ROOT

from grader.results.result import Result

pytestmark = pytest.mark.spread

# --- files that are not submissions -------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"\x7fELF\x00\x01", "binary file"),
        ("__kernel".encode("utf-16"), "is UTF-16 text; save it as UTF-8"),
        (b"/" * (1024 * 1024 + 1), "is over 1 MiB"),
    ],
    ids=["empty", "binary", "UTF-16", "too large"],
)
def test_a_file_that_is_no_source_text_is_one_line_and_exit_code_2(tmp_path, content, said):
    """An empty, binary, UTF-16 or too large file leads to exit code 2 and a line with its name and problem."""
    (tmp_path / "kernels.cl").write_bytes(content)
    line = complaint(grade(tmp_path))
    assert "kernels.cl" in line
    assert said in line
    assert names_in(tmp_path) == ["kernels.cl"]


def test_a_missing_file_is_one_line_and_exit_code_2(tmp_path):
    """A missing file leads to exit code 2 and a line with the given path."""
    line = complaint(grader(tmp_path, "grade", "nothing.cl", "--assignment", "coalsTransp"))
    assert line == "grader: there is no file nothing.cl; check the path.\n"


def test_a_folder_without_kernels_is_one_line_and_exit_code_2(tmp_path):
    """A folder without kernels.cl leads to exit code 2 and a line that lists the files in the folder."""
    shutil.copy(MODEL, tmp_path / "mine.cl")
    line = complaint(grader(tmp_path, "grade", ".", "--assignment", "coalsTransp"))
    assert "has no kernels.cl. It contains mine.cl" in line


def test_a_path_that_cannot_be_opened_is_one_line_and_exit_code_2(tmp_path):
    """A link to itself, a file used as a folder and an unreadable file lead to exit code 2 and the system's reason."""
    (tmp_path / "loop.cl").symlink_to("loop.cl")
    shutil.copy(MODEL, tmp_path / "locked.cl")
    (tmp_path / "locked.cl").chmod(0)
    paths = {"loop.cl": "symbolic links", "locked.cl/kernels.cl": "Not a directory"}
    if os.getuid() != 0:
        paths["locked.cl"] = "Permission denied"
    for path, reason in paths.items():
        line = complaint(grader(tmp_path, "grade", path, "--assignment", "coalsTransp"))
        assert f"{path} cannot be read" in line
        assert reason in line


def test_a_path_that_is_too_long_is_one_line_and_exit_code_2(tmp_path):
    """A path that is too long leads to exit code 2 and one line, like any missing path."""
    complaint(grader(tmp_path, "grade", "k" * 300, "--assignment", "coalsTransp"))


# --- invalid options ------------------------------------------------------------------------------


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--assignment", "coalTransp"), "there is no assignment 'coalTransp'; did you mean coalsTransp?"),
        (("--assignment", "../coalsTransp"), "there is no assignment '../coalsTransp'"),
        (("--assignment", "coalsTransp", "--seed", "-1"), "the seed -1 is out of range; it must be from 0 to"),
        (("--assignment", "coalsTransp", "--seed", 2**63), "out of range"),
        (("--assignment", "coalsTransp", "--device", "-1"), "device"),
        (("--assignment", "coalsTransp", "--sandbox", "sandpit"), "there is no sandbox 'sandpit'; there are: process"),
        (("--assignment", "coalsTransp", "--course", "nowhere"), "nowhere/assignments is not a folder"),
        (("--assignment", "coalsTransp", "--junit", "none/report.xml"), "there is no folder none; make it first"),
        (("--assignment", "coalsTransp", "--json", "."), "it is a folder; name a file"),
        (("--assignment", "coalsTransp", "--junit", "ok.xml", "--json", "no/r.json"), "there is no folder no"),
        (("--assignment", "coalsTransp", "--junit", "j" * 300), "cannot write"),
        (("--assignment", "coalsTransp", "--json", "kernels.cl"), "kernels.cl"),
        (("--assignment", "coalsTransp", "--junit", "same", "--json", "same"), "same"),
    ],
    ids=[
        "near an assignment",
        "an assignment's path",
        "seed below the range",
        "seed above the range",
        "device below zero",
        "sandbox",
        "course",
        "folder of a report",
        "folder as a report",
        "folder of the second report",
        "name of a report too long",
        "report over the submission",
        "one file for two reports",
    ],
)
def test_an_option_that_cannot_be_used_is_one_line_before_anything_is_graded(tmp_path, args, said):
    """An invalid option leads to exit code 2 and a line about it. No file is written or changed."""
    shutil.copy(MODEL, tmp_path / "kernels.cl")
    line = complaint(grader(tmp_path, "grade", "kernels.cl", *args, **QUICK))
    assert said in line
    assert names_in(tmp_path) == ["kernels.cl"]
    assert (tmp_path / "kernels.cl").read_bytes() == MODEL.read_bytes()


def test_a_students_repository_decides_nothing_about_its_grading(tmp_path):
    """A settings file in a student's repository is not read.

    Such a file could select a course by the student, with an oracle.py that would run as part of the judge.
    """
    evil = tmp_path / "evil"
    for folder in ("assignments", "reference"):
        shutil.copytree(ROOT / folder / "coalsTransp", evil / folder / "mine")
    (evil / "reference" / "mine" / "oracle.py").write_text(
        "open('owned', 'w')\n" + (ROOT / "reference" / "coalsTransp" / "oracle.py").read_text()
    )
    (tmp_path / "grader.yaml").write_text("course: evil\nsandbox: process\n")
    (tmp_path / "kernels.cl").write_text(NOT_BUILDING)
    line = complaint(grader(tmp_path, "grade", "kernels.cl", "--assignment", "mine", **QUICK))
    assert "there is no assignment 'mine'" in line
    assert not (tmp_path / "owned").exists()


NO_ENGINE = {"DOCKER_HOST": "unix:///nowhere", "GRADER_SANDBOX": ""}


def test_a_file_that_was_downloaded_does_not_run_without_a_wall(tmp_path):
    """Without a container engine, a downloaded file is not run, regardless of its owner and of the files next to it.

    The message names the option that runs it anyway, and says that the code then has the user's rights.
    """
    (tmp_path / "kernels.cl").write_text(WRONG)
    done = grade(tmp_path, **NO_ENGINE, **QUICK)
    assert (done.returncode, done.stdout) == (3, "")
    assert "no container engine answers" in done.stderr
    assert "--sandbox process runs it with your rights" in done.stderr


@pytest.mark.whole
def test_what_was_started_here_is_graded_on_a_machine_without_containers(tmp_path):
    """Without a container engine, a folder from `grader init` is graded in a process, because its code is the user's
    own.

    A copy of that folder is not run, because its code may come from another person.
    """
    state = {"XDG_STATE_HOME": str(tmp_path / "state"), **NO_ENGINE, **QUICK}
    assert grader(tmp_path, "init", "coalsTransp", "mine", **state).returncode == 0
    (tmp_path / "mine" / "kernels.cl").write_text(NOT_BUILDING)
    done = grade(tmp_path / "mine", **state)
    assert graded_as_failed(done, tmp_path / "mine").provenance.sandbox == "process"
    shutil.copytree(tmp_path / "mine", tmp_path / "theirs")
    assert grade(tmp_path / "theirs", **state).returncode == 3


@pytest.fixture
def copied_course(tmp_path):
    """Return a course with one assignment that a test may damage, next to a submission."""
    for part in ("assignments", "reference"):
        shutil.copytree(ROOT / part / "coalsTransp", tmp_path / "course" / part / "coalsTransp")
    shutil.copy(MODEL, tmp_path / "kernels.cl")
    return tmp_path / "course"


@pytest.mark.whole
def test_in_the_folder_that_init_made_no_command_needs_a_name(tmp_path):
    """`grader grade` and `grader explain` need no arguments inside the folder, and only its name outside.

    An assignment on the command line takes precedence over the folder's.
    """
    grader(tmp_path, "init", "coalsTransp", "mine")
    mine = tmp_path / "mine"
    (mine / "kernels.cl").write_text(NOT_BUILDING)
    for folder, words in ((mine, ()), (tmp_path, ("mine",)), (mine, ("kernels.cl",)), (tmp_path, ("mine/kernels.cl",))):
        done = grader(folder, "grade", *words)
        assert (done.returncode, done.stdout.splitlines()[0]) == (1, "Coalesced transposition  coalsTransp")
    assert "BUILD_ERROR" in grader(mine, "explain").stdout
    assert "Vector addition  vectorAdd" in grader(mine, "grade", "-a", "vectorAdd").stdout


@pytest.mark.parametrize(
    ("pattern", "replacement", "said"),
    [
        ("^title: .*\n", "", ": title: Field required; add it"),
        ("^kernel:", "kernal:", ", line 3: kernal: unknown key; did you mean kernel?"),
        ("^title: .*", "title: [", ": is not YAML"),
    ],
)
def test_a_malformed_assignment_is_one_line_with_its_path_and_a_remedy(copied_course, pattern, replacement, said):
    """An error in an assignment file leads to exit code 2 and a line with its path and the fix."""
    path = copied_course / "assignments" / "coalsTransp" / "assignment.yaml"
    path.write_text(re.sub(pattern, replacement, path.read_text(), count=1, flags=re.MULTILINE))
    line = complaint(grade(copied_course.parent, "--course", "course"))
    assert "course/assignments/coalsTransp/assignment.yaml" in line
    assert said in line


def test_an_incomplete_reference_is_one_line_with_its_path(copied_course):
    """A missing oracle leads to exit code 2 and a line with the path of the missing file."""
    (copied_course / "reference" / "coalsTransp" / "oracle.py").unlink()
    line = complaint(grader(copied_course.parent, "show", "coalsTransp", "--course", "course"))
    assert "course/reference/coalsTransp/oracle.py is missing" in line


# --- submissions that fail ---------------------------------------------------------------------


@pytest.mark.whole
def test_a_missing_kernel_is_a_result_that_names_the_nearest(tmp_path):
    """A missing kernel leads to a failed result with exit code 1. It suggests the kernel with the nearest name.

    No other check is run.
    """
    (tmp_path / "kernels.cl").write_text(WRONG.replace("coalsTransp", "coalsTrans"))
    done = grade(tmp_path)
    build, *rest = graded_as_failed(done, tmp_path).checks
    assert build.reason == "KERNEL_MISSING"
    assert build.message == "the file has no kernel named coalsTransp; the nearest is coalsTrans."
    assert {check.reason for check in rest} == {"NOT_RUN"}
    assert " 1. error[KERNEL_MISSING]: " in done.stdout


def test_verbose_shows_every_check_with_its_log(tmp_path):
    """The report shows each cause once. --verbose adds a row for each check, with its message and its log."""
    (tmp_path / "kernels.cl").write_text(NOT_BUILDING)
    brief, verbose = (grade(tmp_path, *more).stdout for more in ((), ("--verbose",)))
    build = Result.model_validate_json((tmp_path / "result.json").read_text()).checks[0]
    for text, times in ((brief, 1), (verbose, 2)):
        assert " ".join(text.split()).count(build.message) == times
    assert "failed  build: see 1\n" in brief
    assert "\nfailed  build\n        BUILD_ERROR  " in verbose


@pytest.mark.whole
def test_a_wrong_argument_list_shows_expected_and_found(tmp_path):
    """A wrong argument list leads to exit code 1. Every report shows the expected and the actual declaration."""
    (tmp_path / "kernels.cl").write_text(WRONG.replace(", uint width", ""))
    done = grade(tmp_path)
    assert graded_as_failed(done, tmp_path).checks[0].reason == "WRONG_ARGUMENTS"
    for text in (done.stdout, (tmp_path / "report.xml").read_text()):
        words = " ".join(text.split())
        assert "expected: __kernel void coalsTransp(__global real *A, __global real *B, uint32_t height" in words
        assert "found: __kernel void coalsTransp(__global float *A, __global float *B, uint height)" in words


def test_a_build_error_gives_the_students_line_and_no_path_of_ours(tmp_path):
    """A build error leads to exit code 1 and the line in the student's file. Paths of this machine do not appear."""
    (tmp_path / "kernels.cl").write_text(NOT_BUILDING)
    done = grade(tmp_path)
    build = graded_as_failed(done, tmp_path).checks[0]
    assert build.reason == "BUILD_ERROR"
    assert build.message.startswith("line 5, column 12: ")
    said = everything_said(done, tmp_path)
    assert "kernels.cl:5:12" in said
    for ours in ("/tmp/", "tempfile", str(tmp_path), str(ROOT), sys.prefix, "<kernel>"):
        assert ours not in said


@pytest.mark.whole
def test_a_page_is_written_beside_the_other_reports(tmp_path):
    """The HTML page has the same verdict as the other reports, and begins with the error and its line."""
    (tmp_path / "kernels.cl").write_text(NOT_BUILDING)
    done = grade(tmp_path, "--html", "page.html")
    build = graded_as_failed(done, tmp_path).checks[0]
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    causes = unescape(page).partition('id="causes"')[2].partition('id="source"')[0]
    assert causes.count(f"<h3>{build.message}</h3>") == 1
    assert names_in(tmp_path) == ["kernels.cl", "page.html", "report.xml", "result.json"]


@pytest.mark.whole
def test_a_file_name_that_is_not_utf_8_is_no_obstacle(tmp_path):
    """A file whose name is not UTF-8, such as from an old archive, can be graded. Its reports are in UTF-8."""
    path = tmp_path / os.fsdecode(b"l\xf8sning.cl")
    path.write_text(NOT_BUILDING)
    done = grader(
        tmp_path,
        *("grade", path.name, "--assignment", "coalsTransp", "--junit", "report.xml", "--json", "result.json"),
        *("--html", "page.html"),
    )
    assert "sning.cl" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert graded_as_failed(done, tmp_path).checks[0].reason == "BUILD_ERROR"
    assert "sning.cl" in done.stdout


@pytest.mark.whole
def test_a_crash_is_a_result_of_the_student(tmp_path):
    """A crash leads to a failed result with exit code 1 and a reason for each case, and the grader continues to run.

    The simulator does not crash, and finds the line.
    """
    (tmp_path / "kernels.cl").write_text(CRASHING)
    done = grade(tmp_path)
    reasons = reasons_by_kind(graded_as_failed(done, tmp_path))
    assert reasons["build"] == [None]
    assert set(reasons["correctness"]) == {"CRASH"}
    assert reasons["sanitizer"] == ["OUT_OF_BOUNDS"]
    assert set(reasons["memory"] + reasons["performance"]) == {"NOT_RUN"}
    assert "line 1 writes outside `B`" in " ".join(done.stdout.split())
    assert "/tmp/" not in everything_said(done, tmp_path)


@pytest.mark.whole
def test_a_hang_is_found_in_the_simulator_and_the_rest_is_not_run(tmp_path):
    """An endless loop leads to exit code 1, and the simulator finds its line.

    A second case, which could be right, runs under a short time limit. The other checks are not run.
    """
    (tmp_path / "kernels.cl").write_text(HANGING)
    result = graded_as_failed(grade(tmp_path), tmp_path)
    reasons = reasons_by_kind(result)
    assert reasons["correctness"] == ["TIME_LIMIT"] * 2 + ["NOT_RUN"] * 10
    assert reasons["sanitizer"] == ["TIME_LIMIT"]
    assert set(reasons["memory"] + reasons["performance"]) == {"NOT_RUN"}
    assert result.checks[1].message.startswith(
        "line 1: this loop was still running when the simulator stopped the kernel."
    )
    assert re.search(r"still running after (1\.\d|2) s", result.checks[2].message)
    assert result.first_cause.message.startswith(
        "line 1: this loop was still running when the simulator stopped the kernel. The sizes are height 1, width 1."
    )


@pytest.mark.whole
def test_a_wrong_kernel_fails_alike_whenever_it_has_the_same_seed(tmp_path):
    """A wrong kernel leads to exit code 1, and equal seeds lead to equal messages and values.

    The seed determines the values of the first wrong element.
    """
    (tmp_path / "kernels.cl").write_text(WRONG)
    results = [graded_as_failed(grade(tmp_path, "--seed", seed), tmp_path) for seed in (11, 11, 12)]
    first, again, other = ([(check.message, check.detail) for check in result.checks] for result in results)
    assert first == again != other
    assert results[0].provenance.seed == 11
    assert results[0].points == 0


# --- a submission that passes -------------------------------------------------------------------


together = pytest.mark.xdist_group("right")
"""Groups the tests that share one grading. They run in the same process, so that it is made only once."""


@pytest.fixture(scope="module")
def right(tmp_path_factory):
    """Grade the model solution as a Windows editor would save it. The folder already has older, longer reports."""
    folder = tmp_path_factory.mktemp("right")
    (folder / "kernels.cl").write_bytes(b"\xef\xbb\xbf" + MODEL.read_bytes().replace(b"\n", b"\r\n"))
    for name in ("report.xml", "result.json"):
        (folder / name).write_text("older\n" * 100_000)
    return grade(folder, **QUICK), folder


@together
def test_a_right_submission_is_exit_code_0_also_from_a_windows_editor(right):
    """A right submission with a byte order mark and carriage returns leads to exit code 0.

    The report is written only to standard output.
    """
    done, _ = right
    assert (done.returncode, complained(done)) == (0, "")
    assert "passed  build" in done.stdout
    assert re.search(r"passed  correctness: all 12 cases +30 / 30\n", done.stdout)
    assert re.search(r"passed  sanitizer .+ 8 / 8\n", done.stdout)
    assert re.search(r"passed  memory: .+ 42 / 42\n", done.stdout)
    assert re.search(r"total +100 / 100\n", done.stdout)
    assert max(map(len, done.stdout.splitlines())) <= 80


@together
def test_each_check_is_told_as_soon_as_it_is_decided(right):
    """Standard error has a line for each check as soon as it is decided, in order, with the phases in between.

    Here, it is not a terminal.
    """
    done, folder = right
    result = Result.model_validate_json((folder / "result.json").read_text())
    told = re.findall(r"^ *\d+\.\d s passed  (.+)$", done.stderr, re.MULTILINE)
    assert told == [check.name for check in result.checks]
    assert "watching every access in the simulator (13 of 19 checks decided)" in done.stderr


@together
def test_the_files_of_a_grading_agree_with_each_other(right):
    """The JUnit XML, the JSON and the terminal show the same checks with the same points."""
    done, folder = right
    result = Result.model_validate_json((folder / "result.json").read_text())
    cases = list(ElementTree.parse(folder / "report.xml").iter("testcase"))
    assert [case.get("name") for case in cases] == [check.name for check in result.checks]
    points = [re.findall(r"points=([\d.]+)\]\]", case.findtext("system-out")) for case in cases]
    assert points == [[f"{check.points:g}", f"{check.max_points:g}"] for check in result.checks]
    assert result.points == sum(check.points for check in result.checks) == 100
    assert list(ElementTree.parse(folder / "report.xml").iter("failure")) == []
    assert f"seed {result.provenance.seed}" in done.stdout
    assert result.submission == "kernels.cl"


@together
def test_older_files_are_replaced_whole_with_nothing_left_beside_them(right):
    """New reports replace older ones completely, and no temporary file is left."""
    _, folder = right
    for name in ("report.xml", "result.json"):
        assert "older" not in (folder / name).read_text()
    assert names_in(folder) == ["kernels.cl", "report.xml", "result.json"]


@together
def test_settings_of_the_environment_reach_a_grading(right):
    """A setting in the environment reaches the grading: timing takes at least the ten pairs that it asks for."""
    _, folder = right
    performance = Result.model_validate_json((folder / "result.json").read_text()).checks[-1].performance
    assert 10 <= performance.pairs == len(performance.samples.submission) <= 100


@together
def test_the_schema_of_the_json_report_is_the_one_it_has(right, tmp_path):
    """A real report has only fields of the published schema, and has all required ones."""
    schema = json.loads(output_of(tmp_path, "schema", "result"))
    fields = json.loads((right[1] / "result.json").read_text())
    assert set(fields) <= set(schema["properties"])
    assert set(schema["required"]) <= set(fields)


# --- faults that are not the student's -----------------------------------------------------------


def test_a_device_that_is_not_there_is_exit_code_3_and_no_grade(tmp_path):
    """A number of no device leads to exit code 3: an instructor may have set it, so it is not the student's fault. The
    reports contain one error, no failure and nothing from an earlier grading.
    """
    shutil.copy(MODEL, tmp_path / "kernels.cl")
    (tmp_path / "report.xml").write_text("older")
    is_ungraded(grade(tmp_path, "--device", "99"), tmp_path, "there is no OpenCL device 99")


@pytest.mark.whole
def test_a_machine_without_opencl_is_exit_code_3_and_no_grade(tmp_path):
    """A machine without an OpenCL platform leads to exit code 3 and a message with the next command.

    OpenCL's loader reports a missing platform as an error.
    """
    shutil.copy(MODEL, tmp_path / "kernels.cl")
    done = grade(tmp_path, OCL_ICD_VENDORS=str(tmp_path / "none.icd"))
    is_ungraded(done, tmp_path, "no OpenCL driver is installed. Run `")


@pytest.mark.whole
def test_without_a_simulator_what_rests_on_it_stays_in_the_total(tmp_path, bare_python):
    """Without the simulator, its checks are skipped with zero points, and their points remain in the total.

    The other checks are graded. Every report lists the skipped checks and the command that installs the simulator. The
    student is not at fault, so the exit code is 3.
    """
    shutil.copy(MODEL, tmp_path / "kernels.cl")
    done = without_simulator(
        tmp_path, bare_python, "grade", "kernels.cl", "--assignment", "coalsTransp", "--html", "page.html", *REPORTS
    )
    assert (done.returncode, complained(done)) == (3, "")
    result = Result.model_validate_json((tmp_path / "result.json").read_text())
    skipped = [check for check in result.checks if check.kind in {"sanitizer", "memory"}]
    assert len(skipped) == 4
    assert {(check.verdict, check.reason, check.points) for check in skipped} == {("skipped", "NO_SIMULATOR", 0)}
    assert {check.verdict for check in result.checks if check not in skipped} == {"passed"}
    assert (result.points, result.max_points, result.passed) == (50, 100, False)
    assert json.loads((tmp_path / "result.json").read_text())["unchecked"] == [
        {"reason": "NO_SIMULATOR", "checks": 4, "points": 50.0}
    ]
    assert "the simulator is missing. Run `" in " ".join(done.stdout.split())
    assert len(list(ElementTree.parse(tmp_path / "report.xml").iter("skipped"))) == 4
    assert "the simulator is missing" in (tmp_path / "page.html").read_text()


@pytest.mark.whole
def test_without_a_simulator_all_are_asked_for_the_same_points(tmp_path, bare_python):
    """Without the simulator, a file that does not build fails all checks, out of the same total as other submissions.

    With the simulator, such a file would lose all points, too.
    """
    (tmp_path / "kernels.cl").write_text("__kernel void coalsTransp(")
    done = without_simulator(tmp_path, bare_python, "grade", "kernels.cl", "--assignment", "coalsTransp", *REPORTS)
    assert (done.returncode, complained(done)) == (1, "")
    result = Result.model_validate_json((tmp_path / "result.json").read_text())
    assert [check.verdict for check in result.checks if check.kind in {"sanitizer", "memory"}] == ["failed"] * 4
    assert (result.points, result.max_points, result.unchecked) == (0, 100, ())


def test_who_requires_the_sanitizer_gets_no_grade_without_it(tmp_path, bare_python):
    """With --require-sanitizer but without the simulator, the exit code is 3 and there is no grade.

    Points can be compared only if they come from the same checks.
    """
    shutil.copy(MODEL, tmp_path / "kernels.cl")
    done = without_simulator(
        tmp_path, bare_python, "grade", "kernels.cl", "--assignment", "coalsTransp", "--require-sanitizer", *REPORTS
    )
    is_ungraded(done, tmp_path, "the simulator is missing. Run `")


@pytest.mark.whole
def test_an_oracle_that_fails_is_exit_code_3_and_no_grade(copied_course):
    """A failing oracle is the instructor's fault, so the exit code is 3.

    The message contains the path of the file, and the reports say that there is no grade.
    """
    path = copied_course / "reference" / "coalsTransp" / "oracle.py"
    path.write_text("def expected(A, height, width):\n    raise ValueError('not finished')\n")
    folder = copied_course.parent
    is_ungraded(grade(folder, "--course", "course"), folder, "course/reference/coalsTransp/oracle.py")


@pytest.mark.whole
def test_a_closed_standard_output_does_not_lose_the_files(tmp_path):
    """The result file is written even if a reader such as `head` closes standard output early."""
    (tmp_path / "kernels.cl").write_text(NOT_BUILDING)
    command = f"{sys.executable} -m grader.cli.main grade kernels.cl --assignment coalsTransp --json result.json | true"
    subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment(), stdin=subprocess.DEVNULL, check=True)
    assert Path(tmp_path / "result.json").is_file()


# --- hidden and practice cases --------------------------------------------------------------------


FILES = (
    *("--junit", "report.xml", "--json", "result.json", "--html", "page.html", "--gradescope", "results.json"),
    *("--sarif", "report.sarif", "--code-quality", "issues.json"),
)


def grade_hiding(folder, source, *options):
    """Grade the source with a hidden and a practice case. Return the finished command and all its output."""
    if not (folder / "course").exists():
        hiding_course(folder / "course", "case")
    (folder / "kernels.cl").write_text(source)
    done = grader(
        folder, "grade", "kernels.cl", "--assignment", "small", "--course", "course", *FILES, *options, **QUICK
    )
    written = [(folder / name).read_text() for name in FILES[1::2]]
    return done, "\n".join((done.stdout, done.stderr, *written))


@pytest.mark.whole
def test_a_hidden_case_is_told_nowhere_until_it_is_released(tmp_path):
    """No report reveals the outcome of a hidden case, nor does the exit code. --release shows the outcome."""
    done, said = grade_hiding(tmp_path, WRONG_WHEN_RAGGED)
    assert done.returncode == 0
    assert "hidden  correctness: ragged (n 1000)" in done.stdout
    assert "19 points so far; 5 more are decided after release" in done.stdout
    for words in ("WRONG_OUTPUT", "NOT_RUN", "elements of z"):
        assert words not in said
    done, said = grade_hiding(tmp_path, WRONG_WHEN_RAGGED, "--release")
    assert done.returncode == 1
    assert "hidden" not in done.stdout
    assert "1 of 1,000 elements of z is wrong" in said


@pytest.mark.whole
def test_a_case_for_practice_fails_nobody(tmp_path):
    """A failed practice case is reported in full, but the exit code is 0."""
    done, said = grade_hiding(tmp_path, WRONG_FOR_PRACTICE, "--release")
    assert done.returncode == 0
    assert " 1. practice[WRONG_OUTPUT]: " in done.stdout
    assert "failed  practice: large (n 5000): see 1\n" in done.stdout
    assert "practice, worth no points: WRONG_OUTPUT" in said


# --- grader explain -------------------------------------------------------------------------------


def explained(folder, source, *args):
    """Return the exit code and the output of `grader explain` for this source for coalsTransp."""
    (folder / "kernels.cl").write_text(source)
    done = grader(folder, "explain", "kernels.cl", "--assignment", "coalsTransp", *args, **QUICK)
    assert done.stderr == ""
    return done.returncode, done.stdout


@pytest.mark.whole
def test_an_explanation_is_the_first_cause_and_nothing_else(tmp_path):
    """`grader explain` prints the reason, the line and the names of other failed checks.

    It does not print points or times, and does not write files.
    """
    code, said = explained(tmp_path, WRONG, "--search", "0")
    assert code == 1
    assert "WRONG_OUTPUT" in said
    assert "also failed: " in said
    assert not any(word in said for word in ("performance", "total", " / "))
    assert names_in(tmp_path) == ["kernels.cl"]


@pytest.mark.whole
def test_a_build_error_is_explained(tmp_path):
    """`grader explain` prints the compiler's message for a build error."""
    code, said = explained(tmp_path, NOT_BUILDING)
    assert code == 1
    assert "build  BUILD_ERROR" in said


@pytest.mark.whole
def test_a_right_kernel_has_nothing_to_explain(tmp_path):
    """`grader explain` returns exit code 0 for a right kernel, even if it is slow."""
    code, said = explained(tmp_path, MODEL.read_text())
    assert code == 0
    assert "Every case that is shown is right." in said
