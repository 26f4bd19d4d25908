"""The address at which browsers reach the web processes: each listens there on a socket of its own."""

import socket

from grader.common.errors import InputError
from grader.common.record import Record


class Address(Record):
    """A host of this machine, and a port."""

    host: str
    port: int

    def claim(self) -> None:
        """Make sure that nobody else listens there: those who share an address are not told of each other. Raises
        InputError if somebody does, or if it cannot be had.
        """
        try:
            socket.create_server((self.host, self.port), family=self._family).close()
        except OSError as error:
            raise InputError(
                f"cannot listen on {self.host}, port {self.port}: {error.strerror}; choose another with --port."
            ) from error

    def listen(self) -> socket.socket:
        """A socket of this process's own. The system deals connections out evenly among such sockets; on one that all
        share, whichever process wakes first takes all that have come: three times as many as the other.
        """
        return socket.create_server((self.host, self.port), family=self._family, reuse_port=True)

    @property
    def _family(self) -> socket.AddressFamily:
        return socket.AF_INET6 if ":" in self.host else socket.AF_INET
