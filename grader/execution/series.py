"""Scripts run one after the other in one session: on a GPU, a session costs more than a small script."""

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from grader.execution.client import Worker
from grader.execution.outcome import Failure, Fetched
from grader.execution.plan import Plan, Script, buffer_of, joined
from grader.protocol.messages import Opened


class Series:
    """Plans of one script each, run in their order in as few sessions as possible.

    Scripts that share a session gain nothing by it. The inputs of each are uploaded just before its launch, and its
    outputs and guard bands are poisoned then; of those that come after it, a submission sees the empty buffers. Local
    memory stays as it is, as in any launch: a kernel that reads what it never set finds anything.
    """

    def __init__(self, worker: Worker, plans: Mapping[str, Plan]) -> None:
        self._worker = worker
        self._plans = plans
        self._at_once = len(plans)
        self._begun: tuple[tuple[str, ...], Plan] | None = None
        self._open: tuple[str, ...] = ()

    def script(self, name: str) -> Script:
        """The script of a plan, with the names that its buffers have there."""
        (script,) = self._plans[name].scripts.values()
        return script

    def run(self, name: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, Fetched] | Failure:
        """The buffers after a run of the plan's script on the arrays; it can be asked for again.

        A failure ends the session. Runs before it may have led to it, by memory that they hold or have overrun, so what
        failed after others is run again, now as the first of a session, and that counts.
        """
        after_others = self.is_open_for(name)
        outcome = self.attempt(name, arrays)
        return self.attempt(name, arrays) if after_others and not isinstance(outcome, dict) else outcome

    def is_open_for(self, name: str) -> bool:
        """Whether the plan's script would run after others, in the session that they have left."""
        return name in self._open

    def begin(self, name: str) -> None:
        """Ask for a session for this plan and those after it, without waiting for it."""
        self._begun = self._session(name)
        self._worker.begin_open(self._begun[1])

    def close(self) -> None:
        """End the session, if one is open, or was asked for."""
        if self._begun:
            self._worker.stop()
        elif self._open:
            self._worker.close()
        self._begun, self._open = None, ()

    def abandon(self) -> None:
        """Give up the session in any state; the next run begins another one."""
        self._worker.stop()
        self._begun, self._open = None, ()

    def attempt(self, name: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, Fetched] | Failure:
        """The same, whatever ran before it in the session."""
        failure = self._open_for(name)
        if failure is not None:
            return failure
        outcome = self._worker.run(name, {buffer_of(name, buffer): array for buffer, array in arrays.items()})
        if not isinstance(outcome, dict):
            self.close()
            return outcome
        script = self.script(name)
        return {buffer: outcome[buffer_of(name, buffer)] for buffer in script.buffers}

    def _open_for(self, name: str) -> Failure | None:
        """Have a session open for this plan and those after it, unless one is; None if that went well.

        If a session for several cannot be opened, for want of memory or by the fault of one, each gets its own from
        then on, and so the blame for its own failure only.
        """
        if name in self._open:
            return None
        if self._begun is not None and name not in self._begun[0]:
            self.close()
        (names, plan), self._begun = self._begun or self._session(name), None
        opened = self._worker.open(plan)
        if isinstance(opened, Opened):
            self._open = names
            return None
        if len(names) == 1:
            return opened
        self._at_once = 1
        return self._open_for(name)

    def _session(self, name: str) -> tuple[tuple[str, ...], Plan]:
        """One for this plan and as many after it as may share a session: their names, and its plan."""
        names = list(self._plans)
        wanted = tuple(names[names.index(name) :][: self._at_once])
        return wanted, joined({each: self._plans[each] for each in wanted})
