"""wording.py: points and lateness in words that a student understands."""

from datetime import UTC, datetime

import pytest

from grader.course.policies.deadlines import Lateness
from grader.service.db.tables.decisions import Decision, DecisionRow
from grader.service.grades.wording import (
    change_in_words,
    decision_in_words,
    deduction_in_sentences,
    deduction_in_words,
    lateness_in_words,
    score_in_words,
    worth_in_words,
)


@pytest.mark.parametrize(
    ("points", "hidden", "words"),
    [
        (68.0, 0.0, "68 of 100 points"),
        (66.666, 0.0, "66.67 of 100 points"),
        (44.5, 8.0, "44.5 points so far; 8 more are decided after release"),
        (44.0, 1.0, "44 points so far; 1 more is decided after release"),
    ],
)
def test_a_score_names_no_total_while_points_are_hidden(points, hidden, words):
    """A score has at most two decimals. While points are hidden, it does not name the maximum."""
    assert score_in_words(points, 100.0, hidden) == words


@pytest.mark.parametrize(
    ("old", "new", "words"), [(61, 68, "68, was 61: +7"), (68, 61.5, "61.5, was 68: -6.5"), (68, 68, "68, as before")]
)
def test_a_change_has_its_sign(old, new, words):
    """A change of points gives the new points, the old ones, and the difference with its sign."""
    assert change_in_words(old, new) == words


AS_REPORTED = "The report shows the points before this deduction."
LATE = Lateness(days=2, covered=1, left=0, percent=10, accepted=True)
COVERED = Lateness(days=1, covered=1, left=2, percent=0, accepted=True)
REFUSED = Lateness(days=3, covered=0, left=1, percent=100, accepted=False)
IN_TIME = Lateness(days=0, covered=0, left=3, percent=0, accepted=True)


@pytest.mark.parametrize(
    ("cost", "deduction", "worth", "sentences", "now"),
    [
        (
            LATE,
            "80 less 10 % for 2 days late (1 late day used, 0 left)",
            "72 = 80 less 10 % for 2 days late (1 late day used, 0 left)",
            f"72 = 80 less 10 % for 2 days late (1 late day used, 0 left). {AS_REPORTED}",
            "2 days late: 1 late day used, 0 left, 10 % off",
        ),
        (
            COVERED,
            "1 day late (1 late day used, 2 left), nothing taken off",
            "1 day late (1 late day used, 2 left), nothing taken off",
            "1 day late (1 late day used, 2 left), nothing taken off.",
            "1 day late: 1 late day used, 2 left, no points off",
        ),
        (
            REFUSED,
            "80 points, but 3 days late: not accepted any more",
            "80 points, but 3 days late: not accepted any more",
            f"80 points, but 3 days late: not accepted any more. {AS_REPORTED}",
            "3 days late: not accepted any more",
        ),
        (IN_TIME, "", "", "", "on time"),
    ],
    ids=["late", "covered", "refused", "on time"],
)
def test_lateness_is_explained_where_it_costs_something(cost, deduction, worth, sentences, now):
    """The deduction, its result and the cost of handing in now are explained by days, late days and percent."""
    assert deduction_in_words(80, cost) == deduction
    assert worth_in_words(80, cost) == worth
    assert deduction_in_sentences(80, cost) == sentences
    assert lateness_in_words(cost) == now


@pytest.mark.parametrize(
    ("kind", "points", "words"),
    [
        (Decision.EXCUSE, 0.0, "excused: ill\ufffd"),
        (Decision.SET, 7.5, "by hand 7.5: ill\ufffd"),
        (Decision.ADD, 5.0, "by hand +5: ill\ufffd"),
        (Decision.ADD, -2.25, "by hand -2.25: ill\ufffd"),
    ],
)
def test_a_decision_is_given_with_its_comment(kind, points, words):
    """A decision has its sign and its comment, without characters that cannot be shown."""
    at = datetime(2026, 11, 23, tzinfo=UTC)
    row = DecisionRow(person_id=1, assignment="small", kind=kind, points=points, comment="ill\x1b", who="staff", at=at)
    assert decision_in_words(row) == words
