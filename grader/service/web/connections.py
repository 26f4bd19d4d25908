"""Connections: those that ask nothing are closed, so that they cannot use up what others need."""

import asyncio
import resource

from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 20.0
"""Seconds in which the first request must have come, with all its headers."""


class PatientProtocol(H11Protocol):
    """Uvicorn's own, which waits for ever for the first request of a connection."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A browser, or whoever, is there."""
        super().connection_made(transport)
        self.loop.call_later(PATIENCE, self._close_if_silent)

    def _close_if_silent(self) -> None:
        if self.cycle is None and not self.transport.is_closing():
            self.transport.close()


def raise_limit_of_files() -> None:
    """As many connections as the system lets this process have: what it starts with is often 1,024."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
