"""What goes over a lifeline, each once: the judge's order, the ids of the warden and of its worker, and ENDED."""

from pathlib import Path

from grader.protocol.wire import Message

ORDER_LIMIT = 64 * 1024
"""Bytes of an order; the longest part of it are variables that name folders of libraries."""

STREAMS = 3
"""Descriptors that come with an order: the worker's input, its output, and its error stream."""

ENDED = b"ended"
"""What a warden says when it has ended all that its worker has started. If it was killed, it does not."""


class Order(Message):
    """A worker in this folder, with these variables; as another user and its group, if one is named."""

    folder: Path
    environment: dict[str, str]
    user: int | None
