"""Sandbox `user`: a worker as a child process and a user of its own, where no container can be started.

Such a machine is itself a container that is thrown away, as at Gradescope, in which the judge is root. A worker there

    - cannot read what only root can: the judge's memory and environment, the course, the other workers' arrays
    - cannot write anywhere but in its home and where everybody can, and changes no user, by no program (setpriv)
    - leaves no process, and no file or memory where others would meet it: all of that goes when it is stopped

It is less of a wall than `docker`: the worker sees the machine's network, its files that everybody may read, and all of
the kernel's system calls. Whatever is secret must be closed to other users; the judge does not look whether it is.
"""

import os
import shutil
from contextlib import ExitStack

from grader.common.errors import WorkerError
from grader.execution.sandbox.process import (
    HOME,
    ProcessSandbox,
    ProcessWorker,
    StartCommand,
    new_folder,
    worker_command,
)
from grader.execution.sandbox.rules import Fact, Rules
from grader.execution.sandbox.users import BorrowedUser
from grader.protocol.messages import Limits

NEEDED = {"setpriv": "util-linux", "find": "findutils"}
"""Programs that start workers as other users and remove what these leave, and the packages that hold them."""


class UserSandbox(ProcessSandbox):
    """Starts workers as users of their own."""

    def __init__(self, rules: Rules) -> None:
        if os.geteuid() != 0:
            raise WorkerError(
                "the sandbox `user` starts every worker as another user, which only root can: use --sandbox docker."
            )
        for name in NEEDED:
            _program(name)
        super().__init__(rules)

    def limits(self) -> Limits:
        """The given limits: no other processes are counted with those of a worker's user."""
        return self._limits

    def facts(self) -> dict[str, Fact]:
        """What confines a worker."""
        own: dict[str, Fact] = {"user": "one for each worker", "privileges": "no new ones", "network": "the machine's"}
        return super().facts() | own

    def _start(self) -> ProcessWorker:
        """A worker in a fresh temporary folder, of which only its home is its own."""
        with ExitStack() as undo:
            user = BorrowedUser.borrow()
            undo.callback(user.give_back)
            folder = new_folder(self._parent)
            undo.callback(folder.remove)
            folder.admit(user.number)
            os.chown(folder.path / HOME, user.number, user.number)
            command = (*_become(user.number), *worker_command())
            worker = ProcessWorker.start(
                StartCommand(command=command, folder=folder, end_others=user.give_back, signal=user.signal)
            )
            undo.pop_all()
        return worker


def _become(user: int) -> tuple[str, ...]:
    """The command that runs another one as a user who can become no other."""
    return (_program("setpriv"), f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs")


def _program(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise WorkerError(f"there is no `{name}`, which the sandbox `user` needs: install {NEEDED[name]}.")
    return path
