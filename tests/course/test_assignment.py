"""assignment.py: the shipped assignments, and the hash that a result carries."""

import re
import shutil

import pytest
from courses import ADDITION, course_of
from project import ASSIGNMENTS, ROOT

from grader.common.errors import InputError
from grader.course.catalogue import Course


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_every_assignment_of_the_course_is_whole(course, name):
    """The shipped assignments give 100 points, for every kind of check, on both classes of devices, in enough cases."""
    coursework = course.load(name)
    assert coursework.points == 100
    for part in coursework.parts:
        assert len(part.correctness.cases) >= (6 if part.part else 10)
        assert set(part.performance.classes) == {"cpu", "gpu"}
        assert part.sanitizer.points
        assert part.memory.checks


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_small_integers_leave_no_room_for_rounding_where_they_can(course, name):
    """Each has a case whose results are compared for equality, unless its arithmetic is not exact on them."""
    for part in course.load(name).parts:
        kinds = {case.data for case in part.correctness.cases}
        assert kinds == ({"random"} if part.performance.referee == "oracle" else {"random", "integers"})


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
    """The others stay, and so does everything else; what is no constant of the assignment is refused."""
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
    files = [path for path in (ROOT / "grader").rglob("*") if path.is_file() and path.suffix not in {".pyc", ".so"}]
    code = "\n".join(path.read_text(encoding="utf-8") for path in files)
    assert len(files) > 100
    assert not [name for name in ASSIGNMENTS if re.search(rf"\b{name}\b", code)]


def test_a_case_that_counts_is_shown(tmp_path):
    """Else memory and speed would count for kernels that no shown case looks at; practice decides about nothing."""
    cases = [
        {"name": "one", "sizes": {"n": 1}, "hidden": True},
        {"name": "two", "sizes": {"n": 2}, "practice": True},
    ]
    fields = {**ADDITION, "correctness": {**ADDITION["correctness"], "cases": cases}}
    with pytest.raises(InputError, match="every case that counts is hidden; show at least one"):
        course_of(tmp_path, fields).load("small")
