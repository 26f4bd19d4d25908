"""Sandbox `user`: a worker as a child process and a user of its own, where no container can be started.

Such a machine is itself a container that is thrown away, as at Gradescope, in which the judge is root. A worker there

    - cannot read what only root can: the judge's memory and environment, the course, the other workers' arrays
    - cannot write anywhere but in its home and where everybody can, and changes no user, by no program (no_new_privs)
    - leaves no process, and no file or memory where others would meet it: all of that goes when it is stopped

It is less of a wall than `docker`: the worker can read the machine's files that all users may read, and make all system
calls except those of a list (grader/forkserver/system_calls.py). Secrets must be closed to other users; the judge does
not check this.
"""

import os
import shutil
from contextlib import ExitStack

from grader.common.errors import WorkerError
from grader.execution.sandbox.environment import HOME
from grader.execution.sandbox.process import ProcessSandbox, ProcessWorker, WorkerPlace, new_folder
from grader.execution.sandbox.rules import Fact, Rules, with_a_driver
from grader.execution.sandbox.users import BorrowedUser
from grader.protocol.messages import Limits

NEEDED, PACKAGE = "find", "findutils"
"""The program that removes what workers leave, and the package that holds it."""


class UserSandbox(ProcessSandbox):
    """Starts workers as users of their own."""

    def __init__(self, rules: Rules) -> None:
        if os.geteuid() != 0:
            raise WorkerError(
                "the sandbox `user` starts every worker as another user, which only root can: use --sandbox docker."
            )
        if shutil.which(NEEDED) is None:
            raise WorkerError(f"there is no `{NEEDED}`, which the sandbox `user` needs: install {PACKAGE}.")
        super().__init__(rules)

    def limits(self) -> Limits:
        """The given limits: no other processes are counted with those of a worker's user."""
        return with_a_driver(self._limits)

    def facts(self) -> dict[str, Fact]:
        """What confines a worker."""
        return super().facts() | {"user": "one for each worker"}

    def _start(self) -> ProcessWorker:
        """A worker in a fresh temporary folder, of which only its home is its own."""
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
