"""What PoCL's last step, ld, asks for by names that only a compiler's packages have, on machines without a compiler.

Every kernel is linked with -lgcc -lgcc_s -lc -lm. The libraries behind these names are on every machine.
"""

from pathlib import Path

LINKED = {"libgcc_s.so": "libgcc_s.so.1", "libc.so": "libc.so.6", "libm.so": "libm.so.6"}
"""Names for the linker, and the libraries that they stand for."""

EMPTY_ARCHIVE = b"!<arch>\n"
"""For libgcc.a: kernels use nothing of it."""


def make_names(folder: Path) -> None:
    """A folder to name in LIBRARY_PATH; raises OSError."""
    folder.mkdir(mode=0o755)
    (folder / "libgcc.a").write_bytes(EMPTY_ARCHIVE)
    for name, library in LINKED.items():
        (folder / name).write_text(f"INPUT({library})\n")
