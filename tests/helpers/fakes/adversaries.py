"""Fake workers in a simulated world with its own clock, which answer the real judge honestly or not.

A worker can work while time passes, unless it is frozen. Its task is a transposition in the file of the round, which it
can begin when that file appears. Everything between the judge and these workers is real: requests, replies, files,
rounds and statistics.
"""

import os
import random
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from samples import DEVICE
from timing_setups import RULES, at_sizes

from grader.execution import replies
from grader.execution import session as runner
from grader.execution.array_files import ArrayFiles
from grader.execution.assignment_plans import control_plan, reference_plan, timed_plan
from grader.execution.client import Worker
from grader.execution.kernel_threads import no_kernel_threads
from grader.execution.plan import COPY, NAIVE, Binding
from grader.execution.sandbox.folder import array_folder
from grader.execution.timeouts import Timeouts
from grader.grading.timing import measurement
from grader.grading.timing.measurement import open_sessions
from grader.grading.timing.oracle_verifier import ByOracle
from grader.grading.timing.performance import check_performance
from grader.grading.timing.rounds import Participant, Role
from grader.grading.timing.timing_setup import TimingSetup, timing_task
from grader.protocol.messages import (
    REQUEST,
    Close,
    Devices,
    Done,
    Launched,
    LaunchRequest,
    ListDevices,
    Opened,
    StepTime,
)
from grader.protocol.steps import PAGE
from grader.worker.fingerprint import fingerprint

HEIGHT, WIDTH = 7, 5
LENGTH = 4 * HEIGHT * WIDTH

MODEL = 0.005
"""Seconds that the model solution takes."""

OVERHEAD = 0.001
"""Seconds that an honest worker takes from a request to its reply, besides the launch."""

ENGINE = 0.015
"""Seconds that a freeze or a thaw takes. A worker keeps running until a freeze has ended, and runs as soon as a thaw
begins.
"""

SLICE = 0.0055
"""Seconds for which a scheduler lets a newly woken program compute. This is enough for the model solution."""

RULES = RULES.model_copy(update={"min_pairs": 30, "max_pairs": 60, "session_pairs": 10})


AMONG_THEMSELVES = 0.0005
"""Seconds in a launch during which its own threads wait for each other and no other program wants their processor."""


class World:
    """Time, and all processes in it. Other programs, unknown to the judge, make work take longer by a factor of up to 1
    + `burden`. A `crowd` of known programs shares the processor with each process that computes for longer than a
    SLICE. The crowd also uses the caches, so the rest of a launch takes longer by up to the crowd's share.

    The OS kernel does its `queued` work as time passes, even while workers are frozen, on a processor that launches
    also use.
    """

    def __init__(self, seed, burden=0.0, crowd=0):
        self.now, self.processes, self.chance = 0.0, [], random.Random(seed)
        self.burden, self.crowd = burden, crowd
        self.queued, self.kernel_worked = 0.0, 0.0

    def beside_the_kernel(self, seconds):
        """Return the seconds that a launch takes if the OS kernel works at the same time."""
        return seconds + min(self.queued, seconds)

    @contextmanager
    def kernel_threads(self):
        """Replace the object with which the judge measures the OS kernel's threads."""
        yield self

    def seconds(self):
        return self.kernel_worked

    def crowded(self, seconds):
        """Return the seconds that a launch takes without its waits, and the seconds that it waits for the crowd."""
        delay = self.crowd * max(0.0, seconds - SLICE)
        return seconds * (1 + self.chance.uniform(0, delay / (seconds + delay))), delay

    def perf_counter(self):
        return self.now

    monotonic = perf_counter

    def sleep(self, seconds):
        self.pass_by(seconds)

    def pass_by(self, seconds):
        self.now += seconds
        worked = min(self.queued, seconds)
        self.queued, self.kernel_worked = self.queued - worked, self.kernel_worked + worked
        for process in self.processes:
            process.work_on(seconds)

    def is_disturbed(self, by):
        """True if another process is awake and noisy."""
        return any(each.is_noisy and not each.is_frozen for each in self.processes if each is not by)


@dataclass(frozen=True, kw_only=True)
class Move:
    """The behaviour of a worker in one round.

    The worker does the fraction `done` of its work before it answers, and the rest while it is awake. It reports the
    fraction `told` of the time that all its work takes. It saves the fraction `saves` of the usual overhead and wastes
    `wastes` more seconds. `says` is the form of its answer. It claims to have waited `idle` more seconds for a
    processor than it did. When it answers, it queues `queues` seconds of work for the OS kernel.
    """

    done: float = 1.0
    told: float = 1.0
    saves: float = 0.0
    wastes: float = 0.0
    says: str = "once"
    idle: float = 0.0
    queues: float = 0.0


HONEST = (Move(),)


@dataclass(kw_only=True)
class FakeProcess:
    """The fake sandboxed process of a Worker. It takes `seconds` for the student's steps."""

    world: World
    seconds: float
    folder: Path
    moves: tuple[Move, ...] = HONEST
    is_noisy: bool = False
    is_frozen: bool = False
    owed: float = 0.0
    round: int = 0
    unread: list = field(default_factory=list)

    def __post_init__(self):
        rounds = self.folder / "r"
        rounds.mkdir()
        self.files = ArrayFiles(self.folder, rounds)
        self.shown = rounds / "rounds" / "arrays.bin"
        self.world.processes.append(self)

    def freeze(self):
        self.world.pass_by(ENGINE)
        self.is_frozen = True

    def thaw(self):
        self.is_frozen = False
        self.world.pass_by(ENGINE)

    def send(self, data):
        assert not self.is_frozen, "a frozen worker is asked for something"
        if b'"limits"' in data:
            return
        match REQUEST.validate_json(data):
            case ListDevices():
                self._say(Devices(worker=fingerprint(), devices=(DEVICE,), too_new=()))
            case Close():
                self._say(Done())
            case LaunchRequest() as request:
                self._launch(request)
            case _:
                self._say(Opened(kernels=(), logs=()))

    def receive(self, timeout):
        if not self.unread:
            self.world.pass_by(max(0.0, timeout))
            raise TimeoutError
        return self.unread.pop(0)

    def work_on(self, seconds):
        """Do the remaining work while the worker is awake."""
        if self.owed > 0 and not self.is_frozen:
            self.owed -= seconds
            if self.owed <= 1e-12:
                self._transpose()

    def _launch(self, request):
        jitter = self.world.chance.uniform(1.0, 1.03)
        if request.sequence in (NAIVE, COPY):
            if request.shared:
                self._transpose()
            self._take(OVERHEAD + MODEL)
            self._say(_launched(MODEL))
            return
        move = self.moves[self.round % len(self.moves)]
        self.round += 1
        seconds = self.seconds * (jitter if self.moves is HONEST else 1.0)
        if self.world.is_disturbed(by=self):
            seconds *= 2
        seconds *= 1 + self.world.chance.uniform(0, self.world.burden)
        seconds, delay = self.world.crowded(seconds)
        seconds = self.world.beside_the_kernel(seconds + delay)
        self.owed = seconds
        self._take(OVERHEAD * self.world.chance.uniform(0.95, 1.05) * (1 - move.saves) + move.wastes)
        self._take(seconds * move.done)
        self.world.queued += move.queues
        delay += AMONG_THEMSELVES * self.world.chance.uniform(0.9, 1.1)
        self._answer(move, _launched(seconds * move.told, delay + move.idle))

    def _take(self, seconds):
        """Let the overhead pass. An honest worker does not work during the overhead, but an adversary does."""
        if self.moves is HONEST:
            owed, self.owed = self.owed, 0.0
            self.world.pass_by(seconds)
            self.owed = owed
            if seconds >= owed > 0:
                self._transpose()
        else:
            self.world.pass_by(seconds)

    def _answer(self, move, reply):
        match move.says:
            case "once":
                self._say(reply)
            case "twice":
                self._say(reply)
                self._say(reply)
            case "huge":
                self.unread.append(b"x" * (5 * 1024 * 1024))
            case "junk":
                self.unread.append(b'{"kind": "launched", "times": "many"}\n')
            case "other":
                self._say(Done())

    def _say(self, reply):
        self.unread.append(reply.model_dump_json().encode() + b"\n")

    def _transpose(self):
        """Write the transpose of A to B. Each array begins at a page boundary, after a guard band of one page."""
        self.owed = 0.0
        file = os.open(self.shown, os.O_RDWR)
        a = np.frombuffer(os.pread(file, LENGTH, 4 * PAGE), np.uint32)
        if a.size == HEIGHT * WIDTH:
            os.pwrite(file, a.reshape(HEIGHT, WIDTH).T.tobytes(), PAGE)
        os.close(file)

    def let_go(self):
        pass

    def stop(self):
        self.owed = 0.0
        self.is_frozen, self.is_noisy = True, False

    def last_words(self):
        return ""

    def has_ended(self):
        return False

    def ran_out_of_memory(self):
        return False


def _launched(seconds, delay=0.0):
    time = StepTime(start_ns=0, end_ns=max(0, int(seconds * 1e9)))
    return Launched(times=(time,), delay_ns=int(delay * 1e9))


@dataclass
class FakeSandbox:
    """A sandbox that starts a single given process."""

    process: FakeProcess

    def start(self):
        return self.process

    def limits(self):
        return {"memory_bytes": 1, "cpu_seconds": 1, "file_bytes": 1, "processes": None}


SECONDS = Timeouts(start=10, build=10, first_launch=10, launch=10, transfer=10, simulation=10)


@contextmanager
def setup_in(world, assignment, seconds, moves, *, noisy, watched=True):  # noqa: PLR0913
    """Yield a setup whose submission takes `seconds` and repeats these moves. If `watched` is true, the judge watches
    the OS kernel's threads.
    """
    assignment = at_sizes(assignment, height=HEIGHT, width=WIDTH)
    judge = ByOracle(timing_task(assignment, DEVICE, seed=1))
    sizes = judge.task.sizes
    bindings = {launch.kernel: Binding(name=launch.kernel, takes_local=False) for launch in assignment.student_launches}
    plans = {
        Role.REFERENCE: reference_plan(assignment, sizes),
        Role.SUBMISSION: timed_plan(assignment, sizes, bindings),
        Role.CONTROL: control_plan(assignment, DEVICE),
    }
    with ExitStack() as undo:
        patch = undo.enter_context(pytest.MonkeyPatch.context())
        for module in (measurement, runner, replies):
            patch.setattr(module, "time", world)
        patch.setattr(measurement, "kernel_threads", world.kernel_threads if watched else no_kernel_threads)
        participants = {}
        for role, plan in plans.items():
            folder = Path(undo.enter_context(TemporaryDirectory(dir=array_folder(), prefix="adversaries-")))
            own = {"moves": moves, "is_noisy": noisy} if role is Role.SUBMISSION else {}
            duration = seconds if role is Role.SUBMISSION else MODEL
            process = FakeProcess(world=world, seconds=duration, folder=folder, **own)
            undo.callback(process.files.close)
            participants[role] = Participant(worker=Worker(FakeSandbox(process), 0, SECONDS), plan=judge.prepare(plan))
        yield TimingSetup(verifier=judge, participants=participants)


def graded(  # noqa: PLR0913
    assignment, seconds, moves=HONEST, *, noisy=False, seed=1, burden=0.0, crowd=0, watched=True
):
    """Return the check of performance, and the world in which it took place."""
    world = World(seed, burden, crowd)
    with setup_in(world, assignment, seconds, moves, noisy=noisy, watched=watched) as setup:
        assert open_sessions(setup) is None
        return check_performance(setup, RULES), world
