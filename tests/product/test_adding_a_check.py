"""The recipe "Adding a check": the files that it lists are all that a new kind of check needs."""

import json
import shutil
from xml.etree import ElementTree

import pytest
from commandline import python
from courses import KERNEL, course_of
from project import ROOT
from recipes import Package, files_of

KIND = """\
    LENGTH = "length"
"""

SECTION = '''\
class Length(SingleCheck):
    """A limit for the lines of the submission."""

    kinds = (Kind.LENGTH,)
    needs_right_cases = False
    unmeasured: ClassVar[Mapping[str, Any]] = {"points": True, "hidden": True}

    lines: int
    """Largest number of lines."""

    points: float = Field(ge=0)
    """Points for a submission that is short enough."""

    def asked(self, _: DeviceClass, /) -> tuple[AskedCheck, ...]:
        """Return the only check."""
        return (AskedCheck(kind=Kind.LENGTH, points=self.points),)

    @property
    def total(self) -> float:
        """Points of the check."""
        return self.points

    def placed_sizes(self) -> Iterator[tuple[str, Sizes]]:
        """No launch is needed."""
        return iter(())


'''

FIELD = """\
    length: Length | None = None
"""

MODULE = '''\
"""Length of the submission."""

from dataclasses import replace
from grader.course.rubric import Kind
from grader.grading.checks.requirements import worth
from grader.grading.explain.problem import Problem
from grader.results.check import full_marks
from grader.results.verdicts import Reason


def observe(tested, before):
    """Add the check of the length."""
    task = tested.runs.subject.task
    asked = task.assignment.length
    lines = len(task.submission.source.splitlines())
    (check,) = map(full_marks, asked.asked("cpu"))
    if lines > asked.lines:
        check = Problem(reason=Reason.FORBIDDEN, message=f"it has {lines} lines of {asked.lines}.").fail(check)
    return replace(before, checks=(*before.checks, check))


def rescored(result, assignment):
    """Return the stored check with the points that it is worth now."""
    return [worth(check, assignment.length.points) for check in result.checks if check.kind is Kind.LENGTH]
'''

ENTRY = """\
    CheckKind(section=Length, rescored=length.rescored, observe=length.observe),
"""

RUBRIC, KINDS = "grader/course/rubric.py", "grader/grading/check_kinds.py"


@pytest.fixture
def package(tmp_path):
    """A package with a new check that limits the lines of a submission."""
    made = Package(tmp_path / "package")
    shutil.copytree(ROOT / "student_template", made.folder / "student_template")
    made.insert(RUBRIC, KIND, before='    SANITIZER = "sanitizer"')
    made.insert(RUBRIC, "Kind.LENGTH, ", before="Kind.MEMORY, Kind.PERFORMANCE)")
    made.insert(RUBRIC, SECTION, before="class Rubric(Record)")
    made.insert(RUBRIC, FIELD, before="    performance: SpeedGoals | None")
    made.write("grader/grading/checks/length.py", MODULE)
    made.insert(KINDS, "Length, ", before="Memory, Sanitizer, Section, SpeedGoals\n")
    made.insert(KINDS, "length, ", before="memory, sanitizer\n")
    made.insert(KINDS, ENTRY, before="    CheckKind(section=SpeedGoals")
    return made


@pytest.fixture
def run(package, tmp_path):
    """Run a command of this package on a small course whose assignment has the given length section."""
    course_of(tmp_path / "course")
    shutil.copy(ROOT / "constraints.txt", tmp_path / "course")
    path = tmp_path / "course" / "assignments" / "small" / "assignment.yaml"
    text = path.read_text()
    (tmp_path / "anna").mkdir()
    (tmp_path / "anna" / "kernels.cl").write_text(KERNEL)

    def command(section, *arguments):
        path.write_text(f"{text}\nlength: {section}\n")
        known = {"PYTHONPATH": str(package.folder)}
        return python(tmp_path, "-m", "grader.cli.main", *arguments, **known)

    return command


HOW = ("--assignment", "small", "--course", "course", "--sandbox", "process")


def graded(run, tmp_path, section):
    """Grade a correct submission. Return its result as JSON and the terminal's output."""
    done = run(section, "grade", "anna", *HOW, "--json", "out.json", "--junit", "out.xml", "--html", "out.html")
    assert done.returncode in {0, 1}, done.stderr
    return json.loads((tmp_path / "out.json").read_text()), done.stdout


@pytest.mark.whole
def test_a_check_is_the_files_of_its_recipe(package, run, tmp_path):
    """The files in the recipe, at most three, are enough to add a check. It shows up in points, messages, JSON, JUnit
    and HTML.
    """
    assert package.touched == files_of("Adding a check", "length")
    assert len(package.touched) <= 3
    result, words = graded(run, tmp_path, "{lines: 2, points: 7}")
    (check,) = (each for each in result["checks"] if each["kind"] == "length")
    assert (check["verdict"], check["points"], check["max_points"]) == ("failed", 0, 7)
    assert result["max_points"] == sum(each["max_points"] for each in result["checks"])
    told = f"it has {len(KERNEL.splitlines())} lines of 2."
    assert told in " ".join(words.split())
    assert told in (tmp_path / "out.html").read_text()
    names = {case.get("name") for case in ElementTree.parse(tmp_path / "out.xml").iter("testcase")}
    assert check["name"] in names
    result, _ = graded(run, tmp_path, "{lines: 200, points: 7}")
    assert {each["points"] for each in result["checks"] if each["kind"] == "length"} == {7}


def test_a_new_check_can_be_hidden_and_left_out_of_a_kit(run, tmp_path):
    """`show` lists a new check. A kit leaves out its hidden limit and only states its points."""
    section = "{lines: 2, points: 7, hidden: true}"
    assert "length, 7 points" in run(section, "show", "small", "--course", "course").stdout
    done = run(section, "export", "kit", "--out", "kit", "--course", "course")
    assert done.returncode == 0, done.stderr
    (own,) = (tmp_path / "kit").rglob("small/assignment.yaml")
    assert "lines: 2" not in own.read_text()
    (left_out,) = (tmp_path / "kit").rglob("kit.yaml")
    assert "length: 7" in left_out.read_text()


def test_the_files_of_the_check_recipe_are_there():
    """Every file in the recipe exists for the sanitizer check."""
    assert [path for path in files_of("Adding a check", "sanitizer") if not (ROOT / path).is_file()] == []
