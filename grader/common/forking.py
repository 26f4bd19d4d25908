"""A process of ours that forks when it is asked to: the judge's end of it.

What Python needs 70 ms to start, and more to import, is there once; a fork of it takes some three.
"""

import signal
import socket
import subprocess
from collections.abc import Mapping, Sequence


class ForkingProcess:
    """Starts when it is first needed, and anew with the next request if it has ended. One request at a time."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """The command gets one more argument: the number of the socket on which it is asked."""
        self._command = command
        self._environment = environment
        self._running: tuple[subprocess.Popen[bytes], socket.socket] | None = None

    def begin(self) -> None:
        """Start the process, if it does not run, without waiting until it can fork."""
        self._socket()

    def hand_over(self, end: socket.socket) -> None:
        """Have it fork for this end of a pair of sockets; raises OSError.

        A process that is ending does not take it, which its process id does not show yet; then a new one does.
        """
        try:
            self._send(end)
        except (BrokenPipeError, ConnectionResetError):
            self.close()
            self._send(end)

    def _send(self, end: socket.socket) -> None:
        socket.send_fds(self._socket(), [b"\n"], [end.fileno()])

    def _socket(self) -> socket.socket:
        """The socket of a process that runs. Code with this user's rights can have killed or stopped the last one."""
        if self._running is not None and self._running[0].poll() is not None:
            self.close()
        if self._running is None:
            ours, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
            with theirs:
                process = subprocess.Popen(  # noqa: S603 - our own module, run by our own Python
                    [*self._command, str(theirs.fileno())],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    cwd="/",
                    env=dict(self._environment),
                    start_new_session=True,  # Ctrl-C is for the judge
                    pass_fds=(theirs.fileno(),),
                )
            self._running = process, ours
        process, ours = self._running
        process.send_signal(signal.SIGCONT)
        return ours

    def close(self) -> None:
        """End the process; what it has forked goes on. Can be called again."""
        if self._running is not None:
            process, ours = self._running
            self._running = None
            ours.close()
            process.kill()
            process.wait()
