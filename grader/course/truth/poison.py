"""What buffers hold that nobody has written, and the bands around them; apart from NumPy, which takes long to load."""

POISON = 0x7FD5A3C9
"""Fills outputs, and the bands around them, before every launch: a quiet NaN whose payload no arithmetic makes."""

INPUT_POISON = 0x7FCA5C36
"""Fills the bands around inputs. A kernel that reads it past the end of an input and stores it, or what it makes of it,
past the end of an output must not go unnoticed, so it is another NaN."""

GUARD_BYTES = 4096
"""Size of the band on either side of a buffer; a multiple of every driver's base-address alignment seen (128, 512)."""
