"""Values that fill unwritten buffers and the bands around buffers. This module does not import NumPy, which is slow to
load.
"""

import secrets

POISON = 0x7FD5A3C9
"""Fills outputs and the bands around them before every launch. It is a quiet NaN whose payload no arithmetic
produces.
"""

INPUT_POISON = 0x7FCA5C36
"""Fills the bands around inputs. It differs from POISON, so that a kernel is noticed that reads this word past the end
of an input and stores it, or a result computed from it, past the end of an output.
"""

HALF_POISONS = (0x7EA3, 0x7E5C)
DOUBLE_POISONS = (0x7FF9A3C97FD5A3C9, 0x7FF95C367FCA5C36)
"""NaNs of these types for outputs and for inputs, chosen like POISON and INPUT_POISON."""


def _secret_patterns() -> tuple[int, int]:
    """Return two patterns of eight bytes. Each byte is from 0x81 to 0xFE, and the patterns have no byte in common.
    Therefore, they differ from each other and from small numbers in types of any size.
    """
    drawn = secrets.SystemRandom().sample(range(0x81, 0xFF), 16)
    return int.from_bytes(drawn[:8], "little"), int.from_bytes(drawn[8:], "little")


WHOLE_POISON, WHOLE_INPUT_POISON = _secret_patterns()
"""Patterns for whole numbers, which have no NaN. A type of fewer than eight bytes gets the last bytes. The patterns are
drawn at the start of the program, because a student who knew them could leave out stores of these values.
"""

GUARD_BYTES = 4096
"""Size of the band on either side of a buffer in bytes. It is a multiple of the base-address alignment of every known
driver (128, 512).
"""
