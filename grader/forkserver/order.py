"""What goes over a lifeline, each once: the judge's order, the ids of the warden and of its worker, and ENDED."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

ORDER_LIMIT = 64 * 1024
"""Bytes of an order; the longest part of it are variables that name folders of libraries."""

STREAMS = 3
"""Descriptors that come with an order: the worker's input, its output, and its error stream."""

ENDED = b"ended"
"""What a warden says when it has ended all that its worker has started. If it was killed, it does not."""


@dataclass(frozen=True, kw_only=True)
class WorkerOrder:
    """Order for a worker in this folder, with these variables and this limit on core dumps; as another user and group,
    if they are named.
    """

    folder: str
    environment: Mapping[str, str]
    user: int | None
    core_bytes: int

    def packed(self) -> bytes:
        """As one message; names may hold any bytes."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def unpacked(cls, message: bytes) -> "WorkerOrder":
        """The order in a message."""
        return cls(**json.loads(message))
