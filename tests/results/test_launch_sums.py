"""launch_sums.py: the counts of a program with several launches, as reports show them."""

from samples import PROFILE

from grader.common.record import replace
from grader.results.launch_sums import over_launches
from grader.results.metrics import Branch, ImageUse


def test_one_launch_stays_as_it_is():
    """A profile in which no expression occurs twice does not change."""
    assert over_launches(PROFILE) == PROFILE


def test_counts_of_launches_are_added_up():
    """Each expression and each line with conditions has one record. Counts are added up, ratios are the largest ones,
    and the stride comes from the launch with more requests.
    """
    first = replace(PROFILE.accesses[0], requests=4, sectors=16, fewest=4, worst=4.0, conflicts=1, stride=64)
    second = replace(first, requests=6, sectors=6, fewest=6, worst=1.0, conflicts=0, stride=4)
    image = ImageUse(line=3, column=1, image="picture", does="reads", times=10)
    branch = Branch(line=5, reached=8, diverged=1)
    twice = replace(PROFILE, accesses=(first, second), images=(image, image), branches=(branch, branch))
    total = over_launches(twice)
    (access,) = total.accesses
    assert (access.requests, access.sectors, access.fewest) == (10, 22, 10)
    assert (access.worst, access.conflicts, access.stride) == (4.0, 1, 4)
    assert access.bytes == 2 * first.bytes
    assert total.images == (replace(image, times=20),)
    assert total.branches == (replace(branch, reached=16, diverged=2),)


def test_other_expressions_keep_their_own_counts():
    """Expressions in other columns, and a read and a write of one array, are not added up."""
    one = PROFILE.accesses[0]
    others = (one, replace(one, column=one.column + 1), replace(one, does="writes" if one.does == "reads" else "reads"))
    assert over_launches(replace(PROFILE, accesses=others)).accesses == others
