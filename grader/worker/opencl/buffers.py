"""Buffers and images on a device, filled from and copied to the bytes of the worker's files."""

from dataclasses import dataclass

import numpy as np
import pyopencl as cl
from numpy.typing import NDArray

from grader.protocol.steps import BufferSpec, ImageSpec

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
