"""assignment.py: the shipped assignments, and the hash that a result carries."""

import shutil

import pytest
from conftest import ASSIGNMENTS, ROOT

from grader.course import Course


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_every_assignment_of_the_course_loads_and_has_ten_cases(course, name):
    """The shipped assignments are well-formed, give 100 points and have at least ten cases with both kinds of data."""
    assignment = course.load(name)
    assert assignment.points == 100
    assert len(assignment.correctness.cases) >= 10
    assert {case.data for case in assignment.correctness.cases} == {"random", "integers"}
    assert set(assignment.performance.classes) == {"cpu", "gpu"}
    assert assignment.sanitizer.points == 12
    assert sum(check.points for check in assignment.memory.checks) == 20


@pytest.fixture
def copy(tmp_path):
    """A copy of one assignment that a test may break."""
    for part in ("assignments", "reference"):
        shutil.copytree(ROOT / part / "coalsTransp", tmp_path / part / "coalsTransp")
    return Course(assignments=tmp_path / "assignments", reference=tmp_path / "reference")


def test_the_hash_covers_both_folders(copy):
    """Whatever is changed in either folder changes the hash that results carry."""
    before = copy.load("coalsTransp").sha256
    for path in (copy.assignments / "coalsTransp/README.md", copy.reference / "coalsTransp/baseline.cl"):
        path.write_text(path.read_text() + "\n")
        after = copy.load("coalsTransp").sha256
        assert after != before
        before = after


def test_a_class_of_devices_can_be_timed_with_constants_of_its_own(product):
    """The others stay, and so does everything else; what is no constant of the assignment is refused (test_course)."""
    gpu = product.performance.classes["gpu"].model_copy(update={"constants": {"TILE": 32}})
    classes = {**product.performance.classes, "gpu": gpu}
    given = product.model_copy(update={"performance": product.performance.model_copy(update={"classes": classes})})
    timed = given.timed_on("gpu")
    assert timed.constants == {**product.constants, "TILE": 32}
    assert timed.definitions["TILE"] == "32"
    assert timed.model_copy(update={"constants": product.constants}) == given
    assert given.timed_on("cpu") == given


def test_no_assignment_is_named_in_the_code():
    """The package knows no assignment by name: they are data."""
    code = "\n".join(path.read_text() for path in (ROOT / "grader").rglob("*.py"))
    assert not [name for name in ASSIGNMENTS if name in code]
