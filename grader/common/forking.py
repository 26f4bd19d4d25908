"""The judge's end of the connection to a process that forks on request.

Python takes 70 ms to start, and more time to import modules. The forking process does both only once, and each fork
takes about 3 ms.
"""

import signal
import socket
import subprocess
from collections.abc import Mapping, Sequence


class ForkingProcess:
    """Starts the process when it is first needed, and again after it has ended. Handles one request at a time."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Prepare the command. The number of the socket for requests is appended to it as the last argument."""
        self._command = command
        self._environment = environment
        self._running: tuple[subprocess.Popen[bytes], socket.socket] | None = None

    def begin(self) -> None:
        """Start the process unless it is running already. Does not wait until it can fork."""
        self._socket()

    def hand_over(self, end: socket.socket) -> None:
        """Make the process fork and pass this end of a socket pair to the fork. Raises OSError if that fails.

        A process that is just ending does not accept the request, although its process ID is still valid. In that case,
        a new process is started.
        """
        try:
            self._send(end)
        except (BrokenPipeError, ConnectionResetError):
            self.close()
            self._send(end)

    def _send(self, end: socket.socket) -> None:
        socket.send_fds(self._socket(), [b"\n"], [end.fileno()])

    def _socket(self) -> socket.socket:
        """Return the socket of a running process. The previous process may have been killed or stopped by code that
        runs with this user's rights.
        """
        if self._running is not None and self._running[0].poll() is not None:
            self.close()
        if self._running is None:
            ours, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
            with theirs:
                process = subprocess.Popen(  # noqa: S603 - a module of grader, run by this Python
                    [*self._command, str(theirs.fileno())],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    cwd="/",
                    env=dict(self._environment),
                    start_new_session=True,  # Ctrl-C must reach only the judge
                    pass_fds=(theirs.fileno(),),
                )
            self._running = process, ours
        process, ours = self._running
        process.send_signal(signal.SIGCONT)
        return ours

    def close(self) -> None:
        """End the process. Its forks continue to run. Can be called more than once."""
        if self._running is not None:
            process, ours = self._running
            self._running = None
            ours.close()
            process.kill()
            process.wait()
