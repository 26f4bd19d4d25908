"""suite.py and suite_results.py: several kernels in one file are graded separately and lead to one result."""

import pytest
from courses import ORACLE, course_of
from samples import BUILD, check, failed, result
from two_kernels import BOTH, LAUNCH, PARTS

from grader.common.errors import InputError
from grader.course.catalogue import merged
from grader.course.rubric import Kind
from grader.course.suite import Suite
from grader.results.suite_results import joined, separated
from grader.results.verdicts import Reason


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    """A suite of two kernels that compute the same."""
    return course_of(tmp_path_factory.mktemp("suite"), PARTS, BOTH, ORACLE).load("small")


def test_a_part_says_what_differs(suite):
    """A part states only what differs, even within a field. Everything else is common to all parts."""
    assert isinstance(suite, Suite)
    add, plus = suite.parts
    assert (add.part, plus.part, plus.name, plus.called) == ("add", "plus", "small", "small/plus")
    assert (add.correctness.points, plus.correctness.points) == (10, 3)
    assert add.correctness.cases == plus.correctness.cases
    assert suite.points == 23


def test_mappings_are_merged_and_all_else_replaced():
    """Mappings are merged at any depth, and other values are replaced."""
    common, own = {"a": {"b": 1, "c": {"d": 2}}, "e": [1, 2]}, {"a": {"c": {"d": 3}}, "e": [4]}
    assert merged(common, own) == {"a": {"b": 1, "c": {"d": 3}}, "e": [4]}


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([{"launches": []}], "parts.0: has no `kernel`; add it."),
        ([{"kernal": "add", "launches": [LAUNCH]}], "parts.0: kernal: unknown key; did you mean kernel?"),
        ([{"kernel": "addd", "launches": [LAUNCH]}], "parts.0 (addd): no launch runs addd; did you mean add?"),
        ({"add": {}}, "parts: must be a list of mappings, each with a `kernel`"),
        ([{"kernel": "plus"}], "parts.0 (plus): launches: Field required"),
        ([{"kernel": "add", "launches": [LAUNCH]}] * 2, "two parts have the same kernel"),
        ([{"kernel": "add", "launches": [LAUNCH], "colour": 1}], "parts.0 (add): colour"),
    ],
)
def test_a_part_that_is_wrong_is_named(tmp_path, parts, words):
    """The error for an invalid part contains its number and its kernel."""
    with pytest.raises(InputError) as error:
        course_of(tmp_path, {**PARTS, "parts": parts}).load("small")
    assert words in str(error.value)


def test_a_misspelt_list_of_parts_is_recognised(tmp_path):
    """The error for a misspelt `parts` suggests this name. It does not report the fields that only the parts have."""
    course = course_of(tmp_path, {"prats" if name == "parts" else name: value for name, value in PARTS.items()})
    with pytest.raises(InputError, match=r"line \d+: prats: unknown key; did you mean parts\?$"):
        course.load("small")


def test_results_are_joined_under_the_names_of_the_parts_and_separated_again(suite):
    """Joining results adds up points and prefixes names with the part. Separating them restores each part's checks."""
    right, wrong = result(BUILD, check("correctness: one")), result(BUILD, failed("correctness: one"))
    whole = joined(suite, [right, wrong])
    assert [(each.part, each.name) for each in whole.checks] == [
        ("add", "add: build"),
        ("add", "add: correctness: one"),
        ("plus", "plus: build"),
        ("plus", "plus: correctness: one"),
    ]
    assert (whole.points, whole.max_points, whole.passed) == (5, 10, False)
    assert [part.checks for part in separated(suite, whole)] == [right.checks, wrong.checks]


def test_what_does_not_build_is_told_once(suite):
    """A build error is reported once, because the parts share the file. A missing kernel is reported for each part."""
    broken = failed("build", kind=Kind.BUILD, reason=Reason.BUILD_ERROR, message="line 2: what?")
    assert [each.reason for each in joined(suite, [result(broken), result(broken)]).checks] == [
        Reason.BUILD_ERROR,
        Reason.NOT_RUN,
    ]
    missing = [failed("build", kind=Kind.BUILD, reason=Reason.KERNEL_MISSING, message=f"no {name}.") for name in "ab"]
    assert [each.reason for each in joined(suite, list(map(result, missing))).checks] == [Reason.KERNEL_MISSING] * 2
