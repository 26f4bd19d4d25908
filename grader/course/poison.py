"""Values that fill unwritten buffers and the bands around buffers; in a module without NumPy, which is slow to load."""

POISON = 0x7FD5A3C9
"""Fills outputs, and the bands around them, before every launch: a quiet NaN whose payload no arithmetic makes."""

INPUT_POISON = 0x7FCA5C36
"""Fills the bands around inputs. It is another NaN, since a kernel must not go unnoticed if it reads this word past the
end of an input and stores it, or a result of it, past the end of an output."""

GUARD_BYTES = 4096
"""Size of the band on either side of a buffer; a multiple of every driver's base-address alignment seen (128, 512)."""
