"""scaffold.py: a student's starter folder and its template."""

import os
import re
import shutil
import subprocess

import pytest
import yaml
from gradings import grade
from project import ASSIGNMENTS, FIRST_COURSE, ROOT

from grader.authoring.scaffold import PLACEHOLDER, TEMPLATE_FILES, start
from grader.cli.exit_codes import ELSEWHERE
from grader.common.errors import InputError
from grader.course.rubric import Kind
from grader.results.check import Reason, Verdict

TEMPLATE = ROOT / "student_template"
GITLAB, GITHUB = ".gitlab-ci.yml", ".github/workflows/grade.yml"
GUIDE = ROOT / "docs" / "reading-your-report.md"
FILES = ["kernels.cl", "submission.yaml", "HANDOUT.md", GUIDE.name, "README.md", GITLAB, GITHUB]


@pytest.fixture(params=ASSIGNMENTS)
def assignment(request, course):
    """Each assignment of the course."""
    return course.load(request.param)


@pytest.fixture
def started(assignment, tmp_path):
    """The starter folder of that assignment."""
    start(assignment, TEMPLATE, GUIDE, tmp_path / "mine")
    return tmp_path / "mine"


def written_to(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def commands(text):
    """Return a CI file's lines of shell with continued lines joined."""
    return text.replace("\\\n", " ").splitlines()


def test_a_folder_is_filled_and_what_was_written_is_told(assignment, tmp_path):
    """The folder and its parents are made, and it contains exactly the files that are returned."""
    folder = tmp_path / "new" / "mine"
    assert start(assignment, TEMPLATE, GUIDE, folder) == [folder / name for name in FILES]
    assert written_to(folder) == sorted(FILES)


def test_the_skeleton_and_the_handout_are_those_of_the_assignment(assignment, started):
    """The skeleton and the handout equal the assignment's to the byte, except the link to the page about reports."""
    assert (started / "kernels.cl").read_bytes() == (assignment.folder / "kernels.cl").read_bytes()
    handout = (assignment.folder / "README.md").read_text()
    assert (started / "HANDOUT.md").read_text() == handout.replace(f"(../../docs/{GUIDE.name})", f"({GUIDE.name})")


def test_every_link_of_a_started_folder_leads_to_a_file_in_it(started):
    """Every relative link leads to a file in the folder, although two of its pages come from other folders."""
    links = [
        (path.name, link)
        for path in started.glob("*.md")
        for link in re.findall(r"\]\(([^)#]+)", path.read_text())
        if not link.startswith("http")
    ]
    assert ("HANDOUT.md", GUIDE.name) in links
    assert [each for each in links if not (started / each[1]).is_file()] == []


def test_the_assignments_name_stands_in_place_of_the_placeholder_everywhere(assignment, started):
    """No file contains the placeholder, and each file that had it contains the assignment's name."""
    for name in FILES:
        text = (started / name).read_text()
        assert PLACEHOLDER not in text
        if (TEMPLATE / name).is_file() and PLACEHOLDER in (TEMPLATE / name).read_text():
            assert assignment.name in text
    assert f"assignment: {assignment.name}\n" in (started / "submission.yaml").read_text()


def test_the_gitlab_file_grades_and_publishes_the_report_also_on_failure(assignment, started):
    """The GitLab job ends with the grader's exit code and always keeps the reports.

    Exit code 4, a decision on the course's machine, is a warning.
    """
    pipeline = yaml.safe_load((started / GITLAB).read_text())
    assert pipeline["variables"]["ASSIGNMENT"] == assignment.name
    job = pipeline["grade"]
    (grade,) = job["script"]
    assert 'grader grade kernels.cl --assignment "$ASSIGNMENT" ' in grade
    assert "--junit report.xml --json result.json --html report.html --code-quality codequality.json" in grade
    assert " --require-sanitizer " in grade
    assert job["allow_failure"] == {"exit_codes": ELSEWHERE}
    assert job["artifacts"]["when"] == "always"
    assert job["artifacts"]["reports"] == {"junit": "report.xml", "codequality": "codequality.json"}
    assert job["artifacts"]["paths"] == ["report.xml", "result.json", "report.html"]


def test_the_github_file_grades_and_publishes_the_report_also_on_failure(assignment, started):
    """The GitHub workflow never grades without the simulator and always keeps the reports."""
    workflow = yaml.safe_load((started / GITHUB).read_text())
    assert workflow["env"]["ASSIGNMENT"] == assignment.name
    steps = {step["name"]: step for step in workflow["jobs"]["grade"]["steps"] if "name" in step}
    grade = steps["Grade"]
    (command,) = [line for line in commands(grade["run"]) if "grader grade" in line]
    assert " --require-sanitizer " in command
    assert 'grader grade kernels.cl --assignment "$ASSIGNMENT" ' in command
    assert "--junit report.xml --json result.json --html report.html --sarif report.sarif" in command
    assert grade["shell"] == "bash"  # GitHub runs it with pipefail, so `| tee` does not hide the exit code
    assert "continue-on-error" not in grade
    mark = steps["Mark the lines with mistakes"]
    assert mark["if"].startswith("always()")
    assert mark["if"].endswith("!github.event.repository.private")
    assert mark["with"] == {"sarif_file": "report.sarif"}
    assert workflow["permissions"] == {"contents": "read", "security-events": "write"}
    keep = steps["Keep the reports"]
    assert keep["if"].startswith("always()")
    assert keep["with"]["path"].split() == ["report.xml", "result.json", "report.html"]


def steps_of(started):
    """Return each platform's two scripts: the setup and the grading."""
    job = yaml.safe_load((started / GITLAB).read_text())["grade"]
    steps = {
        step.get("name"): step for step in yaml.safe_load((started / GITHUB).read_text())["jobs"]["grade"]["steps"]
    }
    return {
        "gitlab": ("\n".join(job["before_script"]), "\n".join(job["script"])),
        "github": (steps["Install"]["run"], steps["Grade"]["run"]),
    }


def run_step(script, folder, **variables):
    """Run a script as a runner does, in one shell that ends at the first failed line."""
    environment = {
        "PATH": os.environ["PATH"],
        "ASSIGNMENT": "coalsTransp",
        "KIT_URL": "",
        "GITHUB_OUTPUT": "out",
        **variables,
    }
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def kit_in(folder, code):
    """Make a kit whose command prints its arguments and ends with this exit code."""
    folder.mkdir()
    (folder / "grader").write_text(f'#!/bin/sh\necho "asked to $*"\n[ "$1" = setup ] || exit {code}\n')
    (folder / "grader").chmod(0o755)


@pytest.mark.parametrize("platform", ["gitlab", "github"])
def test_a_pipeline_sets_up_the_kit_and_its_grading_ends_as_the_grader_does(transposition, tmp_path, platform):
    """A pipeline sets up the kit and ends with the grader's exit code.

    On GitHub, which has no warnings, a decision on the course's machine is a notice.
    """
    start(transposition, TEMPLATE, GUIDE, tmp_path / "mine")
    set_up, grade = steps_of(tmp_path / "mine")[platform]
    for code in (0, 1, 3, ELSEWHERE):
        folder = tmp_path / str(code)
        folder.mkdir()
        kit_in(folder / "kit", code)
        done = run_step(set_up, folder)
        assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "asked to setup")
        done = run_step(grade, folder)
        assert "asked to grade kernels.cl --assignment coalsTransp " in done.stdout
        told = platform == "github" and code == ELSEWHERE
        assert done.returncode == (0 if told else code)
        assert ("::notice::" in done.stdout) == told
        if platform == "github":
            assert (folder / "out").read_text() == f"code={code}\n"


@pytest.mark.parametrize("platform", ["gitlab", "github"])
def test_a_pipeline_clones_the_kit_or_says_that_nobody_said_from_where(transposition, tmp_path, platform):
    """A pipeline clones the kit from KIT_URL or the template's address. Without either, it fails with a message."""
    kit_in(tmp_path / "course", 0)
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-C", tmp_path / "course"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "--quiet", "-m", "a kit"], check=True)
    start(transposition, TEMPLATE, GUIDE, tmp_path / "mine")
    set_up, _ = steps_of(tmp_path / "mine")[platform]
    done = run_step(set_up, tmp_path)
    assert done.returncode == 2
    assert "KIT_URL is not set: write the address of your course's kit into " in done.stdout + done.stderr
    done = run_step(set_up, tmp_path, KIT_URL=f"file://{tmp_path}/course")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "asked to setup")


@pytest.mark.parametrize("present", [["kernels.cl"], ["README.md", GITHUB]], ids=", ".join)
def test_a_file_that_is_there_is_never_overwritten(transposition, tmp_path, present):
    """Existing files are named in the error and kept, and no file is written."""
    for name in present:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("an evening's work")
    with pytest.raises(InputError, match="choose an empty folder") as caught:
        start(transposition, TEMPLATE, GUIDE, tmp_path)
    assert f"{tmp_path} already holds {', '.join(present)};" in str(caught.value)
    assert written_to(tmp_path) == sorted(present)
    assert {(tmp_path / name).read_text() for name in present} == {"an evening's work"}


def test_a_folder_with_other_files_is_filled(transposition, tmp_path):
    """A folder with other files is filled, because a fresh clone has at least a folder .git."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "notes.txt").write_text("mine")
    start(transposition, TEMPLATE, GUIDE, tmp_path)
    assert written_to(tmp_path) == sorted([*FILES, "notes.txt"])


def test_a_target_that_cannot_be_a_folder_is_one_line(transposition, tmp_path):
    """A file in place of the folder is reported with its path."""
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot make the folder") as caught:
        start(transposition, TEMPLATE, GUIDE, tmp_path / "file")
    assert str(tmp_path / "file") in str(caught.value)


def test_an_incomplete_template_is_one_line_and_nothing_is_written(transposition, tmp_path):
    """A template without a file is an error that names the file, and no file is written."""
    shutil.copytree(TEMPLATE, tmp_path / "template")
    (tmp_path / "template" / GITLAB).unlink()
    with pytest.raises(InputError, match=r"gitlab-ci\.yml cannot be read: .* not complete"):
        start(transposition, tmp_path / "template", GUIDE, tmp_path / "mine")
    assert not (tmp_path / "mine").exists()


@pytest.mark.whole
@pytest.mark.parametrize("name", ["coalsProgrm", "rgblkMMM"])
def test_the_skeleton_builds_and_fails_every_case_for_what_is_still_to_do(course, environment, tmp_path, name):
    """A skeleton builds, and every case fails because it stores nothing."""
    assignment = course.load(name)
    start(assignment, TEMPLATE, GUIDE, tmp_path)
    result = grade(assignment, tmp_path, environment, seed=1)
    assert result.checks[0].verdict is Verdict.PASSED
    reasons = {check.reason for check in result.checks if check.kind is Kind.CORRECTNESS}
    assert reasons == {Reason.NOT_WRITTEN}
    assert result.points == 0


def test_the_template_holds_all_five_kernels_as_the_skeletons_declare_them(course):
    """The template declares all five kernels as the skeletons do, for students with one file for the whole course."""

    def declarations(path):
        text = re.sub(r"//[^\n]*", "", path.read_text())
        found = re.findall(r"__kernel\s+void\s+(\w+)\s*\(([^)]*)\)", text)
        return {name: " ".join(parameters.split()) for name, parameters in found}

    skeletons = [declarations(course.load(name).folder / "kernels.cl") for name in FIRST_COURSE]
    assert declarations(TEMPLATE / "kernels.cl") == {name: text for found in skeletons for name, text in found.items()}
    assert set(declarations(TEMPLATE / "kernels.cl")) == set(FIRST_COURSE)


def test_the_template_builds(transposition, environment):
    """The unchanged template builds with an assignment's options."""
    result = grade(transposition, TEMPLATE, environment, seed=1)
    assert result.checks[0].verdict is Verdict.PASSED
    assert result.checks[1].reason is Reason.NOT_WRITTEN


def test_the_file_of_all_five_holds_the_skeletons_word_for_word():
    """student_template/kernels.cl contains the five skeletons word for word. A change must be made in both places."""
    together = (ROOT / "student_template" / "kernels.cl").read_text(encoding="utf-8")
    for name in FIRST_COURSE:
        assert (ROOT / "assignments" / name / "kernels.cl").read_text(encoding="utf-8").strip() in together


def test_instructors_are_told_which_files_of_the_template_students_get():
    """The guide lists the template's files for students and keeps kernels.cl, with all skeletons, for instructors."""
    told = (ROOT / "docs" / "instructors.md").read_text(encoding="utf-8").partition("from `student_template/`")[2]
    given, _, others = told.partition(")")
    assert re.findall(r"`(.+?)`", given) == list(TEMPLATE_FILES)
    assert "The `kernels.cl` there stays with you" in others
    assert set(written_to(TEMPLATE)) == {*TEMPLATE_FILES, "kernels.cl"}


@pytest.mark.parametrize("name", FIRST_COURSE)
def test_a_handout_names_the_kernels_that_may_stand_in_the_same_file(course, name):
    """A handout names exactly the kernels with the same constants, which may be in the same file."""
    handout = (ROOT / "assignments" / name / "README.md").read_text(encoding="utf-8")
    constants = course.load(name).constants
    (defined,) = re.findall(r"^- Defined: (.*?)(?=^- |\n\n)", handout, re.MULTILINE | re.DOTALL)
    alike = {other for other in ASSIGNMENTS if constants_of(course.load(other)) == [constants]} - {name}
    assert set(re.findall(r"`(\w+)`", defined)) == {*constants, *alike, "uint32_t"}


def constants_of(coursework):
    """Return the constants of each part."""
    return [part.constants for part in coursework.parts]
