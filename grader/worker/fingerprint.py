"""Version of the worker. An image may have been built from another version than the judge expects."""

import hashlib
from functools import cache
from pathlib import Path


@cache
def fingerprint() -> str:
    """A hash of the sources of the worker and of the protocol."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    rooms = (package / "protocol", package / "worker")
    for path in sorted(path for room in rooms for path in room.rglob("*") if path.suffix in {".py", ".cpp", ".h"}):
        digest.update(f"{path.relative_to(package)}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
