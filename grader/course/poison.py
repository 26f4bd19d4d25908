"""Values that fill unwritten buffers and the bands around buffers. This module does not import NumPy, which is slow to
load.
"""

POISON = 0x7FD5A3C9
"""Fills outputs and the bands around them before every launch. It is a quiet NaN whose payload no arithmetic
produces.
"""

INPUT_POISON = 0x7FCA5C36
"""Fills the bands around inputs. It differs from POISON, so that a kernel is noticed that reads this word past the end
of an input and stores it, or a result computed from it, past the end of an output.
"""

GUARD_BYTES = 4096
"""Size of the band on either side of a buffer in bytes. It is a multiple of the base-address alignment of every known
driver (128, 512).
"""
