"""Runs several scripts one after the other in one session, because on a GPU, a session takes longer than a small
script.
"""

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from grader.execution.client import Worker
from grader.execution.outcome import Failure, Fetched
from grader.execution.plan import Plan, Script, buffer_of, joined
from grader.protocol.messages import Opened


class Series:
    """Plans with one script each, which run in order in as few sessions as possible.

    A submission cannot exploit a shared session. The inputs of a script are uploaded just before its launch, when its
    outputs and guard bands are poisoned as well. The buffers of later scripts are still empty. As in any launch, local
    memory is not cleared: it can contain any values until a kernel sets it.
    """

    def __init__(self, worker: Worker, plans: Mapping[str, Plan]) -> None:
        self._worker = worker
        self._plans = plans
        self._at_once = len(plans)
        self._requested: tuple[tuple[str, ...], Plan] | None = None
        self._open: tuple[str, ...] = ()

    def script(self, name: str) -> Script:
        """Return the script of a plan, with the plan's own names of buffers."""
        (script,) = self._plans[name].scripts.values()
        return script

    def run(self, name: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, Fetched] | Failure:
        """Run the plan's script on the arrays, and return its buffers. Can be called several times for the same plan.

        A failure ends the session. Earlier runs in the session may have caused it, because they use memory or have
        written outside of their buffers. Therefore, a script that fails after others runs again as the first one of a
        new session, and that result counts.
        """
        after_others = self.is_open_for(name)
        outcome = self.attempt(name, arrays)
        return self.attempt(name, arrays) if after_others and not isinstance(outcome, dict) else outcome

    def is_open_for(self, name: str) -> bool:
        """True if the plan's script would run after others, in a session that is already open."""
        return name in self._open

    def request(self, name: str) -> None:
        """Request a session for this plan and the plans after it. Does not wait."""
        self._requested = self._session(name)
        self._worker.request(self._requested[1])

    def close(self) -> None:
        """End the session if one is open or has been requested."""
        if self._requested:
            self._worker.stop()
        elif self._open:
            self._worker.close()
        self._requested, self._open = None, ()

    def abandon(self) -> None:
        """Stop the worker, no matter what state the session is in. The next run begins a new session."""
        self._worker.stop()
        self._requested, self._open = None, ()

    def attempt(self, name: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, Fetched] | Failure:
        """Run the plan's script once on the arrays, and return its buffers. Does not try again after a failure."""
        failure = self._open_for(name)
        if failure is not None:
            return failure
        outcome = self._worker.session.run(name, {buffer_of(name, buffer): array for buffer, array in arrays.items()})
        if not isinstance(outcome, dict):
            self.close()
            return outcome
        script = self.script(name)
        return {buffer: outcome[buffer_of(name, buffer)] for buffer in script.buffers}

    def _open_for(self, name: str) -> Failure | None:
        """Open a session for this plan and the plans after it, unless one is open. Returns the failure, or None.

        A session for several plans can fail because memory is short or because one of the plans is faulty. From then
        on, each plan gets its own session, so that only the faulty one fails.
        """
        if name in self._open:
            return None
        if self._requested is not None and name not in self._requested[0]:
            self.close()
        (names, plan), self._requested = self._requested or self._session(name), None
        opened = self._worker.open(plan)
        if isinstance(opened, Opened):
            self._open = names
            return None
        if len(names) == 1:
            return opened
        self._at_once = 1
        return self._open_for(name)

    def _session(self, name: str) -> tuple[tuple[str, ...], Plan]:
        """Return the names of this plan and of the plans after it that may share a session, and the plan of that
        session.
        """
        names = list(self._plans)
        wanted = tuple(names[names.index(name) :][: self._at_once])
        return wanted, joined({each: self._plans[each] for each in wanted})
