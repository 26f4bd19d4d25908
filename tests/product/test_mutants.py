"""catalogue.py and the modules that it uses: every mutant of an assignment.yaml is either read or refused."""

import shutil
import warnings

import pytest
from project import ASSIGNMENTS, ROOT
from yaml_mutants import mutant

from grader.authoring.show import describe
from grader.common.errors import InputError
from grader.course.catalogue import Course

pytestmark = pytest.mark.long

QUICKLY, WHOLE = range(100), [range(start, start + 500) for start in range(100, 2_100, 500)]


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of the course that tests may change."""
    folder = tmp_path_factory.mktemp("course")
    for name in ("assignments", "reference"):
        shutil.copytree(ROOT / name, folder / name)
    return Course(assignments=folder / "assignments", reference=folder / "reference")


def outcome(course, name, content):
    """Return "read" if the assignment loads and all its properties can be computed, otherwise "refused"."""
    path = course.assignments / name / "assignment.yaml"
    whole = path.read_bytes()
    path.write_bytes(content)
    try:
        with warnings.catch_warnings(action="ignore"):
            coursework = course.load(name)
            assert describe(coursework)
            assert coursework.points >= 0
            assert [part.timed_on(kind) for part in coursework.parts for kind in part.performance.classes]
            assert len(coursework.measured_sha256) == 64
    except InputError:  # the command line prints any InputError as one line
        return "refused"
    finally:
        path.write_bytes(whole)
    return "read"


def outcomes(course, numbers):
    texts = {name: (course.assignments / name / "assignment.yaml").read_text() for name in ASSIGNMENTS}
    named = ((number, ASSIGNMENTS[number % len(ASSIGNMENTS)]) for number in numbers)
    return {outcome(course, name, mutant(texts[name], number)) for number, name in named}


def test_a_mutant_is_read_or_refused(copied):
    """Each of the first 100 mutants is read or refused, and none raises another exception."""
    assert outcomes(copied, QUICKLY) == {"read", "refused"}


@pytest.mark.whole
@pytest.mark.parametrize("numbers", WHOLE, ids=str)
def test_thousands_of_mutants_are_read_or_refused(copied, numbers):
    """Each of two thousand mutants is read or refused. The number of a mutant reproduces it. fuzz/course.py extends
    this search.
    """
    assert outcomes(copied, numbers) == {"read", "refused"}


TEXT = (ROOT / "assignments" / "coalsTransp" / "assignment.yaml").read_text()
REFUSED = {
    "half a character as a value": ("title:", 'note: "\\uD800"\ntitle:'),
    "half a character as the title": ("title: ", 'title: "\\uD800" # '),
    "half a character as a key": ("title:", '"\\uD800": 1\ntitle:'),
    "a date that is none": ("title:", "day: 2020-13-45\ntitle:"),
    "a list as a key": ("title:", "[1]: 2\ntitle:"),
    "lists in lists": ("title:", "deep: " + "[" * 5000 + "\ntitle:"),
    "a list in itself": ("title:", "a: &a [*a]\ntitle:"),
    "a number past all floats": ("bytes: ", f"bytes: {10**400} # "),
    "the same as text": ("bytes: ", f"bytes: '{'9' * 400}' # "),
    "past the end of a list": ("bytes: ", "bytes: '[1][2]' # "),
    "a key that is not there": ("bytes: ", "bytes: '{}[1]' # "),
    "signs on signs": ("bytes: ", f"bytes: '{'-' * 3000}1' # "),
    "brackets in brackets": ("bytes: ", f"bytes: '{'(' * 3000}1' # "),
    "a number for a name": ("correctness:", "0:"),
    "a mapping for a format": ("shape: [height, width], data", "image: {a: 1}, shape: [height, width], data"),
    "a list for a type": ("shape: [height, width], data", "type: [a], shape: [height, width], data"),
    "a mapping for a constant": ("{real: float,", "{real: {a: 1},"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_no_assignment_can_hold_is_refused(copied, what):
    """Values that an assignment cannot contain are refused. Some of these values once caused a traceback in a mutant,
    and the others are similar.
    """
    old, new = REFUSED[what]
    assert old in TEXT
    assert outcome(copied, "coalsTransp", TEXT.replace(old, new, 1).encode()) == "refused"
