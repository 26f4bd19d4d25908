"""drafting.py: a new assignment works before its author changes anything."""

import json

import pytest
import yaml
from commandline import grader
from jsonschema import Draft202012Validator
from project import ROOT

from grader.authoring import drafting
from grader.authoring.drafting import FIRST, PLACEHOLDER, SCHEMA_FILE, draft, schema_file, templates
from grader.authoring.golden import corpus
from grader.authoring.handout import facts
from grader.authoring.schema import assignment_schema
from grader.cli.commands.authoring import Template
from grader.common.errors import InputError
from grader.course.catalogue import Course
from grader.course.rubric import Correctness

FILES = {
    "assignments/scaling/README.md",
    "assignments/scaling/assignment.yaml",
    "assignments/scaling/kernels.cl",
    "reference/scaling/baseline.cl",
    "reference/scaling/kernels.cl",
    "reference/scaling/oracle.py",
    "tests/submissions/scaling/adds-in-place/expected.yaml",
    "tests/submissions/scaling/adds-in-place/kernels.cl",
    "tests/submissions/scaling/old-y-left-out/expected.yaml",
    "tests/submissions/scaling/old-y-left-out/kernels.cl",
    "assignments/assignment.schema.json",
}


@pytest.fixture
def drafted(tmp_path):
    """A course that was drafted in an empty folder."""
    draft("scaling", tmp_path)
    return tmp_path


def loaded(course, name="scaling"):
    return Course(assignments=course / "assignments", reference=course / "reference").load(name)


@pytest.mark.whole
def test_an_empty_folder_becomes_a_course(tmp_path):
    """A draft turns a new or empty folder into a course, and the paths of all its files are returned."""
    folder = tmp_path / "new" / "course"
    written = draft("scaling", folder)
    assert {str(path.relative_to(folder)) for path in written} == FILES
    assert {path for path in folder.rglob("*") if path.is_file()} == set(written)


@pytest.mark.whole
def test_the_name_stands_in_place_of_the_placeholder_everywhere(drafted):
    """The assignment's name replaces the placeholder in every file and is also the name of the kernel."""
    for path in drafted.rglob("*"):
        assert path.is_dir() or PLACEHOLDER not in path.read_text()
    assert loaded(drafted).kernel == "scaling"


def test_the_draft_has_all_that_an_assignment_needs(drafted):
    """The draft has 100 points, both kinds of data, one practice case and speed goals for CPUs and GPUs, and it comes
    with a right and a wrong submission.
    """
    assignment = loaded(drafted)
    assert assignment.points == 100
    assert {case.data for case in assignment.correctness.cases} == {"random", "integers"}
    assert sum(case.practice for case in assignment.correctness.cases) == 1
    assert set(assignment.performance.classes) == {"cpu", "gpu"}
    found = corpus(drafted / "tests" / "submissions" / "scaling")
    assert [golden.expectation.is_right for golden in found] == [True, False]
    assert all(golden.subject(assignment) is assignment for golden in found)


@pytest.mark.parametrize(
    "template", [templates()[0], *(pytest.param(each, marks=pytest.mark.whole) for each in templates()[1:])]
)
def test_each_template_is_a_complete_assignment(tmp_path, template):
    """An assignment from each template fits the schema, and its handout agrees with it. It has a right and a wrong
    submission.
    """
    draft("scaling", tmp_path, template)
    assignment = loaded(tmp_path)
    assert (assignment.kernel, assignment.points) == ("scaling", 100)
    fields = yaml.safe_load((tmp_path / "assignments/scaling/assignment.yaml").read_text())
    assert list(Draft202012Validator(assignment_schema()).iter_errors(fields)) == []
    compared = facts(assignment)
    assert len(compared) > 10
    assert [fact for fact in compared if not fact.agrees] == []
    verdicts = {golden.expectation.is_right for golden in corpus(tmp_path / "tests" / "submissions" / "scaling")}
    assert verdicts == {True, False}
    assert not [path for path in tmp_path.rglob("*.*") if PLACEHOLDER in path.read_text()]


@pytest.mark.whole
@pytest.mark.parametrize("template", [each for each in templates() if each != FIRST])
def test_an_assignment_from_a_template_is_valid(tmp_path, template, simulator):  # noqa: ARG001 - it is installed
    """`grader validate --quick` finds no false statement about an assignment that starts from a template."""
    assert grader(tmp_path, "new", "scaling", "--from", template, "--course", "course").returncode == 0
    done = grader(tmp_path, "validate", "scaling", "--quick", "--course", "course")
    assert (done.returncode, "FALSE" in done.stdout) == (0, False), done.stdout


def test_the_command_offers_each_template(tmp_path):
    """`--from` accepts exactly the templates. Another name is refused before any file is written."""
    assert [each.value for each in Template] == [FIRST, *(each for each in templates() if each != FIRST)]
    with pytest.raises(InputError, match="there is no template 'sort'; choose histogram, image, loop, saxpy or scan"):
        draft("scaling", tmp_path, "sort")
    assert list(tmp_path.iterdir()) == []


def test_the_handout_says_what_the_file_asks(drafted):
    """The table in the handout gives the same points, sizes and number of cases as assignment.yaml."""
    assignment, handout = loaded(drafted), (drafted / "assignments/scaling/README.md").read_text()
    correctness: Correctness = assignment.correctness
    counting = [case for case in correctness.cases if not case.practice]
    largest = max(case.sizes["n"] for case in counting)
    each = correctness.points / len(counting)
    assert f"| correctness | {len(counting)} cases, from 1 to {largest:,} elements" in handout
    assert f"| {each:g} each, {correctness.points:g} |" in handout
    for kind, goal in assignment.performance.classes.items():
        asked = f"{100 * goal.bands[0].fraction:g} % of the model solution's speed"
        assert f"performance, {kind.upper()}: {goal.sizes['n']:,} elements | {asked}" in handout
    assert f"sanitizer, simulated: {assignment.sanitizer.sizes['n']:,} elements" in handout
    assert f"memory, simulated: {assignment.memory.sizes['n']:,} elements" in handout


@pytest.mark.whole
def test_every_file_of_the_draft_that_instructors_write_has_comments(drafted):
    """The first line of the drafted assignment.yaml points editors to the schema, and comments explain its important
    fields. The code files begin with a comment.
    """
    lines = (drafted / "assignments/scaling/assignment.yaml").read_text().splitlines()
    assert lines[0] == "# yaml-language-server: $schema=../assignment.schema.json"
    assert sum("#" in line for line in lines) >= 20
    assert max(map(len, lines)) <= 120
    for name in ("kernels.cl", "baseline.cl", "oracle.py"):
        assert (drafted / "reference/scaling" / name).read_text().startswith(('"""', "//"))


@pytest.mark.whole
def test_the_schema_is_beside_the_assignments_and_the_draft_is_right_by_it(drafted):
    """The first line of assignment.yaml gives the path of the schema, and the draft is valid according to this
    schema.
    """
    schema = json.loads((drafted / "assignments/scaling/../assignment.schema.json").read_text())
    fields = yaml.safe_load((drafted / "assignments/scaling/assignment.yaml").read_text())
    assert list(Draft202012Validator(schema).iter_errors(fields)) == []


@pytest.mark.whole
@pytest.mark.parametrize("old", [pytest.param("{}", marks=pytest.mark.whole), "\udcff"])
def test_a_schema_of_another_grader_is_written_anew(drafted, old):
    """A schema that another version of the grader wrote is replaced. An identical schema is not written again."""
    path = drafted / SCHEMA_FILE
    assert path not in draft("second", drafted)
    path.write_bytes(old.encode(errors="surrogateescape"))
    assert path in draft("third", drafted)
    assert path.read_text() == schema_file()


def test_git_leaves_the_schema_alone():
    """Git ignores the schema, because it is generated from the code."""
    assert f"/{SCHEMA_FILE}" in (ROOT / ".gitignore").read_text().splitlines()


@pytest.mark.parametrize("name", ["two words", "3d", "a-b", "", "../up", "größe", "a\n"])
def test_a_name_that_no_kernel_can_have_is_refused(tmp_path, name):
    """A name that is not a valid kernel name is refused before any file is written."""
    with pytest.raises(InputError, match="cannot be the name of a kernel"):
        draft(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["assignments", "reference", "tests/submissions"])
def test_what_is_there_is_never_overwritten(tmp_path, place):
    """If any of the three folders of the assignment exists, the error names it and no file is written."""
    (tmp_path / place / "scaling").mkdir(parents=True)
    with pytest.raises(InputError, match="choose another name") as caught:
        draft("scaling", tmp_path)
    assert f"{tmp_path} already contains {place}/scaling;" in str(caught.value)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_the_course_inside_the_package_is_not_written_to(tmp_path, monkeypatch):
    """An assignment cannot be drafted inside the installed package. The error asks for a folder of the instructor."""
    monkeypatch.setattr(drafting, "PACKAGE", tmp_path / "grader")
    with pytest.raises(InputError, match="--course DIR"):
        draft("scaling", tmp_path / "grader" / "course")
    assert list(tmp_path.iterdir()) == []


def test_a_course_that_cannot_be_a_folder_is_one_line(tmp_path):
    """If the path of the course is an existing file, the error says that the folder cannot be made."""
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot make the folder"):
        draft("scaling", tmp_path / "file")
