"""Messages on a lifeline, each sent once: the judge's order, the ids of the warden and of its worker, and ENDED."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

ORDER_LIMIT = 64 * 1024
"""Most bytes of an order. Its longest parts are variables with folders of libraries."""

STREAMS = 3
"""Number of descriptors that are sent with an order: the worker's input, its output, and its error stream."""

ENDED = b"ended"
"""Message of a warden that has ended all processes of its worker. A warden that is killed does not send it."""


@dataclass(frozen=True, kw_only=True)
class WorkerOrder:
    """Order for a worker: its folder, its environment variables, and its limit on core dumps in bytes. With `user`, the
    worker runs as this user and as the group of the same number.
    """

    folder: str
    environment: Mapping[str, str]
    user: int | None
    core_bytes: int

    def packed(self) -> bytes:
        """The order as one message. Names may contain any bytes."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def unpacked(cls, message: bytes) -> "WorkerOrder":
        """The order that a message contains."""
        return cls(**json.loads(message))
