"""Users that have no name, no rights and no past: one for each worker, and for nobody else as long as it runs."""

import fcntl
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from grader.errors import WorkerError

USERS = range(61185, 65520, 2)
"""User ids that systemd reserves for services that come and go; no person has one of them, on any distribution. The id
before each is that of the process that ends this user's, and of nothing else: of two such processes with one id, the
first would end the second.
"""

ROOTS_OWN = Path("/run/grader")
"""Closed to all but root, so that no worker holds a lock in it: an empty file for each user that was ever borrowed."""

KILL_ALL = """
import os, signal, sys
killer, user = map(int, sys.argv[1:])
os.setresuid(killer, user, killer)
try:
    os.kill(-1, signal.SIGKILL)
except ProcessLookupError:
    pass
"""
"""Ends everything that runs as a user, in one system call that no fork outruns. It has that user's rights and no more,
so that nobody else is hit, and is itself no process of that user, which could shoot first."""


class BorrowedUser:
    """A user id that nobody else has until it is given back."""

    def __init__(self, number: int, lock: int) -> None:
        self.number = number
        self._lock: int | None = lock

    @classmethod
    def borrow(cls) -> "BorrowedUser":
        """One at random: the kernel counts a user's processes over all containers of a host."""
        try:
            ROOTS_OWN.mkdir(mode=0o700, exist_ok=True)
            for number in random.sample(USERS, len(USERS)):
                lock = os.open(ROOTS_OWN / f"user-{number}", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
                if _locked(lock) and number not in _users_of_processes():
                    return cls(number, lock)
                os.close(lock)
        except OSError as error:
            raise WorkerError(f"cannot note in {ROOTS_OWN} which users are taken: {error.strerror}.") from error
        raise WorkerError(f"every user from {USERS[0]} to {USERS[-1]} has a process; end those, and try again.")

    def give_back(self) -> None:
        """End every process of the user, however it has hidden, then let others have it. Can be called again."""
        if self._lock is not None:
            self._end_processes()
            os.close(self._lock)
            self._lock = None

    def _end_processes(self) -> None:
        command = [sys.executable, "-I", "-S", "-c", KILL_ALL, str(self.number - 1), str(self.number)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own
        if done.returncode:
            raise WorkerError(f"cannot end the processes of user {self.number}: {done.stderr.strip()}")


def _locked(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _users_of_processes() -> set[int]:
    return set(_owners())


def _owners() -> Iterator[int]:
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended while we looked
            yield process.stat().st_uid
