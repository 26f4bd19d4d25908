"""Buffers and images on a device, filled from and copied to the bytes of the worker's files.

For kernels on the host's processors, each buffer of a session may be in memory over which a part of the judge's file
can be mapped. So the inputs are in place when a launch begins, and the judge has the results when it ends. Nothing is
copied, so the measured time contains only the launch.
"""

import ctypes
import mmap
import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyopencl as cl
from numpy.typing import NDArray

from grader.protocol.messages import ROUND_FILE
from grader.protocol.steps import PAGE, BufferSpec, ImageSpec, pages

Bytes = NDArray[np.uint8]


@dataclass(frozen=True, kw_only=True)
class DeviceBuffer:
    """A buffer with its guard bands (`whole`), and the part that a kernel gets (`payload`)."""

    spec: BufferSpec
    whole: cl.Buffer
    payload: cl.Buffer

    @classmethod
    def make(cls, context: cl.Context, spec: BufferSpec, memory: Bytes | None = None) -> "DeviceBuffer":
        """Allocate the buffer, or place it in the given memory. Without guard bands, the kernel gets all of it."""
        access = _access(spec)
        if memory is None:
            whole = cl.Buffer(context, access, spec.size + 2 * spec.guard)
        else:
            whole = cl.Buffer(context, access | cl.mem_flags.USE_HOST_PTR, hostbuf=memory)
        payload = whole.get_sub_region(spec.guard, spec.size) if spec.guard else whole
        return cls(spec=spec, whole=whole, payload=payload)

    def poison(self, queue: cl.CommandQueue, value: int) -> None:
        """Fill the buffer and its guard bands with a pattern."""
        cl.enqueue_fill_buffer(queue, self.whole, _pattern(self.spec, value), 0, self.whole.size)

    def fill(self, queue: cl.CommandQueue, value: int) -> cl.Event:
        """Fill the payload with a pattern."""
        return cl.enqueue_fill_buffer(queue, self.payload, _pattern(self.spec, value), 0, self.spec.size)

    def upload(self, queue: cl.CommandQueue, content: Bytes) -> None:
        """Set the payload."""
        cl.enqueue_copy(queue, self.payload, content)

    def fetched(self, queue: cl.CommandQueue) -> Bytes:
        """The content with the guard bands."""
        content = np.empty(self.whole.size, dtype=np.uint8)
        cl.enqueue_copy(queue, content, self.whole)
        return content

    def payload_fetched(self, queue: cl.CommandQueue) -> Bytes:
        """The content without the guard bands."""
        content = np.empty(self.spec.size, dtype=np.uint8)
        cl.enqueue_copy(queue, content, self.payload)
        return content

    def part(self, queue: cl.CommandQueue, offset: int, size: int) -> Bytes:
        """Some bytes of the content without the guard bands, after all earlier commands have ended."""
        content = np.empty(size, dtype=np.uint8)
        cl.enqueue_copy(queue, content, self.payload, src_offset=offset)
        return content

    def copy_from(self, queue: cl.CommandQueue, source: "DeviceArray") -> cl.Event:
        """Copy another payload into this one."""
        size = min(source.spec.size, self.spec.size)
        return cl.enqueue_copy(queue, self.payload, source.payload, byte_count=size)


@dataclass(frozen=True, kw_only=True)
class DeviceImage:
    """An image, which has no guard bands."""

    spec: BufferSpec
    payload: cl.Image
    region: tuple[int, ...]
    """Pixels in each dimension, as OpenCL orders them."""

    @classmethod
    def make(cls, context: cl.Context, spec: BufferSpec, image: ImageSpec, memory: Bytes | None) -> "DeviceImage":
        """Allocate the image, or place it in the given memory."""
        order, channel = getattr(cl.channel_order, image.order), getattr(cl.channel_type, image.channel)
        form, region = cl.ImageFormat(order, channel), image.extent
        if memory is None:
            payload = cl.create_image(context, _access(spec), form, shape=region)
        else:
            flags = _access(spec) | cl.mem_flags.USE_HOST_PTR
            payload = cl.create_image(context, flags, form, shape=region, hostbuf=memory)
        return cls(spec=spec, payload=payload, region=region)

    @property
    def origin(self) -> tuple[int, ...]:
        """The first pixel."""
        return (0,) * len(self.region)

    @property
    def whole(self) -> cl.Image:
        """The image, since it has no guard bands."""
        return self.payload

    def poison(self, queue: cl.CommandQueue, value: int) -> None:
        """Fill the image with a pattern."""
        self.fill(queue, value)

    def fill(self, queue: cl.CommandQueue, value: int) -> cl.Event:
        """Fill the image with a pattern. It comes from the host, because OpenCL's function takes colours, not bits."""
        unit = self.spec.unit
        content = np.full(self.spec.size // unit, value, dtype=f"u{unit}")
        return cl.enqueue_copy(queue, self.payload, content, origin=self.origin, region=self.region)

    def upload(self, queue: cl.CommandQueue, content: Bytes) -> None:
        """Set the pixels."""
        cl.enqueue_copy(queue, self.payload, content, origin=self.origin, region=self.region)

    def fetched(self, queue: cl.CommandQueue) -> Bytes:
        """The bytes of the pixels, slice by slice and row by row without gaps."""
        content = np.empty(self.spec.size, dtype=np.uint8)
        cl.enqueue_copy(queue, content, self.payload, origin=self.origin, region=self.region)
        return content

    payload_fetched = fetched

    def part(self, queue: cl.CommandQueue, offset: int, size: int) -> Bytes:
        """Some bytes of the pixels, after all earlier commands have ended."""
        return self.fetched(queue)[offset : offset + size]

    def copy_from(self, queue: cl.CommandQueue, source: "DeviceArray") -> cl.Event:
        """Copy another image of the same format and extent into this one."""
        return cl.enqueue_copy(
            queue,
            self.payload,
            source.payload,
            src_origin=self.origin,
            dest_origin=self.origin,
            region=self.region,
        )


DeviceArray = DeviceBuffer | DeviceImage


def make_array(context: cl.Context, spec: BufferSpec, memory: Bytes | None = None) -> DeviceArray:
    """Allocate a buffer or an image, or place it in the given memory."""
    if spec.image is not None:
        return DeviceImage.make(context, spec, spec.image, memory)
    return DeviceBuffer.make(context, spec, memory)


def _access(spec: BufferSpec) -> int:
    flag: int = cl.mem_flags.READ_ONLY if spec.read_only else cl.mem_flags.READ_WRITE
    return flag


def _pattern(spec: BufferSpec, value: int) -> np.unsignedinteger:
    pattern: np.unsignedinteger = np.dtype(f"u{spec.unit}").type(value)
    return pattern


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
