"""The judge's end of the two files in which arrays travel (protocol.py).

The judge makes both, fixes their sizes, and keeps descriptors of its own: whatever a worker does to the names in its
folder, the judge reads the files it made. They are read, never mapped: a live worker could cut a mapped file under us.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.errors import WorkerError
from grader.protocol import INPUT_FILE, OUTPUT_FILE


class ArrayFiles:
    """in.bin and out.bin in a worker's folder."""

    def __init__(self, folder: Path) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
        self._input = os.open(folder / INPUT_FILE, flags, 0o600)
        try:
            self._output = os.open(folder / OUTPUT_FILE, flags, 0o600)
        except OSError:
            os.close(self._input)
            raise

    def share(self) -> None:
        """Let a worker of another user read the one and write the other; the folder keeps everybody else out."""
        os.fchmod(self._input, 0o644)
        os.fchmod(self._output, 0o666)

    def close(self) -> None:
        """Give the descriptors back."""
        os.close(self._input)
        os.close(self._output)

    def send(self, arrays: Sequence[NDArray[Any]]) -> None:
        """Write the arrays' bytes back to back. Raises WorkerError if the disk is full."""
        offset = 0
        for array in arrays:
            with _room_for(array.nbytes):
                _write_all(self._input, np.ascontiguousarray(array).reshape(-1).view(np.uint8).data, offset)
            offset += array.nbytes

    def reserve(self, size: int) -> None:
        """Make room for what a worker will write: a full disk must not look like a fault of the kernel later."""
        with _room_for(size):
            os.posix_fallocate(self._output, 0, size)

    def receive(self, size: int) -> bytes:
        """The first `size` bytes that the worker wrote; fewer if it has cut the file."""
        parts: list[bytes] = []
        done = 0
        while done < size and (part := os.pread(self._output, size - done, done)):
            parts.append(part)
            done += len(part)
        return b"".join(parts)


@contextmanager
def _room_for(size: int) -> Iterator[None]:
    """Turns a full disk into an error that says so."""
    try:
        yield
    except OSError as error:
        raise WorkerError(f"no room for {size:,} bytes in the temporary folder: {error.strerror}.") from error


def _write_all(descriptor: int, content: memoryview, offset: int) -> None:
    while content:
        written = os.pwrite(descriptor, content, offset)
        content, offset = content[written:], offset + written
