"""Requests for a run that are sent early, before the judge needs their replies.

The session of the run gets a `Prefetch` as its channel. The session must then make exactly these requests, in the same
order, and only waits for their replies. Do not prefetch timed runs, because a worker that knows its next requests can
answer them early.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from grader.execution.array_files import ArrayFiles, copied_size
from grader.execution.connection import Connection
from grader.execution.outcome import Failure
from grader.execution.plan import Plan, Script
from grader.protocol.messages import Fetch, LaunchRequest, Observe, Stage
from grader.protocol.wire import Message

if TYPE_CHECKING:
    from numpy.typing import NDArray


def staging(script: Script) -> Stage:
    """Return the request that uploads the inputs of a script and poisons its other buffers."""
    return Stage(upload=script.uploads, clear=tuple(name for name in script.outputs if name not in script.uploads))


class Prefetch:
    """A run of a script that was requested early, together with all its buffers and observations."""

    def __init__(self, connection: Connection, plan: Plan, name: str, arrays: "Mapping[str, NDArray[Any]]") -> None:
        script = plan.scripts[name]
        connection.upload([arrays[buffer] for buffer in script.uploads])
        connection.reserve(copied_size(map(plan.buffer, script.buffers)))
        self._connection = connection
        self._unread: deque[Message] = deque(
            (staging(script), LaunchRequest(sequence=name), Fetch(buffers=script.buffers), Observe())
        )
        """Requests that were sent early and that the session has not made yet."""
        for request in self._unread:
            connection.send(request)

    @property
    def files(self) -> ArrayFiles:
        """The files that transfer arrays."""
        return self._connection.files

    def upload(self, arrays: "Sequence[NDArray[Any]]") -> None:
        """Write the inputs of the next `Stage` to in.bin, unless this was done early."""
        if not self._unread:
            self._connection.upload(arrays)

    def reserve(self, size: int) -> None:
        """Reserve space in out.bin for the next results, unless this was done early."""
        if not self._unread:
            self._connection.reserve(size)

    def send(self, request: Message) -> None:
        """Send a request, unless it was sent early."""
        if not self._unread:
            self._connection.send(request)
            return
        early = self._unread.popleft()
        assert request == early, "requests must repeat the early requests in the same order"

    def reply(self, doing: str, seconds: float) -> Any:
        """Return the next reply, or the failure that came instead."""
        return self._connection.reply(doing, seconds)

    def failure(self, reply: Any) -> Failure:
        """Convert a reply that does not fulfil the request into a failure. The replies to the other early requests are
        then useless.
        """
        failure = self._connection.failure(reply)
        if self._unread:
            self._connection.stop()
        return failure
