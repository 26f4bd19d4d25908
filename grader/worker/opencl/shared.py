"""Buffers of a session in memory that the judge shares, for kernels on the host's processors.

Each buffer is in memory over which a part of the judge's file can be mapped. So the inputs are in place when a launch
begins, and the judge has the results when it ends. Nothing is copied, so the measured time contains only the launch.
"""

import ctypes
import mmap
import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grader.protocol.messages import ROUND_FILE
from grader.protocol.steps import PAGE, BufferSpec, pages

MAP_FIXED = 0x10
"""linux/mman.h. Python defines the other constants, but not this one."""

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [
    *(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int),
    *(ctypes.c_int, ctypes.c_int, ctypes.c_long),
]


@dataclass(frozen=True)
class SharedMemory:
    """One block of memory, with a place of whole pages for each buffer."""

    memory: NDArray[np.uint8]
    places: dict[str, slice]

    @classmethod
    def make(cls, specs: Sequence[BufferSpec]) -> "SharedMemory":
        """Reserve memory for these buffers. The OS kernel allocates a page at its first access."""
        places: dict[str, slice] = {}
        end = 0
        for spec in specs:
            places[spec.name] = slice(end, end + pages(spec))
            end += pages(spec)
        return cls(memory=np.frombuffer(mmap.mmap(-1, max(end, PAGE)), dtype=np.uint8), places=places)

    def of(self, spec: BufferSpec) -> NDArray[np.uint8]:
        """The buffer's memory with its guard bands."""
        return self.memory[self.places[spec.name]][: spec.size + 2 * spec.guard]

    def fill(self, names: Sequence[str]) -> None:
        """Map the judge's file over the memory of these buffers. The file contains them in this order."""
        file = os.open(ROUND_FILE, os.O_RDWR)
        try:
            offset = 0
            for name in names:
                offset += self._map(self.places[name], file, offset)
        finally:
            os.close(file)

    def _map(self, place: slice, file: int, offset: int) -> int:
        address: int = self.memory.ctypes.data + place.start
        size: int = place.stop - place.start
        how = mmap.MAP_SHARED | MAP_FIXED | mmap.MAP_POPULATE
        if _libc.mmap(address, size, mmap.PROT_READ | mmap.PROT_WRITE, how, file, offset) != address:
            raise MemoryError
        return size
