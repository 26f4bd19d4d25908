"""gradebook.py: brief grades agree with their results, and totals add up the assignments of a student."""

from gradebooks import NAMES, grade, gradebook, mark, missed, row
from samples import BUILD, SLOW, failed, result

from grader.results.gradebook import grade_of, totals
from grader.results.verdicts import Reason


def test_a_grade_says_what_its_result_says():
    """A brief grade has the same points, checks, measured speed and first cause as its result."""
    whole = result(BUILD, failed("correctness: one"), SLOW)
    brief = grade_of(whole)
    assert (brief.points, brief.max_points, brief.passed) == (whole.points, whole.max_points, False)
    assert [(each.name, each.points, each.reason) for each in brief.checks] == [
        (each.name, each.points, each.reason) for each in whole.checks
    ]
    assert brief.speeds[""].rate == SLOW.performance.rate.median
    assert brief.first_cause.reason is whole.first_cause.reason is Reason.WRONG_OUTPUT
    assert grade_of(result(BUILD)).speeds == {}
    assert grade_of(result(BUILD)).first_cause is None


def test_totals_are_sums_over_the_assignments():
    """A missing submission adds zero points to the total and its points to the maximum. One late file makes the total
    late.
    """
    book = gradebook(
        row("anna", grade(mark(points=3.0), missed()), assignment=NAMES[0], late=True),
        row("anna", grade(mark(points=5.0)), assignment=NAMES[1]),
        row("bob", grade(mark(points=2.0)), assignment=NAMES[0]),
        row("bob", assignment=NAMES[1]),
        maxima={NAMES[0]: 10.0, NAMES[1]: 100.0},
    )
    anna, bob = totals(book)
    assert (anna.grade.points, anna.grade.max_points, anna.late) == (8.0, 15.0, True)
    assert [each.name.partition(":")[0] for each in anna.grade.checks] == [NAMES[0], NAMES[0], NAMES[1]]
    assert anna.grade.first_cause.message.startswith(f"{NAMES[0]}: ")
    assert (bob.grade.points, bob.grade.max_points, bob.late) == (2.0, 105.0, False)


def test_who_is_not_graded_yet_has_no_total():
    """A student with an ungraded assignment has no total, because a partial sum would look like a complete one."""
    book = gradebook(
        row("anna", grade(mark()), assignment=NAMES[0]),
        row("anna", fault="too noisy.", assignment=NAMES[1]),
        row("bob", assignment=NAMES[0]),
        row("bob", assignment=NAMES[1]),
    )
    anna, bob = totals(book)
    assert (anna.status, anna.fault) == ("ungraded", "too noisy.")
    assert bob.status == "absent"


def test_what_a_student_is_excused_from_does_not_count():
    """An excused assignment counts neither in the points nor in the maximum. A student who is excused from all has no
    total.
    """
    excused = {"fault": "the student is excused.", "left_out": "excused"}
    book = gradebook(
        row("anna", assignment=NAMES[0], **excused),
        row("anna", grade(mark(points=5.0)), assignment=NAMES[1]),
        row("bob", assignment=NAMES[0], **excused),
        row("bob", assignment=NAMES[1], **excused),
    )
    anna, bob = totals(book)
    assert (anna.grade.points, anna.grade.max_points, anna.fault) == (5.0, 5.0, "")
    assert (bob.status, bob.grade) == ("excused", None)
