"""thresholds.py: thresholds are proposed from measurements, and goals above the proposal are reported."""

import pytest

from grader.authoring.thresholds import CLEARLY, MARGIN, Limit, Speeds, misjudged, propose_goal
from grader.course.criteria import Band, MemoryCheck, SpeedGoal


def proposal(baseline, **right):
    return propose_goal(20, Speeds(model=1.0, baseline=baseline, right=right))


def fractions(found):
    return [band.fraction for band in found.bands]


def test_full_points_are_at_the_geometric_mean_and_half_of_them_half_way_to_it():
    """The proposed speed for full points is the geometric mean of the model solution's and the baseline's speed, which
    is equally far from both. Half of the points need the speed half-way between that mean and the baseline.
    """
    found = proposal(0.25, one=0.9, other=0.8)
    assert fractions(found) == [0.5, 0.37]
    assert [band.points for band in found.bands] == [20, 10]
    assert found.baseline == "fails"
    assert found.remarks == ()


def test_the_model_solution_has_its_margin():
    """Even if the baseline is fast, the proposed goal stays below the model solution's speed by the margin."""
    found = proposal(0.72, one=1.0)
    assert fractions(found) == [0.8, 0.76] == [1 / MARGIN, 0.76]
    assert found.baseline == "fails"


def test_the_slowest_right_submission_passes():
    """The proposed goal lets the slowest correct submission pass. A remark gives the name and the speed of that
    submission.
    """
    found = proposal(0.09, quick=0.9, slow=0.2)
    assert fractions(found) == [0.18, 0.13]
    assert found.remarks == ("slow is right and reaches 0.2: a goal above 0.18 would be too strict for it.",)


@pytest.mark.parametrize(("baseline", "passes"), [(0.75, False), (0.77, True), (1.4, True)])
def test_a_baseline_that_is_too_near_may_pass(baseline, passes):
    """If the baseline is almost as fast as the model solution, the proposal lets it pass and has only one band. A
    remark suggests memory checks to distinguish the two kernels.
    """
    assert 0.75 < CLEARLY / MARGIN < 0.77
    found = proposal(baseline, one=1.0)
    assert (found.baseline == "passes") is passes
    assert len(found.bands) == (1 if passes else 2)
    assert any("memory checks" in remark for remark in found.remarks) is passes


def test_small_fractions_keep_two_digits():
    """Small fractions keep two significant digits, because a kernel that does not suit a device may be 50 times slower
    than the model solution.
    """
    assert fractions(proposal(0.004, odd=0.0231)) == [0.02, 0.012]


def test_without_right_submissions_that_is_said():
    """If there are no correct submissions, a remark says so, because the model solution alone does not show how fast
    students' kernels are.
    """
    (remark,) = proposal(0.25).remarks
    assert remark.startswith("Only the model solution was measured")


@pytest.mark.parametrize(
    ("fraction", "baseline", "said"),
    [
        (0.5, "fails", []),
        (0.55, "fails", ["full points require a fraction of 0.55, but 0.5 is proposed"]),
        (0.3, "passes", []),
    ],
)
def test_what_a_goal_asks_beyond_the_proposal_is_told(fraction, baseline, said):
    """A goal above the proposal is reported. A goal below it is the instructor's choice."""
    goal = SpeedGoal(sizes={"n": 1}, bands=(Band(fraction=fraction, points=20),), baseline=baseline)
    assert list(proposal(0.25, one=0.9).exceeded(goal)) == said


def test_a_baseline_that_must_miss_but_cannot_is_told():
    """A baseline that must miss full points but is too fast for that is reported, because the assignment would fail its
    selftest.
    """
    goal = SpeedGoal(sizes={"n": 1}, bands=(Band(fraction=0.7, points=20),))
    assert list(proposal(0.9, one=1.0).exceeded(goal)) == [
        "the baseline must miss full points, but it is too close to the model solution"
    ]


def limit(asked, model, baseline=None, **right):
    check = MemoryCheck(name="reads", measure="words read", at_most=asked, points=5)
    return Limit(check=check, asked=asked, model=model, baseline=baseline, right=right)


@pytest.mark.parametrize(("model", "proposed"), [(1.0, 1.1), (1.04, 1.15), (0.0, 0.0), (12288, 13517), (999, 1098.9)])
def test_a_limit_leaves_a_tenth_above_the_model_solution(model, proposed):
    """The proposed limit is one tenth above the model solution's count. Counts are rounded up to integers, and ratios
    to hundredths.
    """
    assert limit(1, model).proposed == proposed


def test_a_limit_leaves_as_much_above_what_is_right():
    """The proposed limit is also one tenth above the count of every correct submission. A submission that needs a
    higher limit than the model solution is named.
    """
    assert limit(1.1, 1.0, few=0.5, many=2.0).proposed == 2.2
    assert limit(1.1, 1.0, few=0.5, many=2.0).beyond == "many"
    assert limit(1.1, 1.0, few=0.5, many=2.0).is_strict
    assert limit(1.1, 1.0, as_many=1.05).beyond is None
    assert limit(1.1, 1.0).beyond is None


def test_a_limit_without_that_is_strict():
    """A limit below the proposal is strict. This may be intended, for example if only the exact count is right."""
    assert limit(12288, 12288).is_strict
    assert not limit(13517, 12288).is_strict
    assert not limit(1.1, 1.0).is_strict


def test_a_check_tells_kernels_apart_if_the_baseline_fails_it():
    """A check distinguishes kernels if the baseline fails both the present and the proposed limit. A baseline without a
    count is assumed to fail.
    """
    assert limit(1.1, 1.0, 8.0).tells_apart
    assert not limit(1.1, 1.0, 1.0).tells_apart
    assert not limit(9, 1.0, 8.0).tells_apart
    assert limit(1.1, 1.0).tells_apart


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        (None, None),
        (4, None),
        (4.9, None),
        (3.3, None),
        (6, "the yardstick is 6, but 4 was measured: student kits are too strict about speed"),
        (2, "the yardstick is 2, but 4 was measured: student kits are too generous about speed"),
    ],
)
def test_a_yardstick_far_from_what_is_measured_is_told(stated, said):
    """The yardstick is the ratio of the model solution's speed to the baseline's. It is reported if it differs from the
    measured ratio by more than the quarter by which processors of one kind differ.
    """
    speeds = Speeds(model=1.0, baseline=0.25, right={})
    assert speeds.yardstick == 4
    goal = SpeedGoal(sizes={"n": 1}, bands=(Band(fraction=0.5, points=1),), yardstick=stated)
    assert misjudged(goal, speeds) == said


def test_a_yardstick_has_two_digits():
    """A measured yardstick is rounded to two digits, because the figure of a single processor is not more precise."""
    assert Speeds(model=1.02, baseline=0.33, right={}).yardstick == 3.0
