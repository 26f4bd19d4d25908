"""Sandbox `user`: each worker is a child process with its own user, for machines that cannot start containers.

Such a machine is itself a temporary container, as on Gradescope, and the judge is root in it. A worker

    - cannot read what only root can read: the judge's memory and environment, the course, other workers' arrays
    - cannot write outside its home, except where all users can write
    - cannot become another user, with any program (no_new_privs)
    - leaves nothing that another worker could find: its processes, files and memory are removed when it stops

This sandbox isolates less than `docker`. The worker can read all files of the machine that every user may read, and can
make all system calls except those in a list (grader/forkserver/system_calls.py). Secrets must not be readable by other
users; the judge does not check this.
"""

import os
import shutil
from contextlib import ExitStack

from grader.common.errors import WorkerError
from grader.execution.sandbox.environment import HOME
from grader.execution.sandbox.limits import Fact, Rules, with_a_driver
from grader.execution.sandbox.process import ProcessSandbox, ProcessWorker, WorkerPlace, new_folder
from grader.execution.sandbox.users import BorrowedUser
from grader.protocol.messages import Limits

NEEDED, PACKAGE = "find", "findutils"
"""The program that removes the files of workers, and the package that contains it."""


class UserSandbox(ProcessSandbox):
    """Starts each worker as a different user."""

    def __init__(self, rules: Rules) -> None:
        if os.geteuid() != 0:
            raise WorkerError(
                "the sandbox `user` starts every worker as another user, which only root can do: use --sandbox docker."
            )
        if shutil.which(NEEDED) is None:
            raise WorkerError(f"the sandbox `user` needs `{NEEDED}`, which is missing: install {PACKAGE}.")
        super().__init__(rules)

    def limits(self) -> Limits:
        """Return the given limits plus the threads of a driver. The user of a worker has no other processes that would
        count.
        """
        return with_a_driver(self._limits)

    def facts(self) -> dict[str, Fact]:
        """All limits and restrictions of a worker."""
        return super().facts() | {"user": "one for each worker"}

    def _start(self) -> ProcessWorker:
        """Start a worker in a new temporary folder, in which its user owns only the home."""
        with ExitStack() as undo:
            user = BorrowedUser.borrow()
            undo.callback(user.give_back)
            folder = new_folder(self._parent)
            undo.callback(folder.remove)
            folder.admit(user.number)
            os.chown(folder.path / HOME, user.number, user.number)
            place = WorkerPlace(folder=folder, user=user.number, end_others=user.give_back, signal=user.signal)
            worker = ProcessWorker.start(self._server, place)
            undo.pop_all()
        return worker
