"""Seeds of secret inputs. This module does not import NumPy, because that would take longer than the start of a
worker.
"""

import secrets

from grader.common.errors import InputError

SEED_BITS = 63


def fresh_seed() -> int:
    """Return a seed that cannot be guessed."""
    return secrets.randbits(SEED_BITS)


def check_seed(seed: int) -> int:
    """Return the seed. Raises InputError if it is out of range."""
    if not 0 <= seed < 2**SEED_BITS:
        raise InputError(f"the seed {seed} is out of range; it must be from 0 to {2**SEED_BITS - 1}.")
    return seed
