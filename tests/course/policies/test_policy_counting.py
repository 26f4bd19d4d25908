"""counting.py: which attempt counts, and how late days are used over a whole course."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course.policies.counting import Try, Work, counted, settle
from grader.course.policies.rules import LateRule

START = datetime(2026, 12, 1, tzinfo=UTC)


def handed(key, day, days, late=None, *, students=("anna",)):
    """Return work that the students handed in on a day in December, this many days late."""
    when = None if day is None else datetime(2026, 12, day, tzinfo=UTC)
    tries = (Try(at=when, days=days, points=10.0),)
    return Work(key=key, students=frozenset(students), late=late or LateRule(days=3), counts="last", tries=tries)


def costs(works):
    return {key: each.lateness for key, each in settle(works).items()}


def test_late_days_are_for_the_whole_course_and_are_spent_as_work_is_handed_in():
    """Late days are used in the order in which work was handed in, regardless of its order in the list.

    Later work never changes the outcome of earlier work.
    """
    everything = [handed("c", 9, 1), handed("a", 3, 2), handed("b", 7, 2)]
    for each in (everything, everything[::-1]):
        found = costs(each)
        assert [(found[key].covered, found[key].left, found[key].accepted) for key in "abc"] == [
            (2, 1, True),
            (0, 1, False),
            (1, 0, True),
        ]


def test_a_group_has_the_days_of_the_member_who_has_the_fewest():
    """A group has as many late days as the member with the fewest, and uses days of all members."""
    found = costs(
        [
            handed("alone", 1, 2),
            handed("both", 2, 1, students=("anna", "bob")),
            handed("again", 3, 1, students=("anna", "bob")),
            handed("bob", 4, 2, students=("bob",)),
        ]
    )
    assert [found[key].left for key in ("alone", "both", "again", "bob")] == [1, 0, 0, 0]
    assert [found[key].accepted for key in ("alone", "both", "again", "bob")] == [True, True, False, True]


@given(st.lists(st.tuples(st.integers(1, 28), st.integers(0, 4)), max_size=8))
def test_nobody_spends_more_late_days_than_there_are(work):
    """No student uses more late days than there are, and the last work does not change the outcome of earlier work."""
    found = costs(handed(key, day, days) for key, (day, days) in enumerate(work))
    assert sum(each.covered for each in found.values()) <= 3
    if work:
        last = max(range(len(work)), key=lambda key: (work[key][0], key))
        others = costs(handed(key, day, days) for key, (day, days) in enumerate(work) if key != last)
        assert others == {key: each for key, each in found.items() if key != last}


def test_what_is_known_to_be_late_and_not_when_comes_first():
    """Late work whose time is unknown comes first, so that it has a fixed place in the order."""
    found = costs([handed("known", 1, 3), handed("unknown", None, 1)])
    assert (found["unknown"].covered, found["known"].accepted) == (1, False)


@pytest.mark.parametrize(
    ("counts", "points", "expected"),
    [
        ("last", [50, 80, 60], 2),
        ("last", [50, 80, None], 1),
        ("best", [50, 80, 60], 1),
        ("best", [80, 80, 60], 0),
        ("best", [0, None, None], 0),
        ("last before due", [50, 80, 60], 1),
        ("last before due", [None, None, 60], 2),
        ("last", [None, None, None], None),
        ("best", [None, None, None], None),
        ("last before due", [None, None, None], None),
    ],
)
def test_which_attempt_counts(counts, points, expected):
    """Only attempts with points can count. The rule selects the last, the best, or the last before the due date.

    The last of the three attempts is late, which costs nothing here.
    """
    found = counted(work("a", zip((0, 0, 1), points, strict=True), late="accepted", counts=counts), 0)
    assert (None if found is None else found.position) == expected


def work(key, tries, late=None, counts="best"):
    """Return Anna's work with one attempt per day, each this many days late and with these points."""
    made = tuple(
        Try(at=START + timedelta(days=day), days=days, points=points) for day, (days, points) in enumerate(tries)
    )
    rule = LateRule(days=1, percent=10, floor=50) if late is None else late
    return Work(key=key, students=frozenset({"anna"}), late=rule, counts=counts, tries=made)


def test_the_best_is_the_best_after_the_deduction():
    """The best attempt is the one with the most points after its deduction.

    Here, 90 points two days late are worth less than 75 on time, unless a late day covers a part of the delay.
    """
    tries = [(0, 75.0), (2, 90.0)]
    assert counted(work("a", tries), 0).points == 81
    assert counted(work("a", tries, late=LateRule(percent=10)), 0).points == 75
    assert counted(work("a", tries, late=LateRule(percent=10)), 0).position == 0


def test_what_is_not_accepted_counts_only_where_there_is_nothing_else():
    """A refused attempt counts only if there is no other one, and then without points.

    If a later attempt is refused, the last attempt on time still counts.
    """
    refused = LateRule(days=1)
    assert counted(work("a", [(0, 70.0), (2, 90.0)], refused, counts="last"), 0).position == 0
    alone = counted(work("a", [(2, 90.0)], refused, counts="last"), 0)
    assert (alone.points, alone.lateness.accepted) == (0, False)


def test_which_is_the_best_depends_on_the_late_days_that_are_left():
    """A late day makes the second attempt the best. If earlier work has used it, the first attempt is the best."""
    second = Work(
        key="b",
        students=frozenset({"anna"}),
        late=LateRule(days=1, percent=20),
        counts="best",
        tries=(
            Try(at=START + timedelta(days=8), days=0, points=85.0),
            Try(at=START + timedelta(days=9), days=1, points=90.0),
        ),
    )
    assert settle([second])["b"].position == 1
    first = work("a", [(1, 50.0)])
    found = settle([second, first])
    assert (found["a"].lateness.covered, found["b"].position, found["b"].points) == (1, 0, 85)


attempts = st.lists(st.tuples(st.integers(0, 4), st.none() | st.integers(0, 100)), max_size=5)


@given(st.lists(attempts, max_size=4), st.sampled_from(["last", "best", "last before due"]))
def test_a_course_is_settled_whatever_it_holds(works, counts):
    """All work with a result counts once, late days stay within the limit, and the list's order does not matter."""
    made = [work(place, tries, counts=counts) for place, tries in enumerate(works)]
    made = [
        Work(
            key=each.key,
            students=each.students,
            late=each.late,
            counts=each.counts,
            tries=tuple(
                Try(at=one.at + timedelta(minutes=each.key), days=one.days, points=one.points) for one in each.tries
            ),
        )
        for each in made
    ]
    found = settle(made)
    assert set(found) == {each.key for each in made if any(one.points is not None for one in each.tries)}
    assert sum(each.lateness.covered for each in found.values()) <= 1
    assert settle(made[::-1]) == found
