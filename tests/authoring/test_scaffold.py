"""scaffold.py: the starter folder for students, whose pages fit a terminal, and the template that it is made from."""

import os
import re
import shutil
import subprocess

import pytest
import yaml
from gradings import grade
from project import ASSIGNMENTS, FIRST_COURSE, ROOT

from grader.authoring.scaffold import PLACEHOLDER, TEMPLATE_FILES, WIDTH, narrowed, start
from grader.cli.exit_codes import ELSEWHERE
from grader.common.errors import InputError
from grader.course.rubric import Kind
from grader.results.verdicts import Reason, Verdict

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
    """The starter folder of the assignment."""
    start(assignment, TEMPLATE, GUIDE, tmp_path / "mine")
    return tmp_path / "mine"


def written_to(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def commands(text):
    """Return the shell lines of a CI file, after joining continued lines."""
    return text.replace("\\\n", " ").splitlines()


@pytest.mark.sampled
def test_a_folder_is_filled_and_what_was_written_is_told(assignment, tmp_path):
    """The folder is created together with its parents. It contains exactly the files whose paths are returned."""
    folder = tmp_path / "new" / "mine"
    assert start(assignment, TEMPLATE, GUIDE, folder) == [folder / name for name in FILES]
    assert written_to(folder) == sorted(FILES)


@pytest.mark.sampled
def test_the_skeleton_and_the_handout_are_those_of_the_assignment(assignment, started):
    """The skeleton is an exact copy of the assignment's file. The handout is wrapped, and its link to the page about
    reports leads to the copy.
    """
    assert (started / "kernels.cl").read_bytes() == (assignment.folder / "kernels.cl").read_bytes()
    handout = (assignment.folder / "README.md").read_text()
    linked = handout.replace(f"(../../docs/{GUIDE.name})", f"({GUIDE.name})")
    assert (started / "HANDOUT.md").read_text() == narrowed(linked)


@pytest.mark.sampled
def test_every_link_of_a_started_folder_leads_to_a_file_in_it(started):
    """Every relative link leads to a file in the starter folder, although two of its pages come from other folders."""
    links = [
        (path.name, link)
        for path in started.glob("*.md")
        for link in re.findall(r"\]\(([^)#]+)", path.read_text())
        if not link.startswith("http")
    ]
    assert ("HANDOUT.md", GUIDE.name) in links
    assert [each for each in links if not (started / each[1]).is_file()] == []


@pytest.mark.sampled
def test_the_assignments_name_stands_in_place_of_the_placeholder_everywhere(assignment, started):
    """No file contains the placeholder. Each file of the template that contains it has the assignment's name in its
    place.
    """
    for name in FILES:
        text = (started / name).read_text()
        assert PLACEHOLDER not in text
        if (TEMPLATE / name).is_file() and PLACEHOLDER in (TEMPLATE / name).read_text():
            assert assignment.name in text
    assert f"assignment: {assignment.name}\n" in (started / "submission.yaml").read_text()


@pytest.mark.sampled
def test_the_gitlab_file_grades_and_publishes_the_report_also_on_failure(assignment, started):
    """The GitLab job ends with the grader's exit code and always keeps the reports. Exit code 4, which means that the
    course's machine decides some points, is only a warning.
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


@pytest.mark.sampled
def test_the_github_file_grades_and_publishes_the_report_also_on_failure(assignment, started):
    """The GitHub workflow requires the simulator and keeps the reports even if the grading fails."""
    workflow = yaml.safe_load((started / GITHUB).read_text())
    assert workflow["env"]["ASSIGNMENT"] == assignment.name
    steps = {step["name"]: step for step in workflow["jobs"]["grade"]["steps"] if "name" in step}
    grade = steps["Grade"]
    (command,) = [line for line in commands(grade["run"]) if "grader grade" in line]
    assert " --require-sanitizer " in command
    assert 'grader grade kernels.cl --assignment "$ASSIGNMENT" ' in command
    assert "--junit report.xml --json result.json --html report.html --sarif report.sarif" in command
    assert grade["shell"] == "bash"  # GitHub adds pipefail to this shell, so `| tee` does not hide the exit code
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
    """Return the setup script and the grading script of each platform."""
    job = yaml.safe_load((started / GITLAB).read_text())["grade"]
    steps = {
        step.get("name"): step for step in yaml.safe_load((started / GITHUB).read_text())["jobs"]["grade"]["steps"]
    }
    return {
        "gitlab": ("\n".join(job["before_script"]), "\n".join(job["script"])),
        "github": (steps["Install"]["run"], steps["Grade"]["run"]),
    }


def run_step(script, folder, **variables):
    """Run a script as a CI runner does: in one shell, which stops at the first line that fails."""
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
    """Make a kit whose command prints its arguments. All commands except `setup` end with this exit code."""
    folder.mkdir()
    (folder / "grader").write_text(f'#!/bin/sh\necho "asked to $*"\n[ "$1" = setup ] || exit {code}\n')
    (folder / "grader").chmod(0o755)


@pytest.mark.parametrize("platform", ["gitlab", "github"])
def test_a_pipeline_sets_up_the_kit_and_its_grading_ends_as_the_grader_does(transposition, tmp_path, platform):
    """A pipeline sets up the kit and ends with the grader's exit code. GitHub has no warnings, so there exit code 4
    becomes a notice and the job succeeds.
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
    """A pipeline clones the kit from KIT_URL, or from the address in the template. If neither is set, it fails with a
    message.
    """
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
    """If any file already exists, the error names it, no file is overwritten, and no other file is written."""
    for name in present:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("an evening's work")
    with pytest.raises(InputError, match="choose an empty folder") as caught:
        start(transposition, TEMPLATE, GUIDE, tmp_path)
    assert f"{tmp_path} already contains {', '.join(present)};" in str(caught.value)
    assert written_to(tmp_path) == sorted(present)
    assert {(tmp_path / name).read_text() for name in present} == {"an evening's work"}


def test_a_folder_with_other_files_is_filled(transposition, tmp_path):
    """A folder that contains other files is accepted, because even a fresh clone contains a folder `.git`."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "notes.txt").write_text("mine")
    start(transposition, TEMPLATE, GUIDE, tmp_path)
    assert written_to(tmp_path) == sorted([*FILES, "notes.txt"])


def test_a_target_that_cannot_be_a_folder_is_one_line(transposition, tmp_path):
    """If the target is an existing file, the error says that the folder cannot be made and gives its path."""
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot make the folder") as caught:
        start(transposition, TEMPLATE, GUIDE, tmp_path / "file")
    assert str(tmp_path / "file") in str(caught.value)


def test_an_incomplete_template_is_one_line_and_nothing_is_written(transposition, tmp_path):
    """If a file of the template is missing, the error names it and no file is written."""
    shutil.copytree(TEMPLATE, tmp_path / "template")
    (tmp_path / "template" / GITLAB).unlink()
    with pytest.raises(InputError, match=r"gitlab-ci\.yml cannot be read: .* not complete"):
        start(transposition, tmp_path / "template", GUIDE, tmp_path / "mine")
    assert not (tmp_path / "mine").exists()


@pytest.mark.whole
@pytest.mark.parametrize("name", ["coalsProgrm", "rgblkMMM"])
def test_the_skeleton_builds_and_fails_every_case_for_what_is_still_to_do(course, environment, tmp_path, name):
    """A skeleton builds, and every case fails because the kernel does not store any results."""
    assignment = course.load(name)
    start(assignment, TEMPLATE, GUIDE, tmp_path)
    result = grade(assignment, tmp_path, environment, seed=1)
    assert result.checks[0].verdict is Verdict.PASSED
    reasons = {check.reason for check in result.checks if check.kind is Kind.CORRECTNESS}
    assert reasons == {Reason.NOT_WRITTEN}
    assert result.points == 0


def test_the_template_holds_all_five_kernels_as_the_skeletons_declare_them(course):
    """The template declares all five kernels exactly as the skeletons do, for students who keep the whole course in one
    file.
    """

    def declarations(path):
        text = re.sub(r"//[^\n]*", "", path.read_text())
        found = re.findall(r"__kernel\s+void\s+(\w+)\s*\(([^)]*)\)", text)
        return {name: " ".join(parameters.split()) for name, parameters in found}

    skeletons = [declarations(course.load(name).folder / "kernels.cl") for name in FIRST_COURSE]
    assert declarations(TEMPLATE / "kernels.cl") == {name: text for found in skeletons for name, text in found.items()}
    assert set(declarations(TEMPLATE / "kernels.cl")) == set(FIRST_COURSE)


def test_the_template_builds(transposition, environment):
    """The unchanged template builds with the options of an assignment."""
    result = grade(transposition, TEMPLATE, environment, seed=1)
    assert result.checks[0].verdict is Verdict.PASSED
    assert result.checks[1].reason is Reason.NOT_WRITTEN


def test_the_file_of_all_five_holds_the_skeletons_word_for_word():
    """student_template/kernels.cl contains the text of all five skeletons, so a change to a skeleton must be made in
    both files.
    """
    together = (ROOT / "student_template" / "kernels.cl").read_text(encoding="utf-8")
    for name in FIRST_COURSE:
        assert (ROOT / "assignments" / name / "kernels.cl").read_text(encoding="utf-8").strip() in together


def test_instructors_are_told_which_files_of_the_template_students_get():
    """The guide lists the template's files that students get. It also says that `kernels.cl`, which contains all
    skeletons, stays with the instructor.
    """
    told = (ROOT / "docs" / "instructors.md").read_text(encoding="utf-8").partition("from `student_template/`")[2]
    given, _, others = told.partition(")")
    assert re.findall(r"`(.+?)`", given) == list(TEMPLATE_FILES)
    assert "The `kernels.cl` there stays with you" in others
    assert set(written_to(TEMPLATE)) == {*TEMPLATE_FILES, "kernels.cl"}


@pytest.mark.sampled
@pytest.mark.parametrize("name", FIRST_COURSE)
def test_a_handout_names_the_kernels_that_may_stand_in_the_same_file(course, name):
    """A handout lists exactly the other kernels with the same constants, because these kernels may share a file."""
    handout = (ROOT / "assignments" / name / "README.md").read_text(encoding="utf-8")
    constants = course.load(name).constants
    (defined,) = re.findall(r"^- Defined: (.*?)(?=^- |\n\n)", handout, re.MULTILINE | re.DOTALL)
    alike = {other for other in ASSIGNMENTS if constants_of(course.load(other)) == [constants]} - {name}
    assert set(re.findall(r"`(\w+)`", defined)) == {*constants, *alike, "uint32_t"}


def constants_of(coursework):
    """Return the constants of each part of an assignment or a suite."""
    return [part.constants for part in coursework.parts]


WORDS = "word " * 30
TABLE = f"| {WORDS}| 1 |"
CODE = f"```\n{WORDS}\n- {WORDS}\n```"


def test_paragraphs_and_items_are_wrapped():
    """Paragraphs and items of lists are wrapped, and items keep their indentation."""
    page = narrowed(f"{WORDS}\n{WORDS}\n\n- {WORDS}\n  {WORDS}\n10. {WORDS}\n")
    assert max(map(len, page.splitlines())) <= WIDTH
    assert page.split() == f"{WORDS} {WORDS} - {WORDS} {WORDS} 10. {WORDS}".split()
    assert "\n  word" in page.partition("- ")[2]
    assert "\n    word" in page.partition("10. ")[2]


@pytest.mark.parametrize("text", [TABLE, CODE, f"# {WORDS}", f"    {WORDS}", f"<!-- {WORDS}", f"> {WORDS}"])
def test_all_other_lines_stay(text):
    """Tables, code, headings, HTML and quotations are not wrapped, because they would change or break."""
    assert narrowed(f"Short.\n\n{text}\n\nShort.\n") == f"Short.\n\n{text}\n\nShort.\n"


@pytest.mark.parametrize("mark", ["+", "-", "#", "1.", "="])
def test_no_line_gets_another_meaning(mark):
    """No line of a wrapped paragraph begins like a list or a heading, wherever the character is in the text."""
    for before in range(60, 90):
        page = narrowed(f"{'x' * 40} {'y' * (before - 41)} {mark} {WORDS}")
        assert not any(line.startswith(f"{mark} ") for line in page.splitlines())


@pytest.mark.parametrize("path", sorted(ROOT.glob("assignments/*/README.md")), ids=lambda path: path.parent.name)
def test_the_words_of_each_handout_stay(path):
    """A handout has the same words after it is wrapped, and only tables and code are wider than a terminal."""
    text = path.read_text()
    page = narrowed(text)
    assert page.split() == text.split()
    prose = re.sub(r"^```.*?^```", "", page, flags=re.MULTILINE | re.DOTALL)
    wide = [line for line in prose.splitlines() if len(line) > WIDTH]
    assert [line for line in wide if not line.startswith(("|", "#", "    "))] == []
