"""Seeds of secret inputs (inputs.py), which are imported later: NumPy takes longer to import than a worker to start."""

import secrets

from grader.common.errors import InputError

SEED_BITS = 63


def fresh_seed() -> int:
    """A seed that nobody can guess."""
    return secrets.randbits(SEED_BITS)


def check_seed(seed: int) -> int:
    """The seed itself if it can be one."""
    if not 0 <= seed < 2**SEED_BITS:
        raise InputError(f"the seed {seed} is out of range; it must be from 0 to {2**SEED_BITS - 1}.")
    return seed
