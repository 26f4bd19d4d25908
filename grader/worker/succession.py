"""The processes of a worker's sessions, one after the other.

Sessions share a fork, one after the other, until a kernel has run in it. The next session then gets a new fork, unless
it requests a used one. Sharing saves time: the driver loads its libraries only for the first program that it builds.
"""

from collections.abc import Callable, Iterable
from typing import BinaryIO

from grader.protocol.messages import ListDevices, Open, Preprocess, Request
from grader.worker.fork import Channel, Fork


class Succession:
    """Keeps the process that serves requests, and replaces it if a request needs a new one."""

    def __init__(self, serve: Callable[[Channel], None], inherited: Iterable[BinaryIO]) -> None:
        """`serve` answers requests; it runs in a fork, without the `inherited` streams."""
        self._serve = serve
        self._inherited = tuple(inherited)
        self._serving: Fork | None = None

    def process_for(self, request: Request) -> Fork:
        """The process that answers this request."""
        if isinstance(request, ListDevices | Preprocess | Open) and not self._may_go_on(request):
            self.end()
            self._serving = Fork.start(self._serve, inherited=self._inherited)
        assert self._serving is not None, "the judge opens a session before it uses one"
        return self._serving

    def end(self) -> None:
        """End the process if one exists."""
        if self._serving is not None:
            self._serving.kill()

    def _may_go_on(self, request: ListDevices | Preprocess | Open) -> bool:
        """True if the process that served the previous requests may answer this request."""
        if self._serving is None:
            return False
        if isinstance(request, Preprocess | Open) and request.process == "used":
            return self._serving.may_go_on()
        return not self._serving.is_spent
