"""The processes of a worker's sessions, one after the other.

Sessions come one after the other in a fork, until a kernel has run in it: then the next one gets a new fork, unless it
is to go on in a used one. What a driver has loaded for the first program that it builds is there for the second. Where
the judge foresees that a new one will be needed, it gets ready beside the one that serves.
"""

from collections.abc import Callable, Iterable
from typing import BinaryIO

from grader.protocol.messages import Foresee, ListDevices, Open, Preprocess, Request
from grader.worker.fork import Channel, Fork


class Succession:
    """The process that serves now, and the next one, if it was foreseen."""

    def __init__(
        self,
        serve: Callable[[Channel], None],
        foresee: Callable[[Foresee, Channel], None],
        inherited: Iterable[BinaryIO],
    ) -> None:
        """`serve` answers requests, and `foresee` gets ready for them and waits; both run in a fork, without the
        `inherited` streams.
        """
        self._serve = serve
        self._get_ready = foresee
        self._inherited = tuple(inherited)
        self._serving: Fork | None = None
        self._next: Fork | None = None

    def process_for(self, request: Request) -> Fork:
        """The process that answers this request."""
        if isinstance(request, ListDevices | Preprocess | Open) and not self._may_go_on(request):
            if self._serving is not None:
                self._serving.kill()
            self._serving = self._take_next() or self._start(self._serve)
        assert self._serving is not None, "the judge opens a session before it uses one"
        return self._serving

    def foresee(self, request: Foresee) -> None:
        """Have the next process get ready, unless one does."""
        if self._next is None:
            self._next = self._start(lambda channel: self._ready(request, channel))

    def end(self) -> None:
        """End them all."""
        for fork in filter(None, (self._serving, self._next)):
            fork.kill()

    def _may_go_on(self, request: ListDevices | Preprocess | Open) -> bool:
        """Whether a request may be answered by the process that served those before it."""
        if self._serving is None:
            return False
        if isinstance(request, Open) and request.process == "used":
            return not self._serving.has_ended and self._serving.takes_over()
        return not self._serving.is_spent

    def _take_next(self) -> Fork | None:
        """The one that was foreseen; None if there is none, or it has ended."""
        fork, self._next = self._next, None
        if fork is None or fork.takes_over():
            return fork
        fork.kill()
        return None

    def _ready(self, request: Foresee, channel: Channel) -> None:
        self._get_ready(request, channel)
        self._serve(channel)

    def _start(self, serve: Callable[[Channel], None]) -> Fork:
        other = () if self._serving is None else self._serving.streams
        return Fork.start(serve, inherited=(*self._inherited, *other))
