"""Packs this installed grader as a wheel without a course, for machines that cannot access the source of its
installation.
"""

import base64
import hashlib
import io
import zipfile
from collections.abc import Iterator, Mapping
from importlib.metadata import distribution
from pathlib import Path

from grader.common.errors import InputError
from grader.grading.installation import PACKAGE

LEFT_OUT = {"__pycache__", "shipped", "template"}
"""Folders of the package that such a wheel never needs. `shipped` is packed separately, in the course. `template` is
the start of an instructor's assignment, with a model solution.
"""

PLUGIN = "grader/worker/simulator/observer.so"
"""Grader's own plugin for the simulator, which is native code."""

TAG = "py3-none-linux_x86_64"
"""Tag for any Python 3 on machines like the one for which the plugin is built. It is not `manylinux`, which is a
promise to all users of PyPI and which pip requires only there.
"""

WHEEL = f"Wheel-Version: 1.0\nGenerator: grader\nRoot-Is-Purelib: false\nTag: {TAG}\n"


EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest date in a zip file, so that equal files give an equal archive."""


def own_wheel() -> tuple[str, bytes]:
    """Return the wheel's file name and content. Raises InputError if the plugin has not been built."""
    ours = distribution("grader")
    info = f"grader-{ours.version}.dist-info"
    files = {f"grader/{path.relative_to(PACKAGE)}": path.read_bytes() for path in sorted(_sources())}
    if PLUGIN not in files:
        raise InputError(f"{PACKAGE.parent / PLUGIN} is missing: build it with `make observer`.")
    headers, _, _ = (ours.read_text("METADATA") or "").partition(
        "\n\n"
    )  # the README follows the headers, and is for instructors
    files[f"{info}/METADATA"] = f"{headers}\n".encode()
    files[f"{info}/WHEEL"] = WHEEL.encode()
    files[f"{info}/entry_points.txt"] = (ours.read_text("entry_points.txt") or "").encode()
    record = "".join(f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    return f"grader-{ours.version}-{TAG}.whl", zipped(files)


def zipped(files: Mapping[str, bytes], executable: frozenset[str] = frozenset()) -> bytes:
    """Return a zip archive of these files by name. It depends on nothing else."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, so that the permissions are read
            entry.external_attr = (0o100755 if name in executable else 0o100644) << 16
            archive.writestr(entry, data)
    return buffer.getvalue()


def _sources() -> Iterator[Path]:
    for path in PACKAGE.rglob("*"):
        inside = path.relative_to(PACKAGE).parts
        if path.is_file() and LEFT_OUT.isdisjoint(inside):
            yield path


def _digest(data: bytes) -> str:
    """Return a hash in the form that RECORD uses, which is base64 for URLs without padding."""
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
