"""The address at which browsers reach the web processes: each listens there on a socket of its own."""

import errno
import socket

from grader.common.errors import InputError
from grader.common.record import Record


class Address(Record):
    """A host of this machine, and a port; several processes listen there where it `is_shared`."""

    host: str
    port: int
    is_shared: bool = False

    def claim(self) -> None:
        """Make sure that nobody else listens there: those who share an address are not told of each other. Raises
        InputError if somebody does, or if it cannot be had.
        """
        try:
            socket.create_server((self.host, self.port), family=self._family).close()
        except OSError as error:
            raise InputError(f"cannot listen on {self.host}, port {self.port}: {_why_not(error)}") from error

    def listen(self) -> socket.socket:
        """A socket of this process's own. The system deals connections out evenly among those of a shared address; on
        one socket for all, whichever process wakes first takes all that have come: three times as many as the other.
        Another program of this user could take its part, so an address is shared only where it must be.
        """
        return socket.create_server((self.host, self.port), family=self._family, reuse_port=self.is_shared)

    @property
    def _family(self) -> socket.AddressFamily:
        return socket.AF_INET6 if ":" in self.host else socket.AF_INET


def _why_not(error: OSError) -> str:
    """The reason and the next step; Python's own words have more, in brackets."""
    reason = (error.strerror or str(error)).partition(" (")[0]
    match error.errno:
        case errno.EADDRINUSE:
            return "another program listens there; choose another port: --port NUMBER, or `make serve PORT=NUMBER`."
        case errno.EACCES:
            return f"{reason}; choose a port above 1023: --port NUMBER, or `make serve PORT=NUMBER`."
        case _:
            return f"{reason}; name an address of this machine with --host, or leave it out."
