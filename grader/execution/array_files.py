"""The judge's side of the files that transfer arrays (protocol/messages.py).

The judge creates the files, fixes their sizes, and keeps its own descriptors. It therefore always reads the files that
it created, even if a worker replaces them in its folder. The judge reads the files and never maps them, because a live
worker could truncate a mapped file during an access.

In a file, each buffer is between its guard bands, one buffer after the other.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING, Any

from grader.common.errors import WorkerError
from grader.execution.outcome import Fetched
from grader.protocol.messages import INPUT_FILE, OUTPUT_FILE, ROUND_FILE
from grader.protocol.steps import BufferSpec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray  # a worker's first files are made while NumPy is still imported


class ArrayFiles:
    """The files in.bin and out.bin in a worker's folder, and `round`, the file for a launch whose arrays are shared."""

    def __init__(self, folder: Path, rounds: Path) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
        self._input = os.open(folder / INPUT_FILE, flags, 0o600)
        try:
            self._output = os.open(folder / OUTPUT_FILE, flags, 0o600)
        except OSError:
            os.close(self._input)
            raise
        self.round = RoundFile(rounds)

    def share(self) -> None:
        """Allow a worker of another user to read in.bin and to write out.bin. The folder keeps all other users out."""
        os.fchmod(self._input, 0o644)
        os.fchmod(self._output, 0o666)
        self.round.share()

    def close(self) -> None:
        """Close the descriptors."""
        os.close(self._input)
        os.close(self._output)
        self.round.close()

    def send(self, arrays: "Sequence[NDArray[Any]]") -> None:
        """Write the arrays' bytes back to back. Raises WorkerError if the disk is full."""
        offset = 0
        for array in arrays:
            with _room_for(array.nbytes):
                _write_all(self._input, array.ravel().view("u1").data, offset)
            offset += array.nbytes

    def reserve(self, size: int) -> None:
        """Reserve space for the worker's output. Otherwise, a full disk would later look like a fault of the kernel.

        Raises WorkerError if the disk is full.
        """
        with _room_for(size):
            os.posix_fallocate(self._output, 0, size)

    def receive(self, size: int) -> bytes:
        """Return the first `size` bytes that the worker wrote, or fewer if it has truncated the file."""
        parts: list[bytes] = []
        done = 0
        while done < size and (part := os.pread(self._output, size - done, done)):
            parts.append(part)
            done += len(part)
        return b"".join(parts)


NEXT = "next"
"""Folder for the file that the worker must not see yet. The worker has no access to it."""

CHUNK = 128 * 1024
"""Number of bytes of a file that are read at once, which takes about 30 us."""


class RoundFile:
    """A file with the inputs of a launch, into which the worker also writes the results. Each launch gets a new file.

    The file appears at the moment of the launch, complete with inputs, poison and guard bands. After the launch, the
    judge reads it in a random order, so that a worker cannot write a late result ahead of the reader.
    """

    def __init__(self, folder: Path) -> None:
        self._next = folder / NEXT / "arrays.bin"
        self._shown = folder / ROUND_FILE
        for path in (self._next, self._shown):
            path.parent.mkdir(mode=0o700)
        self._file: int | None = None

    def share(self) -> None:
        """Allow a worker of another user to open the files that are shown to it."""
        self._shown.parent.chmod(0o711)

    def write(self, pieces: "Sequence[NDArray[Any]]", size: int) -> None:
        """Write the next file, which consists of these pieces back to back. Raises WorkerError if there is not enough
        space.
        """
        self.close()
        self._file = os.open(self._next, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        os.fchmod(self._file, 0o666)
        with _room_for(size):
            offset = 0
            for piece in pieces:
                _write_all(self._file, piece.reshape(-1).view("u1").data, offset)
                offset += piece.nbytes

    def show(self) -> None:
        """Make the file visible to the worker, in one step."""
        self._next.replace(self._shown)

    def read(self, size: int) -> memoryview:
        """Return the first `size` bytes, or none if the worker has truncated the file."""
        import numpy as np

        assert self._file is not None, "a file is written before it is read"
        view, done = np.empty(size, np.uint8).data, 0
        offsets = list(range(0, size, CHUNK))
        SystemRandom().shuffle(offsets)
        for offset in offsets:
            done += os.preadv(self._file, [view[offset : offset + CHUNK]], offset)
        return (view if done == size else view[:0]).toreadonly()

    def close(self) -> None:
        """Free the file's memory, which a worker may still have mapped."""
        if self._file is not None:
            os.ftruncate(self._file, 0)
            os.close(self._file)
            self._file = None


@contextmanager
def _room_for(size: int) -> Iterator[None]:
    """Convert the error of a full disk into a WorkerError that explains what to do."""
    try:
        yield
    except OSError as error:
        raise WorkerError(
            f"no room for {size:,} bytes in the temporary folder: {error.strerror}. In a container, give it "
            "more shared memory, for example with --shm-size=1g."
        ) from error


def _write_all(descriptor: int, content: memoryview, offset: int) -> None:
    while content:
        written = os.pwrite(descriptor, content, offset)
        content, offset = content[written:], offset + written


def poison(spec: BufferSpec, size: int) -> "NDArray[np.unsignedinteger[Any]]":
    """Return an array of this many bytes, filled with the buffer's poison, or with 0 if it has none."""
    return _filled(size // spec.unit, 0 if spec.poison is None else spec.poison, spec.unit)


def cleared(spec: BufferSpec) -> "NDArray[np.unsignedinteger[Any]]":
    """Return the initial payload of a buffer that a launch has to write."""
    import numpy as np

    if not spec.element or spec.poison is None:
        return poison(spec, spec.size)
    return np.resize(np.frombuffer(bytes.fromhex(spec.element), dtype=np.uint8), spec.size)


@lru_cache(maxsize=16)
def _filled(count: int, value: int, unit: int) -> "NDArray[np.unsignedinteger[Any]]":
    """Return a read-only array of equal patterns of `unit` bytes. It is cached, because every round needs it again."""
    import numpy as np

    filled = np.full(count, value, dtype=f"u{unit}")
    filled.flags.writeable = False
    return filled


def copied(spec: BufferSpec) -> int:
    """Return the size in out.bin of a buffer with its guard bands, in bytes."""
    return spec.size + 2 * spec.guard


def copied_size(specs: Iterable[BufferSpec]) -> int:
    """Return the size in out.bin of these buffers with their guard bands, in bytes."""
    return sum(map(copied, specs))


def divided(content: memoryview, specs: Sequence[BufferSpec], room: Callable[[BufferSpec], int]) -> dict[str, Fetched]:
    """Split these bytes into the buffers that they contain, one after the other. `room` returns the number of bytes of
    each.
    """
    fetched: dict[str, Fetched] = {}
    for spec in specs:
        fetched[spec.name] = _fetched(content, spec)
        content = content[room(spec) :]
    return fetched


def _fetched(content: memoryview, spec: BufferSpec) -> Fetched:
    """Return the buffer at the beginning of these bytes."""
    import numpy as np

    band, size = spec.guard // spec.unit, spec.size // spec.unit
    here = np.frombuffer(content, dtype=f"u{spec.unit}", count=size + 2 * band)
    return Fetched(
        before=here[:band],
        payload=here[band : band + size],
        after=here[band + size :],
        poison=spec.poison,
        units=max(1, len(spec.element) // 2 // spec.unit),
    )
