"""Layout of buffers in the files of a worker. Each buffer is between its guard bands, one buffer after the other.

The functions import NumPy only when they run, so that a worker can start before NumPy is loaded.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from grader.execution.outcome import Fetched
from grader.protocol.steps import BufferSpec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def poison(spec: BufferSpec, size: int) -> "NDArray[np.unsignedinteger[Any]]":
    """Return an array of this many bytes, filled with the buffer's poison, or with 0 if it has none."""
    return _filled(size // spec.unit, 0 if spec.poison is None else spec.poison, spec.unit)


def cleared(spec: BufferSpec) -> "NDArray[np.unsignedinteger[Any]]":
    """Return the payload of a buffer before a launch that has to write it."""
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
