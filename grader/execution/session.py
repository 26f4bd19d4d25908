"""An open session: a plan whose programs are built and whose buffers exist in the worker.

stage -> launch -> fetch         once for each run of a script; `run` does all three
stage -> turn                    launches and results with one request
launch ... -> observe            on the simulator, its records of the launches
"""

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from grader.execution.array_files import RoundFile, cleared, copied, copied_size, divided, poison
from grader.execution.connection import RequestChannel
from grader.execution.outcome import RUNNING, Failure, Fetched, Garbled, Timing, Took
from grader.execution.plan import Plan, Script
from grader.execution.prefetch import staging
from grader.execution.timeouts import CurrentTimeouts
from grader.protocol.messages import (
    Done,
    Fetch,
    Keyed,
    Launched,
    LaunchRequest,
    Observe,
    Observed,
    Stage,
    Turn,
    Turned,
)
from grader.protocol.observation import SeenKernel
from grader.protocol.steps import pages
from grader.protocol.wire import Message

if TYPE_CHECKING:
    from numpy.typing import NDArray


class WorkerSession:
    """Requests to an open session.

    `launched` contains the names of the scripts that this process has launched with these programs. The session adds
    the names of its own scripts.
    """

    def __init__(self, plan: Plan, channel: RequestChannel, timeouts: CurrentTimeouts, launched: set[str]) -> None:
        self.plan = plan
        self._channel = channel
        self._timeouts = timeouts
        self._launched = launched
        self._shared = SharedArrays(plan, channel.files.round) if plan.arrays == "shared" else None

    def run(
        self, name: str, arrays: "Mapping[str, NDArray[Any]]", key: int = 0, fetched: tuple[str, ...] | None = None
    ) -> dict[str, Fetched] | Failure:
        """Run a script: stage the arrays, launch the script with this key, and fetch the buffers in `fetched`, or by
        default all buffers of the script.
        """
        staged = self.stage(name, arrays)
        if not isinstance(staged, Done):
            return staged
        launched = self.launch(name, key)
        if not isinstance(launched, Timing):
            return launched
        return self.fetch(self.plan.scripts[name].buffers if fetched is None else fetched)

    def stage(self, name: str, arrays: "Mapping[str, NDArray[Any]]") -> Done | Failure:
        """Poison the buffers of a script of the plan, and upload its inputs.

        If the session shares its arrays, the worker cannot see the inputs until the launch.
        """
        script = self.plan.scripts[name]
        if self._shared is not None:
            self._shared.write(script, arrays)
            return Done()
        self._channel.upload([arrays[buffer] for buffer in script.uploads])
        return self._done(staging(script), "uploading the inputs")

    def clear(self, names: tuple[str, ...]) -> Done | Failure:
        """Fill these buffers with poison."""
        return self._done(Stage(upload=(), clear=names), "poisoning buffers")

    def launch(self, name: str, key: int = 0) -> Timing | Failure:
        """Run a script of the plan to its end. Kernels of grader that take a key get `key`."""
        script, seconds = self.plan.scripts[name], self._launch_seconds(name)
        shared = () if self._shared is None else script.buffers
        start = time.perf_counter()
        if self._shared is not None:
            self._shared.show()
        self._channel.send(LaunchRequest(sequence=name, key=key, shared=shared))
        reply = self._channel.reply(RUNNING, seconds)
        wall = time.perf_counter() - start
        if isinstance(reply, Launched) and _is_whole(reply, len(script.commands)):
            self._launched.add(name)
            return Timing(steps=reply.times, wall_seconds=wall, turns=reply.turns, delay=reply.delay_ns * 1e-9)
        return self._channel.failure(reply)

    def turn(self, keys: Mapping[str, int], names: tuple[str, ...]) -> Took | Failure:
        """Run these scripts, each with its key, and fetch the listed buffers, all with one request."""
        seconds = sum(map(self._launch_seconds, keys))
        self._channel.reserve(self._room(names))
        launches = tuple(Keyed(sequence=name, key=key) for name, key in keys.items())
        self._channel.send(Turn(launches=launches, fetch=names))
        reply = self._channel.reply(RUNNING, seconds)
        steps = [len(self.plan.scripts[name].commands) for name in keys]
        if not isinstance(reply, Turned) or not _is_whole_turn(reply, steps, len(names)):
            return self._channel.failure(reply)
        self._launched.update(keys)
        results = self._received(names)
        if not isinstance(results, dict):
            return results
        launched = tuple(tuple(time.seconds for time in each.times) for each in reply.launches)
        return Took(steps=launched, waits=tuple(wait * 1e-9 for wait in reply.waits_ns), results=results)

    def fetch(self, names: tuple[str, ...]) -> dict[str, Fetched] | Failure:
        """Return the listed buffers with their guard bands."""
        if self._shared is not None:
            fetched = self._shared.read(names)
            return fetched if isinstance(fetched, dict) else self._channel.failure(fetched)
        self._channel.reserve(self._room(names))
        reply = self._done(Fetch(buffers=names), "returning the results")
        return self._received(names) if isinstance(reply, Done) else reply

    def observe(self) -> tuple[SeenKernel, ...] | Failure:
        """Return what the simulator has observed about this session's kernels since the last call."""
        self._channel.send(Observe())
        reply = self._channel.reply("reporting what was seen", self._timeouts.now.transfer)
        return reply.kernels if isinstance(reply, Observed) else self._channel.failure(reply)

    def drop(self) -> None:
        """Free the memory that the last launch shared, after it has been read."""
        self._channel.files.round.close()

    def _launch_seconds(self, name: str) -> float:
        """Return the seconds that a script may take. The first launch may take longer, because the driver may compile
        then.
        """
        return self._timeouts.now.launch if name in self._launched else self._timeouts.now.first_launch

    def _done(self, request: Message, doing: str) -> Done | Failure:
        self._channel.send(request)
        reply = self._channel.reply(doing, self._timeouts.now.transfer)
        return reply if isinstance(reply, Done) else self._channel.failure(reply)

    def _room(self, names: tuple[str, ...]) -> int:
        """Return the size of these buffers with their guard bands, in bytes."""
        return copied_size(map(self.plan.buffer, names))

    def _received(self, names: tuple[str, ...]) -> dict[str, Fetched] | Failure:
        """Return the buffers that the worker has written to out.bin."""
        total = self._room(names)
        content = memoryview(self._channel.files.receive(total))
        if len(content) != total:
            return self._channel.failure(Garbled(what="its output file is shorter than the judge made it"))
        return divided(content, list(map(self.plan.buffer, names)), copied)


class SharedArrays:
    """The arrays of a session that shares them with its worker, in one file for each launch."""

    def __init__(self, plan: Plan, file: RoundFile) -> None:
        self._plan = plan
        self._file = file
        self._written: Script | None = None

    def write(self, script: Script, arrays: "Mapping[str, NDArray[Any]]") -> None:
        """Write the file of the next launch, with each buffer between its guard bands, in whole pages."""
        pieces: list[NDArray[Any]] = []
        for spec in map(self._plan.buffer, script.buffers):
            room, band = pages(spec), spec.guard
            if spec.name in script.uploads:
                payload = arrays[spec.name].ravel()
                assert payload.nbytes == spec.size, "else all after it would lie elsewhere"
                pieces += [poison(spec, band), payload, poison(spec, room - band - spec.size)]
            elif spec.element:
                pieces += [poison(spec, band), cleared(spec), poison(spec, room - band - spec.size)]
            else:
                pieces.append(poison(spec, room))
        self._file.write(pieces, sum(piece.nbytes for piece in pieces))
        self._written = script

    def show(self) -> None:
        """Make the file visible to the worker."""
        self._file.show()

    def read(self, names: tuple[str, ...]) -> dict[str, Fetched] | Garbled:
        """Return the listed buffers from the file of the last launch. The file is read up to the last of them."""
        assert self._written is not None, "a file is written before it is read"
        last = max(map(self._written.buffers.index, names))
        specs = list(map(self._plan.buffer, self._written.buffers[: last + 1]))
        total = sum(map(pages, specs))
        content = self._file.read(total)
        if len(content) != total:
            return Garbled(what="the file of its arrays is shorter than the judge made it")
        fetched = divided(content, specs, pages)
        return {name: fetched[name] for name in names}


def _is_whole(launched: Launched, steps: int) -> bool:
    """True if each command has a time, and no command ends before it begins."""
    return len(launched.times) == steps and all(time.end_ns >= time.start_ns for time in launched.times)


def _is_whole_turn(turned: Turned, steps: Sequence[int], fetched: int) -> bool:
    """True if the number of launches is right, each launch is complete, and each launch and each fetched buffer has a
    wait.
    """
    has_all = len(turned.launches) == len(steps) and len(turned.waits_ns) == len(steps) + fetched
    return has_all and all(map(_is_whole, turned.launches, steps))
