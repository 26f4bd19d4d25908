"""cli.py: the real command line, from bad input to exit code."""

import json
import os
import re
import shutil
import subprocess
import sys
from html import unescape
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import ASSIGNMENTS, ROOT

from grader.result import Result

MODEL = ROOT / "reference" / "coalsTransp" / "kernels.cl"
COMMANDS = ("grade", "batch", "profile", "init", "export", "list", "show", "devices", "doctor", "selftest", "schema")

SIGNATURE = "__kernel void coalsTransp(__global float *A, __global float *B, uint height, uint width)"
WRONG = SIGNATURE + "{ uint x = get_global_id(0); if (x == 0) B[0] = A[0] * 1.5f; }\n"
CRASHING = SIGNATURE + "{ B[1000000000000UL + width] = A[0]; }\n"
HANGING = SIGNATURE + "{ volatile uint go = 1; while (go) B[0] = A[0]; }\n"
NOT_BUILDING = f"// first\n// second\n{SIGNATURE}\n{{\n    B[0] = nothing;\n}}\n"

QUICK = {"GRADER_TIMING__MIN_PAIRS": "10", "GRADER_TIMING__NOISE_LIMIT": "100"}
"""For gradings whose speed is not what is tested: few pairs, on a machine that may be busy with other tests."""


def environment(**changes):
    """That of this process, without settings of the grader."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GRADER_")}
    return {**kept, "COLUMNS": "80", **changes}


def python(folder, *args, **changes):
    return subprocess.run(
        [sys.executable, *map(str, args)],
        cwd=folder,
        env=environment(**changes),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def grader(folder, *args, **changes):
    """Run the command line in a folder; no traceback is ever what a user should see."""
    done = python(folder, "-m", "grader.cli", *args, **changes)
    assert "Traceback" not in done.stdout + done.stderr
    return done


def grade(folder, *args, **changes):
    """Grade kernels.cl in a folder for coalsTransp; both files are written."""
    return grader(
        folder,
        *("grade", "kernels.cl", "--assignment", "coalsTransp", "--junit", "report.xml", "--json", "result.json"),
        *args,
        **changes,
    )


def complaint(done, code=2):
    """The one line of complaint, with nothing beside it."""
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    assert re.fullmatch(r"grader: \S[^\n]*\n", done.stderr), done.stderr
    return done.stderr


def graded_as_failed(done, folder):
    """The result of a grading in which some check failed."""
    assert (done.returncode, done.stderr) == (1, "")
    return Result.model_validate_json((folder / "result.json").read_text())


def reasons_by_kind(result):
    """The reasons of all checks, in order, by what they are about."""
    kinds = dict.fromkeys(check.kind.value for check in result.checks)
    return {kind: [check.reason for check in result.checks if check.kind == kind] for kind in kinds}


def everything_said(done, folder):
    return done.stdout + done.stderr + (folder / "result.json").read_text() + (folder / "report.xml").read_text()


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


# --- files that are no submission ---------------------------------------------------------------


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
    """The line names the file and what is wrong with it; no report is written about it."""
    (tmp_path / "kernels.cl").write_bytes(content)
    line = complaint(grade(tmp_path))
    assert "kernels.cl" in line
    assert said in line
    assert names_in(tmp_path) == ["kernels.cl"]


def test_a_missing_file_is_one_line_and_exit_code_2(tmp_path):
    """The line names the path that was given."""
    line = complaint(grader(tmp_path, "grade", "nothing.cl", "--assignment", "coalsTransp"))
    assert line == "grader: there is no file nothing.cl; check the path.\n"


def test_a_folder_without_kernels_is_one_line_and_exit_code_2(tmp_path):
    """The line names what the folder holds in place of kernels.cl."""
    shutil.copy(MODEL, tmp_path / "mine.cl")
    line = complaint(grader(tmp_path, "grade", ".", "--assignment", "coalsTransp"))
    assert "has no kernels.cl. It holds mine.cl" in line


def test_a_path_that_cannot_be_opened_is_one_line_and_exit_code_2(tmp_path):
    """The line gives the system's reason: a link to itself, a file used as a folder, a file of somebody else's."""
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
    """It is the caller's mistake like any other path that is not there."""
    complaint(grader(tmp_path, "grade", "k" * 300, "--assignment", "coalsTransp"))


# --- other words of the command line that cannot be used ------------------------------------------


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
    """Exit code 2 and a line that says which option; the submission is as it was, and no file is beside it."""
    shutil.copy(MODEL, tmp_path / "kernels.cl")
    line = complaint(grader(tmp_path, "grade", "kernels.cl", *args, **QUICK))
    assert said in line
    assert names_in(tmp_path) == ["kernels.cl"]
    assert (tmp_path / "kernels.cl").read_bytes() == MODEL.read_bytes()


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("nonsense",), "No such command 'nonsense'"),
        (("grade", "kernels.cl"), "--assignment"),
        (("grade", "--assignment", "coalsTransp"), "file"),
        (("grade", "kernels.cl", "--assignment", "coalsTransp", "--seed", "many"), "--seed"),
        (("grade", "kernels.cl", "--assigment", "coalsTransp"), "--assignment"),
        (("schema", "submission"), "'result', 'assignment'"),
        (("show",), "name"),
    ],
)
def test_a_usage_error_is_exit_code_2_and_says_what_is_wrong(tmp_path, args, said):
    """The parser's own words on the error stream."""
    done = grader(tmp_path, *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Usage: grader")
    assert said in done.stderr


@pytest.fixture
def copied_course(tmp_path):
    """A course of one assignment that a test may break, and a submission beside it."""
    for part in ("assignments", "reference"):
        shutil.copytree(ROOT / part / "coalsTransp", tmp_path / "course" / part / "coalsTransp")
    shutil.copy(MODEL, tmp_path / "kernels.cl")
    return tmp_path / "course"


@pytest.mark.parametrize(
    ("pattern", "replacement", "said"),
    [
        ("^title: .*\n", "", "title: Field required; add it"),
        ("^kernel:", "kernal:", "kernal: Extra inputs are not permitted; remove it, or correct its spelling"),
        ("^title: .*", "title: [", "is not YAML"),
    ],
)
def test_a_malformed_assignment_is_one_line_with_its_path_and_a_remedy(copied_course, pattern, replacement, said):
    """An instructor's slip is exit code 2, wherever the file is used."""
    path = copied_course / "assignments" / "coalsTransp" / "assignment.yaml"
    path.write_text(re.sub(pattern, replacement, path.read_text(), count=1, flags=re.MULTILINE))
    line = complaint(grade(copied_course.parent, "--course", "course"))
    assert "course/assignments/coalsTransp/assignment.yaml: " in line
    assert said in line


def test_an_incomplete_reference_is_one_line_with_its_path(copied_course):
    """The file that is missing is named."""
    (copied_course / "reference" / "coalsTransp" / "oracle.py").unlink()
    line = complaint(grader(copied_course.parent, "show", "coalsTransp", "--course", "course"))
    assert "course/reference/coalsTransp/oracle.py is missing" in line


def test_a_setting_that_cannot_be_used_is_one_line_and_exit_code_2(tmp_path):
    """The line names the setting, and where settings come from."""
    line = complaint(grader(tmp_path, "list", GRADER_TIMING__MIN_PAIRS="many"))
    assert "timing.min_pairs" in line
    assert "GRADER_" in line


# --- submissions that fail ---------------------------------------------------------------------


def test_a_missing_kernel_is_a_result_that_names_the_nearest(tmp_path):
    """Exit code 1: the file was graded; nothing else of it was run."""
    (tmp_path / "kernels.cl").write_text(WRONG.replace("coalsTransp", "coalsTrans"))
    done = grade(tmp_path)
    build, *rest = graded_as_failed(done, tmp_path).checks
    assert build.reason == "KERNEL_MISSING"
    assert build.message == "the file has no kernel named coalsTransp; the nearest is coalsTrans."
    assert {check.reason for check in rest} == {"NOT_RUN"}
    assert "KERNEL_MISSING" in done.stdout


def test_a_wrong_argument_list_shows_expected_and_found(tmp_path):
    """Exit code 1, and both declarations in every report."""
    (tmp_path / "kernels.cl").write_text(WRONG.replace(", uint width", ""))
    done = grade(tmp_path)
    assert graded_as_failed(done, tmp_path).checks[0].reason == "WRONG_ARGUMENTS"
    for text in (done.stdout, (tmp_path / "report.xml").read_text()):
        words = " ".join(text.split())
        assert "expected: __kernel void coalsTransp(__global real *A, __global real *B, uint32_t height" in words
        assert "found: __kernel void coalsTransp(__global float *A, __global float *B, uint height)" in words


def test_a_build_error_gives_the_students_line_and_no_path_of_ours(tmp_path):
    """Exit code 1; neither the terminal nor a file tells where the compiler ran."""
    (tmp_path / "kernels.cl").write_text(NOT_BUILDING)
    done = grade(tmp_path)
    build = graded_as_failed(done, tmp_path).checks[0]
    assert build.reason == "BUILD_ERROR"
    assert build.message.startswith("line 5, column 12: ")
    said = everything_said(done, tmp_path)
    assert "kernels.cl:5:12" in said
    for ours in ("/tmp/", "tempfile", str(tmp_path), str(ROOT), sys.prefix, "<kernel>"):
        assert ours not in said


def test_a_page_is_written_beside_the_other_reports(tmp_path):
    """The same verdict in all of them; the page begins with the error and its line."""
    (tmp_path / "kernels.cl").write_text(NOT_BUILDING)
    done = grade(tmp_path, "--html", "page.html")
    build = graded_as_failed(done, tmp_path).checks[0]
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert unescape(page).partition("Start here")[2].partition("Checks")[0].count(build.message) == 1
    assert names_in(tmp_path) == ["kernels.cl", "page.html", "report.xml", "result.json"]


def test_a_file_name_that_is_not_utf_8_is_no_obstacle(tmp_path):
    """Old archives unpack to such names; the reports are written all the same, and in UTF-8."""
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


def test_a_crash_is_a_result_of_the_student(tmp_path):
    """Exit code 1: the grader outlives the kernel, and every case is told on its own; in the simulator nothing crashes,
    and the line is known.
    """
    (tmp_path / "kernels.cl").write_text(CRASHING)
    done = grade(tmp_path)
    reasons = reasons_by_kind(graded_as_failed(done, tmp_path))
    assert reasons["build"] == [None]
    assert set(reasons["correctness"]) == {"CRASH"}
    assert reasons["sanitizer"] == ["OUT_OF_BOUNDS"]
    assert set(reasons["memory"] + reasons["performance"]) == {"NOT_RUN"}
    assert "line 1 writes outside B" in done.stdout
    assert "/tmp/" not in everything_said(done, tmp_path)


def test_a_hang_is_waited_for_twice_and_the_rest_is_not_run(tmp_path):
    """Exit code 1 after two time limits and one in the simulator, which settings can make shorter."""
    (tmp_path / "kernels.cl").write_text(HANGING)
    limits = {f"GRADER_DEADLINES__{name}": "2" for name in ("FIRST_LAUNCH", "LAUNCH", "SIMULATION")}
    result = graded_as_failed(grade(tmp_path, **limits), tmp_path)
    reasons = reasons_by_kind(result)
    assert reasons["correctness"] == ["TIME_LIMIT"] * 2 + ["NOT_RUN"] * 10
    assert reasons["sanitizer"] == ["TIME_LIMIT"]
    assert set(reasons["memory"] + reasons["performance"]) == {"NOT_RUN"}
    assert "stopped after 2 s" in result.checks[1].message


def test_a_wrong_kernel_fails_alike_whenever_it_has_the_same_seed(tmp_path):
    """Exit code 1, and the same words twice: the first wrong element and its values come from the seed."""
    (tmp_path / "kernels.cl").write_text(WRONG)
    results = [graded_as_failed(grade(tmp_path, "--seed", seed), tmp_path) for seed in (11, 11, 12)]
    first, again, other = ([check.message for check in result.checks] for result in results)
    assert first == again != other
    assert results[0].provenance.seed == 11
    assert results[0].points == 0


# --- a submission that passes -------------------------------------------------------------------


@pytest.fixture(scope="module")
def right(tmp_path_factory):
    """The model solution as a Windows editor would save it, graded over older and longer reports."""
    folder = tmp_path_factory.mktemp("right")
    (folder / "kernels.cl").write_bytes(b"\xef\xbb\xbf" + MODEL.read_bytes().replace(b"\n", b"\r\n"))
    for name in ("report.xml", "result.json"):
        (folder / name).write_text("older\n" * 100_000)
    return grade(folder, **QUICK), folder


def test_a_right_submission_is_exit_code_0_also_from_a_windows_editor(right):
    """A byte order mark and carriage returns do not matter; the report goes to standard output alone."""
    done, _ = right
    assert (done.returncode, done.stderr) == (0, "")
    assert "passed build" in done.stdout
    assert re.search(r"passed correctness: all 12 cases +48 / 48\n", done.stdout)
    assert re.search(r"passed sanitizer .+ 12 / 12\n", done.stdout)
    assert re.search(r"passed memory: .+ 20 / 20\n", done.stdout)
    assert re.search(r"total +100 / 100\n", done.stdout)
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_the_files_of_a_grading_agree_with_each_other(right):
    """The same checks with the same points in JUnit XML, in JSON and on the terminal."""
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


def test_older_files_are_replaced_whole_with_nothing_left_beside_them(right):
    """No byte of the older reports, and no temporary file."""
    _, folder = right
    for name in ("report.xml", "result.json"):
        assert "older" not in (folder / name).read_text()
    assert names_in(folder) == ["kernels.cl", "report.xml", "result.json"]


def test_settings_of_the_environment_reach_a_grading(right):
    """Timing stopped after the ten pairs that the environment asked for, or went on for a reason of its own rules."""
    _, folder = right
    performance = Result.model_validate_json((folder / "result.json").read_text()).checks[-1].performance
    assert 10 <= performance.pairs == len(performance.samples.submission) <= 100


# --- faults that are not the student's -----------------------------------------------------------


def is_ungraded(done, folder, fault):
    """Exit code 3, and files that say that there is no grade."""
    line = complaint(done, code=3)
    assert line.startswith("grader: not graded: ")
    assert fault in line
    root = ElementTree.parse(folder / "report.xml").getroot()
    (case,) = root.iter("testcase")
    (error,) = case.iter("error")
    assert fault in error.get("message")
    assert list(root.iter("failure")) == []
    fields = json.loads((folder / "result.json").read_text())
    assert fields["status"] == "ungraded"
    assert fault in fields["fault"]
    assert "points" not in fields


def test_a_device_that_is_not_there_is_exit_code_3_and_no_grade(tmp_path):
    """The files hold one error and no failure, and replace those of an earlier grading."""
    shutil.copy(MODEL, tmp_path / "kernels.cl")
    (tmp_path / "report.xml").write_text("older")
    is_ungraded(grade(tmp_path, "--device", "99"), tmp_path, "there is no OpenCL device 99")


def test_a_machine_without_opencl_is_exit_code_3_and_no_grade(tmp_path):
    """No platform at all, which the loader reports as an error; `grader doctor` is named as the way on."""
    shutil.copy(MODEL, tmp_path / "kernels.cl")
    done = grade(tmp_path, OCL_ICD_VENDORS=str(tmp_path / "none.icd"))
    is_ungraded(done, tmp_path, "none is installed. Run `grader doctor`.")


def test_doctor_says_what_to_do_without_opencl(tmp_path):
    """Exit code 3, with a remedy under each finding that has one."""
    done = grader(tmp_path, "doctor", OCL_ICD_VENDORS=str(tmp_path / "none.icd"))
    assert (done.returncode, done.stderr) == (3, "")
    words = " ".join(done.stdout.split())
    assert "needs device: there is no OpenCL device 0: none is installed" in words
    assert "install an OpenCL driver" in words


def without_simulator(folder, bare_python, *args):
    """Run the command line on a machine where none is installed."""
    (folder / "bare.py").write_text(
        f"import sys\nimport grader.cli\nsys.executable = {str(bare_python)!r}\ngrader.cli.main()\n"
    )
    done = python(folder, "bare.py", *args, **QUICK)
    assert "Traceback" not in done.stdout + done.stderr
    return done


REPORTS = ("--junit", "report.xml", "--json", "result.json")


def test_without_a_simulator_what_rests_on_it_is_skipped_and_counts_for_nothing(tmp_path, bare_python):
    """Everything else is graded as ever, for the points that are left; the line says how to get the simulator."""
    shutil.copy(MODEL, tmp_path / "kernels.cl")
    done = without_simulator(
        tmp_path, bare_python, "grade", "kernels.cl", "--assignment", "coalsTransp", "--html", "page.html", *REPORTS
    )
    assert (done.returncode, done.stderr) == (0, "")
    result = Result.model_validate_json((tmp_path / "result.json").read_text())
    skipped = [check for check in result.checks if check.kind in {"sanitizer", "memory"}]
    assert len(skipped) == 4
    assert {(check.verdict, check.reason, check.max_points) for check in skipped} == {("skipped", None, 0)}
    assert {check.verdict for check in result.checks if check not in skipped} == {"passed"}
    assert (result.points, result.max_points) == (68, 68)
    assert "the simulator is not installed: run `apt install oclgrind" in " ".join(done.stdout.split())
    assert len(list(ElementTree.parse(tmp_path / "report.xml").iter("skipped"))) == 4
    assert "the simulator is not installed" in (tmp_path / "page.html").read_text()


def test_who_requires_the_sanitizer_gets_no_grade_without_it(tmp_path, bare_python):
    """Exit code 3: whoever compares points wants them of the same checks."""
    shutil.copy(MODEL, tmp_path / "kernels.cl")
    done = without_simulator(
        tmp_path, bare_python, "grade", "kernels.cl", "--assignment", "coalsTransp", "--require-sanitizer", *REPORTS
    )
    is_ungraded(done, tmp_path, "the simulator is not installed: run `apt install oclgrind")


def test_a_batch_that_requires_the_sanitizer_grades_nobody_without_it(tmp_path, bare_python):
    """Nor does it take anybody for failed: it ends before it has begun, and says why."""
    (tmp_path / "submissions").mkdir()
    (tmp_path / "submissions" / "anna.cl").write_text(WRONG)
    done = without_simulator(
        tmp_path,
        bare_python,
        *("batch", "submissions", "--assignment", "coalsTransp", "--out", "results", "--require-sanitizer"),
        *("--sandbox", "process", "--trust-submissions"),
    )
    assert done.returncode == 3
    assert done.stderr.startswith("grader: not graded: the simulator is not installed: run `apt install oclgrind")
    assert list((tmp_path / "results" / "results").iterdir()) == []
    assert not (tmp_path / "results" / "students").exists()


def test_an_oracle_that_fails_is_exit_code_3_and_no_grade(copied_course):
    """An instructor's fault, not the student's: the line names the file, and the reports say that there is no grade."""
    path = copied_course / "reference" / "coalsTransp" / "oracle.py"
    path.write_text("def expected(A, height, width):\n    raise ValueError('not finished')\n")
    folder = copied_course.parent
    is_ungraded(grade(folder, "--course", "course"), folder, "course/reference/coalsTransp/oracle.py")


def test_a_fault_in_grader_itself_is_exit_code_3_with_its_traceback(tmp_path):
    """Never the exit code of a failed check; the traceback is for whoever mends it."""
    shutil.copy(MODEL, tmp_path / "kernels.cl")
    (tmp_path / "fault.py").write_text(
        "import grader.cli\n"
        "def fault(*_):\n"
        "    raise RuntimeError('a wheel came off')\n"
        "grader.cli.grade_submission = fault\n"
        "grader.cli.main()\n"
    )
    done = python(tmp_path, "fault.py", "grade", "kernels.cl", "--assignment", "coalsTransp")
    assert (done.returncode, done.stdout) == (3, "")
    assert "Traceback (most recent call last)" in done.stderr
    assert "RuntimeError: a wheel came off" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("grader: this is a fault in grader itself")


# --- the other commands --------------------------------------------------------------------------


def output_of(folder, *args, **changes):
    done = grader(folder, *args, **changes)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_list_names_every_assignment_with_its_title(tmp_path):
    """One line each, in the order of their names."""
    lines = output_of(tmp_path, "list").splitlines()
    assert [line.split()[0] for line in lines] == sorted(ASSIGNMENTS)
    assert lines[2] == "coalsTransp    Coalesced transposition"


def test_show_gives_the_contract_the_cases_and_the_points(tmp_path, transposition):
    """What a student needs to know before writing a line."""
    sizes = transposition.performance.classes["cpu"].sizes
    text = output_of(tmp_path, "show", "coalsTransp")
    assert text.startswith("Coalesced transposition (coalsTransp), 100 points\n")
    for words in (
        "__kernel void coalsTransp(__global real *A, __global real *B, uint32_t height, uint32_t width)",
        "local (TILE, TILE)",
        "TILE=16",
        "one element: height 1, width 1, random data",
        f"performance on a cpu at height {sizes['height']}, width {sizes['width']}",
    ):
        assert words in text


def test_show_of_an_unknown_name_suggests_the_nearest(tmp_path):
    """As `grade` does."""
    assert "did you mean blockMMM?" in complaint(grader(tmp_path, "show", "blockMM"))


def test_devices_are_listed_by_the_number_that_device_takes(tmp_path):
    """Number, name and kind, one device a line."""
    lines = output_of(tmp_path, "devices").splitlines()
    for number, line in enumerate(lines):
        assert re.fullmatch(rf"{number}  \S.* \((cpu|gpu|accelerator|other), .+, OpenCL .+\)", line)
    assert lines


def test_devices_are_listed_also_when_the_chosen_one_is_not_there(tmp_path):
    """Whoever set a wrong number looks here for the right one."""
    assert output_of(tmp_path, "devices", GRADER_DEVICE="99").startswith("0  ")


def test_doctor_finds_this_machine_in_order(tmp_path):
    """Exit code 0, and nothing that needs anything."""
    text = output_of(tmp_path, "doctor")
    assert "needs" not in text
    for name in ASSIGNMENTS:
        assert f"ok     {name}: " in text


@pytest.mark.parametrize("which", ["result", "assignment"])
def test_schema_is_json_that_describes_the_file(tmp_path, which):
    """The fields of the record, each with its type."""
    schema = json.loads(output_of(tmp_path, "schema", which))
    assert schema["type"] == "object"
    assert "title" in schema["properties"]


def test_the_schema_of_the_json_report_is_the_one_it_has(right, tmp_path):
    """Every field of a real report is in the published schema, and every required one is in the report."""
    schema = json.loads(output_of(tmp_path, "schema", "result"))
    fields = json.loads((right[1] / "result.json").read_text())
    assert set(fields) <= set(schema["properties"])
    assert set(schema["required"]) <= set(fields)


def test_version_is_that_of_the_package(tmp_path):
    """And nothing else."""
    assert output_of(tmp_path, "--version") == version("grader") + "\n"


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_help_is_there_for_every_command(tmp_path, command):
    """Exit code 0, a usage line, and no line wider than the terminal."""
    text = output_of(tmp_path, *([command] if command else []), "--help")
    assert text.startswith(f"Usage: grader {command or '[OPTIONS] COMMAND'}")
    assert max(map(len, text.splitlines())) <= 80


def test_help_lists_every_command(tmp_path):
    """Those that are tested here are all there are."""
    listed = output_of(tmp_path, "--help").partition("Commands:\n")[2]
    assert tuple(line.split()[0] for line in listed.splitlines() if re.match(r"  \S", line)) == COMMANDS


def test_init_writes_a_folder_that_is_ready_to_grade(tmp_path):
    """It prints what it wrote, and a second run refuses to write over it."""
    written = output_of(tmp_path, "init", "coalsTransp", "mine").splitlines()
    assert all((tmp_path / path).is_file() for path in written)
    assert "mine/kernels.cl" in written
    assert "already holds kernels.cl" in complaint(grader(tmp_path, "init", "coalsTransp", "mine"))


def test_a_closed_standard_output_does_not_lose_the_files(tmp_path):
    """A reader that goes away, such as `head`, is no reason to keep no result."""
    (tmp_path / "kernels.cl").write_text(NOT_BUILDING)
    command = f"{sys.executable} -m grader.cli grade kernels.cl --assignment coalsTransp --json result.json | true"
    subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment(), stdin=subprocess.DEVNULL, check=True)
    assert Path(tmp_path / "result.json").is_file()
