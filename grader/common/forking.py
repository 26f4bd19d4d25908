"""A process of grader that forks on request: the judge's end of the connection.

Python takes 70 ms to start, and more to import modules. This process does both only once. A fork takes about 3 ms.
"""

import signal
import socket
import subprocess
from collections.abc import Mapping, Sequence


class ForkingProcess:
    """Starts the process when it is first needed. If it has ended, the next request starts another one. Handles one
    request at a time.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Prepare the command. It gets one more argument, the number of the socket for requests."""
        self._command = command
        self._environment = environment
        self._running: tuple[subprocess.Popen[bytes], socket.socket] | None = None

    def begin(self) -> None:
        """Start the process unless it runs, without waiting until it can fork."""
        self._socket()

    def hand_over(self, end: socket.socket) -> None:
        """Have the process fork for this end of a pair of sockets. Raises OSError if it cannot.

        A process that is ending does not accept the request, although its process id is still valid. Then a new process
        is started for it.
        """
        try:
            self._send(end)
        except (BrokenPipeError, ConnectionResetError):
            self.close()
            self._send(end)

    def _send(self, end: socket.socket) -> None:
        socket.send_fds(self._socket(), [b"\n"], [end.fileno()])

    def _socket(self) -> socket.socket:
        """Return the socket of a running process. Code with this user's rights may have killed or stopped the last."""
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
        """End the process; its forks continue. Can be called again."""
        if self._running is not None:
            process, ours = self._running
            self._running = None
            ours.close()
            process.kill()
            process.wait()
