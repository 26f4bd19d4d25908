"""Library names for PoCL's linker (ld) on machines without a compiler.

PoCL links every kernel with -lgcc -lgcc_s -lc -lm. Only the packages of a compiler contain files with these names, but
every machine has the libraries themselves.
"""

from pathlib import Path

LINKED = {"libgcc_s.so": "libgcc_s.so.1", "libc.so": "libc.so.6", "libm.so": "libm.so.6"}
"""File names that the linker looks for, and the libraries to which they refer."""

EMPTY_ARCHIVE = b"!<arch>\n"
"""Content of libgcc.a. Kernels do not use any function of this library."""


def make_names(folder: Path) -> None:
    """Create a folder with these files, for the variable LIBRARY_PATH. Raises OSError if that fails."""
    folder.mkdir(mode=0o755)
    (folder / "libgcc.a").write_bytes(EMPTY_ARCHIVE)
    for name, library in LINKED.items():
        (folder / name).write_text(f"INPUT({library})\n")
