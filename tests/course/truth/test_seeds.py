"""seeds.py: fresh seeds, and the valid range for given ones."""

import pytest

from grader.common.errors import InputError
from grader.course.truth.seeds import check_seed, fresh_seed


def test_fresh_seeds_are_seeds_and_never_the_same():
    """Fresh seeds are distinct, and are valid for --seed."""
    seeds = {check_seed(fresh_seed()) for _ in range(100)}
    assert len(seeds) == 100


@pytest.mark.parametrize("seed", [-1, 2**63, 10**30])
def test_a_seed_out_of_range_is_refused(seed):
    """A seed out of range raises InputError, which states the range."""
    with pytest.raises(InputError, match="out of range; it must be from 0 to 9223372036854775807"):
        check_seed(seed)
