"""User IDs without a name and without rights. Each worker has a unique ID while it runs."""

import fcntl
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from grader.common.errors import WorkerError

USERS = range(61185, 65520, 2)
"""User IDs that systemd reserves for temporary services. No distribution gives them to a person. The ID before each of
them is used only by the process that kills the processes of this user. If two such processes had the same ID, the first
would kill the second.
"""

REMOVAL_SECONDS = 120.0
"""Seconds within which a worker's files must be removed. Within its deadlines, a worker can create some million
files.
"""

ROOTS_OWN = Path("/run/grader")
"""Folder with an empty file for each borrowed ID. Only root can enter it, so that no worker can lock a file in it."""

OPEN_PLACES = ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run/lock")  # noqa: S108 - nothing is written there
"""Folders in which every user may leave files, in the way in which distributions and container engines set up a
machine.
"""

SIGNAL_ALL = """
import os, sys
killer, user, number = map(int, sys.argv[1:])
os.setgroups([])
os.setresgid(killer, user, killer)
os.setresuid(killer, user, killer)
try:
    os.kill(-1, number)
except ProcessLookupError:
    pass
"""
"""Program that sends a signal to all processes of a user. It uses a single system call, so that no process can escape
by forking. The program has only the rights of that user, so that it cannot reach other users. It does not run as that
user, because the user's processes could kill it first.
"""

KILL_ALL = f"""
import ctypes, glob  # while all of Python can be read: its folder may be closed to that user
{SIGNAL_ALL}
libc = ctypes.CDLL(None)
for path in glob.glob("/proc/sysvipc/*"):
    remove = getattr(libc, os.path.basename(path) + "ctl")
    for line in open(path).readlines()[1:]:
        remove(int(line.split()[1]), 0, 0)  # IPC_RMID; refused where it is another user's
"""
"""Program that kills all processes of a user in this way. It then removes the user's shared memory, semaphores and
message queues, because they outlive processes.
"""


def roots_own() -> Path:
    """Return the folder that only root can enter. Creates it if it is missing. Raises WorkerError if that fails."""
    try:
        ROOTS_OWN.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise WorkerError(f"cannot make {ROOTS_OWN}, where graders keep their locks: {error.strerror}.") from error
    return ROOTS_OWN


class BorrowedUser:
    """A user ID that no other worker gets until it is given back."""

    def __init__(self, number: int, lock: int) -> None:
        self.number = number
        self._lock: int | None = lock

    @classmethod
    def borrow(cls) -> "BorrowedUser":
        """Borrow a random free ID. Raises WorkerError if no ID is free or if locks cannot be written.

        The ID is random because the OS kernel counts a user's processes over all containers of a host.
        """
        folder = roots_own()
        try:
            for number in random.sample(USERS, len(USERS)):
                lock = os.open(folder / f"user-{number}", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
                if _locked(lock) and number not in _users_of_processes():
                    return cls(number, lock)
                os.close(lock)
        except OSError as error:
            raise WorkerError(f"cannot record in {folder} which users are taken: {error.strerror}.") from error
        raise WorkerError(
            f"every user from {USERS[0]} to {USERS[-1]} has a process; end these processes and try again."
        )

    def give_back(self) -> None:
        """Kill all processes of the user, including hidden ones, remove the user's files, and release the ID.

        Can be called more than once.
        """
        if self._lock is not None:
            self._send(KILL_ALL, signal.SIGKILL)
            self._remove_files()
            os.close(self._lock)
            self._lock = None

    def signal(self, group: int, number: int) -> None:  # noqa: ARG002 - processes in other groups get it, too
        """Send a signal to all processes of the user, in all process groups."""
        self._send(SIGNAL_ALL, number)

    def _send(self, program: str, number: int) -> None:
        command = [sys.executable, "-I", "-S", "-c", program, *map(str, (self.number - 1, self.number, int(number)))]
        done = _run(command)
        if done.returncode:
            raise WorkerError(f"cannot signal the processes of user {self.number}: {done.stderr.strip()}")

    def _remove_files(self) -> None:
        """Remove the user's files from all shared folders, because other workers could find them, or they could fill
        the disk.

        `find` does not follow links and has no limit on depth. It is not an error if `find` fails for some files,
        because other users create and remove files in these folders at the same time.
        """
        places = [place for place in dict.fromkeys((*OPEN_PLACES, tempfile.gettempdir())) if Path(place).is_dir()]
        _run(["find", *places, "-xdev", "-uid", str(self.number), "-delete"])


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, in a separate session, because Ctrl-C must reach only the judge, which waits for the
    command. Raises WorkerError after REMOVAL_SECONDS.
    """
    try:
        return subprocess.run(  # noqa: S603 - no part of the command comes from a worker
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",  # the output may contain names of a worker's files
            check=False,
            start_new_session=True,
            timeout=REMOVAL_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise WorkerError(f"the files of a worker could not be removed within {REMOVAL_SECONDS:g} s.") from error


def _locked(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _users_of_processes() -> Iterator[int]:
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # the process has just ended
            yield process.stat().st_uid
